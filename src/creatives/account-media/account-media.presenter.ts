import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { ResourceView, Unescaped, presentResource } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import type { MediaUrls } from '../media-files/media-urls.js';
import { ACCOUNT_MEDIA, AccountMedia, CREATIVE_TYPES, type CreativeType } from './account-media.entity.js';

export class AccountMediaView extends ResourceView {
  /** Media key of an in-stream video; null for an image. */
  @ApiProperty({ type: String, nullable: true }) @Unescaped() video_id: string | null;
  /** URL of an image; null for a video. */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) media_url: string | null;
  /** Creative type: how the media is displayed. */
  @ApiProperty(enumSchema(CREATIVE_TYPES)) creative_type: CreativeType;
}

export const presentAccountMedia =
  (urls: MediaUrls) =>
  (media: Row<AccountMedia>): AccountMediaView => {
    const isVideo = media.creativeType === 'PREROLL' || media.creativeType === 'VAST_PREROLL';
    return presentResource(media, {
      video_id: isVideo ? media.mediaKey : null,
      media_url: isVideo ? null : urls.of(media.file),
      creative_type: media.creativeType,
    });
  };

const RECORDED = {
  view: AccountMediaView,
  fields: ['id', 'creative_type'],
  also: { media_key: { type: 'string', description: 'Media key of the media.' } },
};

recordAs(ACCOUNT_MEDIA, RECORDED, ({ id, mediaKey, creativeType }) => ({
  id,
  media_key: mediaKey,
  creative_type: creativeType,
}));
