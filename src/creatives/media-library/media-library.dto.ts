import { Example } from '../../common/http/params/dto-metadata.js';
import { OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MEDIA_TYPES, type MediaType } from '../entities/media.entity.js';
import { LibraryMedia } from '../entities/library-media.entity.js';

export class ListMediaLibrary extends ListQuery(LibraryMedia, { count: 20, max: 50 }) {
  /** Type of the media to return. */
  @OneOf(MEDIA_TYPES, { optional: true }) media_type?: MediaType;
  /** Words to find in name, title, file name or description, case-insensitive. The media must contain all of them. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
}

@Example({ name: 'Autumn', title: 'Beans of the season' })
export class UpdateLibraryMedia {
  /** Description of a video's content. Videos only. A post shows it only as its `video_description`. */
  @Text({ nullable: true, max: 200 }) description?: string | null;
  /** File name. */
  @Text({ nullable: true, max: 255 }) file_name?: string | null;
  /** The media's name. */
  @Text({ visible: true, nullable: true, max: 100 }) name?: string | null;
  /** Media key of the poster, a library image shown before a video plays. Defaults to the first frame. Videos only. */
  @Text({ nullable: true, max: 100, matching: MEDIA_KEY }) poster_media_key?: string | null;
  /** Title of a video. Videos only. A post shows it only as its `video_title`. */
  @Text({ nullable: true, max: 70 }) title?: string | null;
}

@Example({ media_key: '{media_key_image}', name: 'Autumn' })
export class AddLibraryMedia extends UpdateLibraryMedia {
  /** Media key that the upload with a `media_category` returned. */
  @Text({ max: 100, matching: MEDIA_KEY }) media_key: string;
}
