import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** The words are those of Stripe. */
export const CLOCK_STATUSES = closedSet('TestClockStatus', ['ready', 'advancing', 'internal_failure']);
export type ClockStatus = (typeof CLOCK_STATUSES)[number];

/** Counts the test clocks of an application. */
export const COUNTED_CLOCKS = 'test clocks';
/** Maximum number of test clocks of an application. */
export const MAX_CLOCKS = 100;

/** A test clock of an application. Its accounts refer to it and have its time in their rows. */
@Entity('test_clocks')
@Index('test_clocks_of_application', ['applicationId', 'id'])
export class TestClock {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() applicationId: string;
  @TimestampColumn() createdAt: Date;
  /** The last progress. */
  @TimestampColumn() updatedAt: Date;
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar' }) status: ClockStatus;
  @TimestampColumn() frozenTime: Date;
  /** Where it advances to; null before the first time. */
  @TimestampColumn({ nullable: true }) targetTime: Date | null;
  /** The steps done since it began to advance. */
  @Column({ type: 'integer' }) done: number;
  /** The steps that were due when it began to advance. */
  @Column({ type: 'integer' }) total: number;
  /** Why it could not advance. */
  @Column({ type: 'varchar', nullable: true }) failure: string | null;
  /** The attempt that advances it. A worker that finds another one stops. */
  @Column({ type: 'varchar', nullable: true }) attempt: string | null;
}
