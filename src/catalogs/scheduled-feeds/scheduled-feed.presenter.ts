import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { exactWireTime, wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  FEED_FORMATS,
  FEED_FREQUENCIES,
  FETCH_STATUSES,
  type FeedFormat,
  type FeedFrequency,
  type FetchStatus,
  type ScheduledFeed,
} from '../entities/scheduled-feed.entity.js';
import { ProductProblemView } from '../products/product.presenter.js';

const EXACT_TIME = { ...TIME, example: '2026-11-27T06:30:00.125Z' };
const COUNT = { type: 'integer' } as const;

/** A file with products that is fetched regularly. */
export class ScheduledFeedView {
  /** The id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id: string;
  /** The catalog that gets the products. */
  @ApiProperty(DECIMAL_ID) @Unescaped() product_catalog_id: string;
  /** The file. */
  @ApiProperty() feed_url: string;
  /** What the file is. */
  @ApiProperty(enumSchema(FEED_FORMATS)) @Unescaped() feed_format: FeedFormat;
  /** How often it is fetched. */
  @ApiProperty(enumSchema(FEED_FREQUENCIES)) @Unescaped() frequency: FeedFrequency;
  /** The weekday of WEEKLY, the number of hours of HOURLY; null for DAILY. */
  @ApiProperty({ type: String, nullable: true, example: 'MONDAY' }) repeat: string | null;
  /** When the first fetch of a day begins, as HH:MM. */
  @ApiProperty({ example: '06:30' }) start_time: string;
  /** The time zone of `start_time`. */
  @ApiProperty({ example: 'Europe/Berlin' }) time_zone: string;
  /** When it was created, with milliseconds. */
  @ApiProperty(EXACT_TIME) @Unescaped() created_at: string;
  /** When it was changed last, with milliseconds. */
  @ApiProperty(EXACT_TIME) @Unescaped() updated_at: string;
}

export const presentScheduledFeed = (feed: Row<ScheduledFeed>): ScheduledFeedView => ({
  id: feed.id,
  product_catalog_id: feed.catalogId,
  feed_url: feed.feedUrl,
  feed_format: feed.feedFormat,
  frequency: feed.frequency,
  repeat: feed.repeat,
  start_time: feed.startTime,
  time_zone: feed.timeZone,
  created_at: exactWireTime(feed.createdAt),
  updated_at: exactWireTime(feed.updatedAt),
});

/** How many rows have something wrong. */
export class FeedRejectionView {
  /** The code of the error. */
  @ApiProperty({ example: 'INVALID_PARAMETER' }) code: string;
  /** The attribute; null if the row as a whole is wrong. */
  @ApiProperty({ type: String, nullable: true, example: 'price' }) parameter: string | null;
  /** The number of rows. */
  @ApiProperty(COUNT) count: number;
}

/** A row that was not stored. */
@ApiExtraModels(ProductProblemView)
export class RejectedRowView {
  /** Its number: in CSV and TSV the header is row 1, in XML the first item is. */
  @ApiProperty(COUNT) row: number;
  /** The id of the product; null without one that can be read. */
  @ApiProperty({ type: String, nullable: true }) id: string | null;
  /** What is wrong. */
  @ApiProperty({ type: ProductProblemView, isArray: true }) errors: ProductProblemView[];
}

/** The last fetch of a feed. */
@ApiExtraModels(FeedRejectionView, RejectedRowView)
export class FeedFetchView {
  /** The feed. */
  @ApiProperty(DECIMAL_ID) @Unescaped() scheduled_feed_id: string;
  /** WAITING until the first fetch begins, or one that was requested. A file that is DONE may have rejected rows. */
  @ApiProperty(enumSchema(FETCH_STATUSES)) @Unescaped() status: FetchStatus;
  /** When the next fetch begins; null while one runs. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() next_fetch_at: string | null;
  /** When it began. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() started_at: string | null;
  /** When it ended. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() ended_at: string | null;
  /** Why it failed. What was stored before stays. */
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  /** Rows that were read. */
  @ApiProperty(COUNT) row_count: number;
  /** Products that are new. */
  @ApiProperty(COUNT) created_count: number;
  /** Rows that changed a product. */
  @ApiProperty(COUNT) updated_count: number;
  /** Rows whose product was stored as they are. */
  @ApiProperty(COUNT) unchanged_count: number;
  /** Rows that were not stored. */
  @ApiProperty(COUNT) rejected_count: number;
  /** Columns that are no attributes of products, at most 20. */
  @ApiProperty({ type: String, isArray: true }) ignored_columns: string[];
  /** What is wrong with rejected rows. A row may count several times. */
  @ApiProperty({ type: FeedRejectionView, isArray: true }) rejections: FeedRejectionView[];
  /** The first 100 rejected rows. */
  @ApiProperty({ type: RejectedRowView, isArray: true }) rejected_rows: RejectedRowView[];
}

export function presentFetch({ id, dueAt, claim, lastFetch }: Row<ScheduledFeed>, now: Date): FeedFetchView {
  // a claimed fetch begins with its first report; until then there is that of an earlier one
  const isDue = claim === null ? Date.parse(dueAt) <= now.getTime() : lastFetch?.status !== 'RUNNING';
  const waits = lastFetch === null || isDue;
  return {
    scheduled_feed_id: id,
    status: waits ? 'WAITING' : lastFetch.status,
    next_fetch_at: claim === null ? wireTime(dueAt) : null,
    started_at: wireTime(lastFetch?.startedAt ?? null),
    ended_at: wireTime(lastFetch?.endedAt ?? null),
    error: lastFetch?.error ?? null,
    row_count: lastFetch?.rows ?? 0,
    created_count: lastFetch?.created ?? 0,
    updated_count: lastFetch?.updated ?? 0,
    unchanged_count: lastFetch?.unchanged ?? 0,
    rejected_count: lastFetch?.rejected ?? 0,
    ignored_columns: lastFetch?.ignoredColumns ?? [],
    rejections: lastFetch?.rejections ?? [],
    rejected_rows: lastFetch?.rejectedRows ?? [],
  };
}
