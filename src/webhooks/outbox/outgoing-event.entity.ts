import { Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/**
 * That something happened which webhooks want to hear of. It names the record of the change instead of repeating it, and
 * is written with it; ids grow with time, so undelivered ones are read in their order.
 */
@Entity('outgoing_events')
@Index(['accountId', 'id'])
export class OutgoingEvent {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() accountId: string;
  @IdColumn() changeId: string;
  @TimestampColumn() createdAt: Date;
}
