import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { CREATIVE_TYPES, type CreativeType } from '../../creatives/account-media/account-media.entity.js';
import { ENTITY_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import { APPROVAL_STATUSES, statusOfShown, type ApprovalStatus } from '../shown-things.js';
import { MEDIA_CREATIVES, MediaCreative } from './media-creative.entity.js';

export class MediaCreativeView extends ResourceView {
  /** The line item that shows the media. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The landing page of an image. Null for an in-stream video and for an image without a landing page. */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) landing_url: string | null;
  /** The format in which the media is shown. */
  @ApiProperty(enumSchema(CREATIVE_TYPES)) @Unescaped() creative_type: CreativeType;
  /** Whether the media is shown while its line item serves. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** The account media. */
  @ApiProperty(ID) @Unescaped() account_media_id: string;
  /** The approval status. */
  @ApiProperty(enumSchema(APPROVAL_STATUSES)) @Unescaped() approval_status: ApprovalStatus;
}

export const presentMediaCreative = (creative: Row<MediaCreative>): MediaCreativeView =>
  present(MediaCreativeView, creative, {
    entity_status: statusOfShown(creative),
  });

recordAs(MEDIA_CREATIVES, MediaCreativeView, presentMediaCreative);
