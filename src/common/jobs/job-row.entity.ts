import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * An enqueued job: a row of pg-boss's table. The service sets these columns, the others have defaults. The migrations
 * with pg-boss's own schema create the table.
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
