import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { LIBRARY_MEDIA, LibraryMedia } from '../entities/library-media.entity.js';
import { MEDIA_CATEGORIES, MEDIA_TYPES, type MediaCategory, type MediaType } from '../entities/media.entity.js';
import { posterKeyOf } from '../media-files/media-key.js';
import type { MediaUrls } from '../media-files/media-urls.js';
import { aspectRatioOf } from './library-media.rules.js';

const MEDIA_STATUSES = closedSet('MediaStatus', ['TRANSCODE_COMPLETED', 'TRANSCODE_FAILED', 'TRANSCODE_PENDING']);

const OF_MOVING = 'Only for videos and GIFs.';

export class LibraryMediaView {
  /** Key that cards and posts use to reference the media. */
  @ApiProperty({ type: String, example: '3_1790000000000001' }) @Unescaped() media_key: string;
  /** Media type. */
  @ApiProperty(enumSchema(MEDIA_TYPES)) media_type: MediaType;
  /** Category given at upload. */
  @ApiProperty(enumSchema(MEDIA_CATEGORIES)) media_category: MediaCategory;
  /** Whether the media can be displayed. Media in a library always can. */
  @ApiProperty(enumSchema(MEDIA_STATUSES)) media_status: (typeof MEDIA_STATUSES)[number];
  /** URL of the file. */
  @ApiProperty({ type: String, format: 'uri' }) media_url: string;
  /** The media's name. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** File name; empty if not set. */
  @ApiProperty() file_name: string;
  /** Whether a published post uses the media. */
  @ApiProperty() posted: boolean;
  /** Duration of a video in milliseconds; null for a GIF. */
  @ApiProperty({ type: 'integer', nullable: true, required: false, description: OF_MOVING }) duration?: number | null;
  /** Title. */
  @ApiProperty({ type: String, nullable: true, required: false, description: OF_MOVING }) title?: string | null;
  /** Description of the content. */
  @ApiProperty({ type: String, nullable: true, required: false, description: OF_MOVING }) description?: string | null;
  /** Aspect ratio. */
  @ApiProperty({ type: String, required: false, example: '16:9', description: OF_MOVING }) aspect_ratio?: string;
  /** Media key of the poster, the image shown before the video plays. Without it the poster is the first frame. */
  @ApiProperty({ type: String, required: false, description: OF_MOVING }) poster_media_key?: string;
  /** URL of the poster. */
  @ApiProperty({ type: String, format: 'uri', required: false, description: OF_MOVING }) poster_media_url?: string;
  /** Creation time. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** Time of the last update. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether the media is deleted. */
  @ApiProperty() deleted: boolean;
}

export const presentLibraryMedia =
  (urls: MediaUrls) =>
  (media: Row<LibraryMedia>): LibraryMediaView => {
    const view: LibraryMediaView = {
      media_key: media.mediaKey,
      media_type: media.mediaType,
      media_category: media.mediaCategory,
      media_status: 'TRANSCODE_COMPLETED',
      media_url: urls.of(media.file),
      name: media.name,
      file_name: media.fileName ?? '',
      posted: media.posted,
      created_at: wireTime(media.createdAt),
      updated_at: wireTime(media.updatedAt),
      deleted: media.deletedAt !== null,
    };
    if (media.mediaType === 'IMAGE') return view;
    view.duration = media.duration;
    view.title = media.title;
    view.description = media.description;
    view.aspect_ratio = aspectRatioOf(media.width, media.height);
    view.poster_media_key = media.posterMediaKey ?? posterKeyOf(media.mediaId);
    view.poster_media_url = urls.of(media.posterFile!);
    return view;
  };

const RECORDED = {
  view: LibraryMediaView,
  fields: ['media_key', 'media_type', 'name', 'file_name', 'title', 'description'],
};

recordAs(LIBRARY_MEDIA, RECORDED, ({ mediaKey, mediaType, name, fileName, title, description }) => ({
  media_key: mediaKey,
  media_type: mediaType,
  name,
  file_name: fileName ?? '',
  title,
  description,
}));
