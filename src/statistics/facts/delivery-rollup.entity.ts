import { Entity } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { InSnapshots } from '../../common/entity/snapshots.js';

/** Until when the facts of an account are summed by day. Later facts are summed when somebody asks. */
@Entity('delivery_rollups')
@InSnapshots()
export class DeliveryRollup {
  @IdColumn({ primary: true }) accountId: string;
  /** The beginning of the first hour of a day in the time zone of the account. */
  @TimestampColumn() until: Date;
}
