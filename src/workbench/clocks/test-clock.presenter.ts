import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { CLOCK_STATUSES, type ClockStatus, type TestClock } from './test-clock.entity.js';

/** How far a test clock has advanced. */
export class ClockProgressView {
  /** The number of posts and audiences that it has processed. */
  @ApiProperty({ type: 'integer', example: 400 }) done: number;
  /** The number that it knows of: those that were due when it began, and others that became due since. */
  @ApiProperty({ type: 'integer', example: 1000 }) total: number;
}

/** A test clock: the time of its accounts. */
export class TestClockView {
  /** The sandbox accounts whose time it freezes, in the order of their ids. */
  @ApiProperty({ type: [String], example: ['2k0hx5m1q9zta'] }) account_ids: string[];
  /** When the clock was created, in the time of the service. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** Why it could not advance; null unless the status is `internal_failure`. */
  @ApiProperty({ type: String, nullable: true, example: null }) failure: string | null;
  /** The current time of its accounts. While it advances, the time that it has reached. */
  @ApiProperty({ ...TIME, example: '2026-12-30T08:00:00Z' }) @Unescaped() frozen_time: string;
  /** The id of the clock. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** Its name. */
  @ApiProperty({ example: 'End of the quarter' }) name: string;
  /** How far it has advanced the last time; null before the first time. */
  @ApiProperty({ type: ClockProgressView, nullable: true }) progress: ClockProgressView | null;
  /** `advancing` until it reaches `target_time`; `internal_failure` if it could not: then it can be advanced again. */
  @ApiProperty(enumSchema(CLOCK_STATUSES)) @Unescaped() status: ClockStatus;
  /** Where it advances to, or advanced to the last time; null before the first time. */
  @ApiProperty({ ...TIME, nullable: true, example: '2026-12-30T08:00:00Z' }) target_time: string | null;
}

/** A test clock with its accounts. */
export interface ClockWithAccounts {
  clock: Row<TestClock>;
  accountIds: string[];
}

/** The result of a deletion. */
export class ClockDeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}

export const presentClock = ({ clock, accountIds }: ClockWithAccounts): TestClockView => ({
  account_ids: accountIds,
  created_at: wireTime(clock.createdAt),
  failure: clock.failure,
  frozen_time: wireTime(clock.frozenTime),
  id: clock.id,
  name: clock.name,
  progress: clock.targetTime === null ? null : { done: clock.done, total: Math.max(clock.total, clock.done) },
  status: clock.status,
  target_time: clock.targetTime && wireTime(clock.targetTime),
});
