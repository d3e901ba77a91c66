import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, UrlColumn } from '../../common/entity/snapshots.js';
import { CREATIVE_TYPES, type CreativeType } from '../../creatives/account-media/account-media.entity.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../shown-things.js';

/** The index that lets a line item show each media only once. */
const MEDIUM_ONCE = 'media_creatives_once';

/** Media that a line item shows without a post: an image on the partner network or an in-stream video. */
@Entity('media_creatives')
@InSnapshots()
@Index('media_creatives_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['campaignId', 'id'])
@Index(['lineItemId', 'id'])
@Index('media_creatives_of_media', ['accountMediaId', 'accountId'])
@Index(MEDIUM_ONCE, ['accountId', 'lineItemId', 'accountMediaId'], { unique: true, where: '"deletedAt" IS NULL' })
export class MediaCreative extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  /** The campaign of the line item. It never changes. */
  @IdColumn() @RefersTo('campaigns') campaignId: string;
  @IdColumn() @RefersTo('account_media') accountMediaId: string;
  /** The creative type of the media. It never changes. */
  @WordColumn(CREATIVE_TYPES) creativeType: CreativeType;
  /** The landing page of an image; null for videos. */
  @UrlColumn({ nullable: true }) landingUrl: string | null;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @WordColumn(APPROVAL_STATUSES) approvalStatus: ApprovalStatus;
}

/** A concurrent second request with the same media finds the first row. */
export const MEDIA_CREATIVES = defineResource<MediaCreative>({
  entity: MediaCreative,
  name: 'MEDIA_CREATIVE',
  label: 'Media Creative',
  parameter: 'media_creative_id',
  uniques: [{ index: MEDIUM_ONCE, columns: ['lineItemId', 'accountMediaId'] }],
});
