import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A job as it is enqueued: a row of pg-boss's table, of which these columns are ours to fill and the others have defaults.
 * The table belongs to the migrations that carry pg-boss's own schema.
 */
@Entity('job', { schema: 'pgboss', synchronize: false })
export class JobRow {
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @PrimaryColumn({ type: 'text' }) name: string;
  @Column({ type: 'jsonb' }) data: object;
  @Column({ type: 'integer' }) priority: number;
  @Column({ type: 'integer' }) retry_limit: number;
  /** Seconds. */
  @Column({ type: 'integer' }) retry_delay: number;
  @Column({ type: 'boolean' }) retry_backoff: boolean;
  @Column({ type: 'interval' }) expire_in: string;
  @Column({ type: 'timestamptz' }) start_after: Date;
}
