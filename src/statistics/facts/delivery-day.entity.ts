import { Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { InSnapshots, RefersTo } from '../../common/entity/snapshots.js';
import {
  FACT_PLACEMENTS,
  PROMOTED_KINDS,
  RefersToPromoted,
  type FactPlacement,
  type PromotedKind,
} from '../../measurement/entities/conversion-fact.entity.js';
import { DeliveryCounts } from './delivery-counts.entity.js';

/** Until when the facts of an account are summed by day. Later facts are summed when somebody asks. */
@Entity('delivery_rollups')
@InSnapshots({ derived: true })
export class DeliveryRollup {
  @IdColumn({ primary: true }) accountId: string;
  /** The beginning of the first hour of a day in the time zone of the account. */
  @TimestampColumn() until: Date;
}

/**
 * The sum of the facts of a day in the time zone of the account, for one thing that a line item shows to one audience. The
 * table has the days before `DeliveryRollup.until` and is partitioned by `start`.
 */
@Entity('delivery_days')
@InSnapshots({ derived: true })
@Index('delivery_days_by_start', ['accountId', 'start'])
export class DeliveryDay extends DeliveryCounts {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) @RefersTo('line_items') lineItemId: string;
  /** The beginning of the first hour of the day, a whole hour in UTC. */
  @TimestampColumn({ primary: true }) start: Date;
  @WordColumn(FACT_PLACEMENTS, { primary: true }) placement: FactPlacement;
  /** The promoted post, the promoted account or the media creative. */
  @IdColumn({ primary: true }) @RefersToPromoted() promotedId: string;
  @IdColumn({ primary: true }) @RefersTo('delivery_audiences', { optional: true }) audienceId: string;
  @WordColumn(PROMOTED_KINDS) promotedKind: PromotedKind;
  /** The beginnings of the first and the last hour with a fact. */
  @TimestampColumn() firstHour: Date;
  @TimestampColumn() lastHour: Date;
}
