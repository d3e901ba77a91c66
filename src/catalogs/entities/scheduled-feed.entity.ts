import { Column, Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { closedSet } from '../../common/values/closed-set.js';

export const FEED_FORMATS = closedSet('FeedFormat', ['CSV', 'TSV', 'XML']);
export type FeedFormat = (typeof FEED_FORMATS)[number];

export const FEED_FREQUENCIES = closedSet('FeedFrequency', ['HOURLY', 'DAILY', 'WEEKLY']);
export type FeedFrequency = (typeof FEED_FREQUENCIES)[number];

export const FETCH_STATUSES = closedSet('FeedFetchStatus', ['WAITING', 'RUNNING', 'DONE', 'FAILED']);
export type FetchStatus = (typeof FETCH_STATUSES)[number];

/** What is wrong with a row of a file. */
export interface RowProblem {
  code: string;
  message: string;
  /** The attribute; null if the row as a whole is wrong. */
  parameter: string | null;
}

/** The last fetch of a feed: how far it is, or how it ended. Times are ISO 8601. */
export interface FeedFetch {
  status: Exclude<FetchStatus, 'WAITING'>;
  startedAt: string;
  endedAt: string | null;
  /** Why it failed, as a sentence. */
  error: string | null;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Some columns that are no attributes of products. */
  ignoredColumns: string[];
  /** How often rows were rejected, by what is wrong with them. */
  rejections: { code: string; parameter: string | null; count: number }[];
  /** The first rejected rows. */
  rejectedRows: { row: number; id: string | null; errors: RowProblem[] }[];
}

/** A file with products that the service fetches regularly into a catalog. A catalog has at most one. */
@Entity('scheduled_feeds')
@Index('scheduled_feeds_catalog', ['catalogId'], { unique: true })
@Index('scheduled_feeds_due', ['dueAt'])
export class ScheduledFeed {
  @IdColumn({ primary: true }) id: string;
  @IdColumn() catalogId: string;
  @IdColumn() userId: string;
  @Column({ type: 'varchar' }) feedUrl: string;
  @WordColumn(FEED_FORMATS) feedFormat: FeedFormat;
  @WordColumn(FEED_FREQUENCIES) frequency: FeedFrequency;
  /** A weekday, or a number of hours; null for DAILY. */
  @Column({ type: 'varchar', nullable: true }) repeat: string | null;
  /** The local time, as HH:MM. */
  @Column({ type: 'varchar' }) startTime: string;
  @Column({ type: 'varchar' }) timeZone: string;
  /** When the next fetch begins. */
  @TimestampColumn() dueAt: Date;
  /** The claim of the fetch that runs. A fetch stores nothing once another claim, or none, stands here. */
  @Column({ type: 'varchar', nullable: true }) claim: string | null;
  /** When another process begins again. */
  @TimestampColumn({ nullable: true }) claimedUntil: Date | null;
  /** Fetches in a row that failed and may succeed later. */
  @Column({ type: 'integer' }) failures: number;
  @Column({ type: 'json', nullable: true }) lastFetch: FeedFetch | null;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
}
