import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';

/** The classes of statuses that are counted, by their first digit. */
export const CLASSES = [2, 3, 4, 5] as const;
/** Upper bounds of the latencies that are counted together, in milliseconds; a last count has the longer ones. */
export const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] as const;
/** Number of counts of a minute. */
export const COUNTS = CLASSES.length + BOUNDS.length + 1;

/** How often an application called the service in a minute, at all replicas together. Kept for a day. */
@Entity('request_minutes')
@Index('request_minutes_by_time', ['minute'])
export class RequestMinute {
  @IdColumn({ primary: true }) applicationId: string;
  @PrimaryColumn({ type: 'timestamptz', precision: 3 }) minute: Date;
  /** Requests by class of status, and then by latency. */
  @Column({ type: 'int', array: true }) counts: number[];
}
