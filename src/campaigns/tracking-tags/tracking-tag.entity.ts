import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, TextColumn } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';

export const TRACKING_TAG_TYPES = closedSet('TrackingTagType', ['IMPRESSION_TAG', 'CLICK_TRACKER']);
export type TrackingTagType = (typeof TRACKING_TAG_TYPES)[number];

/** The places of a line item for tags of one type; their number is the limit. */
export const TAG_SLOTS = [1, 2, 3] as const;

/** The index that gives each place to one tag. */
const ONE_TAG_EACH = 'tracking_tags_slots';

/** A URL with which another service counts the impressions or the clicks of a line item. */
@Entity('tracking_tags')
@InSnapshots()
@Index('tracking_tags_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index('tracking_tags_of_line_item', ['accountId', 'lineItemId', 'id'])
@Index(ONE_TAG_EACH, ['accountId', 'lineItemId', 'trackingTagType', 'slot'], {
  unique: true,
  where: '"deletedAt" IS NULL',
})
export class TrackingTag extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @WordColumn(TRACKING_TAG_TYPES) trackingTagType: TrackingTagType;
  /** With the placeholders of an ad server it is no URI. */
  @TextColumn() trackingTagUrl: string;
  @Column({ type: 'smallint' }) slot: number;
}

/** Of concurrent requests for the same place, one gets it, and the others look for the next. */
export const TRACKING_TAGS = defineResource<TrackingTag>({
  entity: TrackingTag,
  name: 'TRACKING_TAG',
  label: 'Tracking Tag',
  parameter: 'tracking_tag_id',
  parents: (row) => [lineItemIsAlive(row)],
  uniques: [{ index: ONE_TAG_EACH, columns: ['slot'] }],
});
