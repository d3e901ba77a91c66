import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, presentResource, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { CREATIVE_TYPES, type CreativeType } from '../../creatives/account-media/account-media.entity.js';
import { ENTITY_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import { APPROVAL_STATUSES, statusOfShown, type ApprovalStatus } from '../shown-things.js';
import type { MediaCreative } from './media-creative.entity.js';

export class MediaCreativeView extends ResourceView {
  /** The line item that shows it. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** Where an image leads; null for an in-stream video, and where nothing was said. */
  @ApiProperty({ type: String, format: 'uri', nullable: true }) landing_url: string | null;
  /** What it is shown as. */
  @ApiProperty(enumSchema(CREATIVE_TYPES)) @Unescaped() creative_type: CreativeType;
  /** Whether it is shown while its line item serves. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** The medium. */
  @ApiProperty(ID) @Unescaped() account_media_id: string;
  /** Whether it may be shown. */
  @ApiProperty(enumSchema(APPROVAL_STATUSES)) @Unescaped() approval_status: ApprovalStatus;
}

export const presentMediaCreative = (creative: Row<MediaCreative>): MediaCreativeView =>
  presentResource(creative, {
    line_item_id: creative.lineItemId,
    landing_url: creative.landingUrl,
    creative_type: creative.creativeType,
    entity_status: statusOfShown(creative),
    account_media_id: creative.accountMediaId,
    approval_status: creative.approvalStatus,
  });
