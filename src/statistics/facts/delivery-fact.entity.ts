import { Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { InSnapshots, PostId, RefersTo } from '../../common/entity/snapshots.js';
import {
  FACT_PLACEMENTS,
  PROMOTED_KINDS,
  RefersToPromoted,
  type FactPlacement,
  type PromotedKind,
} from '../../measurement/entities/conversion-fact.entity.js';
import { DeliveryCounts } from './delivery-counts.entity.js';

/**
 * The counts of an hour for one thing that a line item shows. Every figure of statistics is a sum of these rows. The
 * table is partitioned by `hour`.
 */
@Entity('delivery_facts')
@InSnapshots()
@Index('delivery_facts_by_hour', ['accountId', 'hour'])
export class DeliveryFact extends DeliveryCounts {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) @RefersTo('line_items') lineItemId: string;
  /** The beginning of the hour, a whole hour in UTC. */
  @TimestampColumn({ primary: true }) hour: Date;
  @WordColumn(FACT_PLACEMENTS, { primary: true }) placement: FactPlacement;
  /** The promoted post, the promoted account or the media creative. */
  @IdColumn({ primary: true }) @RefersToPromoted() promotedId: string;
  @WordColumn(PROMOTED_KINDS) promotedKind: PromotedKind;
  @IdColumn() @RefersTo('campaigns') campaignId: string;
  @IdColumn() @RefersTo('funding_instruments') fundingInstrumentId: string;
  /** The post that was shown; null if none was. */
  @IdColumn({ nullable: true }) @PostId() postId: string | null;
  /** The audience that the line item targeted. Empty for facts that were stored before audiences were. */
  @IdColumn({ default: '' }) @RefersTo('delivery_audiences', { optional: true }) audienceId: string;
}
