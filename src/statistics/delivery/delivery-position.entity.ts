import { Entity } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** The end of the simulated delivery of an account. */
@Entity('delivery_positions')
@NotInSnapshots('the simulated delivery does not repeat hours')
export class DeliveryPosition {
  @IdColumn({ primary: true }) accountId: string;
  /** The beginning of the next hour to simulate. */
  @TimestampColumn() hour: Date;
}
