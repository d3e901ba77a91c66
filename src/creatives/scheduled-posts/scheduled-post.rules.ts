import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalidTimeWindow, notAllowed } from '../../common/errors/catalogue.js';
import { scheduledPostLimitExceeded } from '../creatives.errors.js';
import type { ScheduledPost, ScheduledStatus } from '../entities/scheduled-post.entity.js';
import { MINUTE_MS } from '../../common/time/days.js';

/** Limit on a user's scheduled posts in any window of this many minutes. */
export const DENSITY_WINDOW_MINUTES = { minutes: 15, max: 30 };
export const DENSITY_WINDOW_MS = DENSITY_WINDOW_MINUTES.minutes * MINUTE_MS;

/** Context of the time rules. */
export interface Schedule {
  /** The requested minute; undefined if absent or unchanged. */
  time: string | undefined;
  /** Times of the user's other posts scheduled around it, in any account. */
  near: readonly string[];
  now: Date;
}

/** Sets the seconds to 00. */
export const wholeMinute = (time: string): string =>
  new Date(Math.floor(new Date(time).getTime() / MINUTE_MS) * MINUTE_MS).toISOString();

/** The requested minute; undefined if unchanged. */
export function newTime(sent: string | undefined, before?: string): string | undefined {
  const time = sent === undefined ? undefined : wholeMinute(sent);
  const isSame = time !== undefined && before !== undefined && new Date(time).getTime() === new Date(before).getTime();
  return isSame ? undefined : time;
}

/** Status of a scheduled post, including deleted ones. */
export const statusOf = ({ deletedAt, scheduledStatus }: Row<ScheduledPost>): ScheduledStatus =>
  deletedAt === null ? scheduledStatus : 'DELETED';

/** Validates a new time. */
export function scheduleProblems({ time, near, now }: Schedule): ApiError[] {
  if (time === undefined) return [];
  const isFull = exceedsScheduleDensity(near, time);
  return [
    ...timeProblems(time, now),
    ...(isFull ? [scheduledPostLimitExceeded(DENSITY_WINDOW_MINUTES.max, DENSITY_WINDOW_MINUTES.minutes)] : []),
  ];
}

/** Rejects times in the past or more than a year ahead. */
export function timeProblems(scheduledAt: string, now: Date): ApiError[] {
  const at = new Date(scheduledAt);
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + 1);
  if (at > now && at <= last) return [];
  const message = at > now ? 'scheduled_at must be at most one year ahead' : 'scheduled_at must be in a future minute';
  return [invalidTimeWindow('scheduled_at', message, scheduledAt)];
}

/** Whether one more post scheduled at `at` would exceed the limit within any fifteen minutes. */
export function exceedsScheduleDensity(others: readonly string[], at: string): boolean {
  const own = new Date(at).getTime();
  const near = others
    .map((time) => new Date(time).getTime())
    .filter((time) => Math.abs(time - own) < DENSITY_WINDOW_MS)
    .concat(own)
    .sort((a, b) => a - b);
  // if any window exceeds the limit, so does one that begins with its first post
  return near.some((start, i) => {
    const last = near[i + DENSITY_WINDOW_MINUTES.max];
    return start <= own && last !== undefined && last - start < DENSITY_WINDOW_MS;
  });
}

/** Whether its minute has come and it is still unprocessed. */
export const isDue = ({ scheduledStatus, scheduledAt, deletedAt }: Row<ScheduledPost>, now: Date): boolean =>
  scheduledStatus === 'SCHEDULED' && deletedAt === null && new Date(scheduledAt) <= now;

/** Rejects changes of posts that are published, failed or due. */
export function lockedProblems(scheduled: Row<ScheduledPost>, now: Date): ApiError[] {
  const { scheduledStatus: status, scheduledAt } = scheduled;
  if (status === 'SCHEDULED' && new Date(scheduledAt) > now) return [];
  const why = status === 'SCHEDULED' ? 'is going live' : `is ${status}`;
  return [
    notAllowed(`Scheduled Post ${scheduled.id} ${why} and cannot be changed`, { parameter: 'scheduled_post_id' }),
  ];
}

/** Rejects deletion of a published one, which would not remove the published post. */
export function undeletableProblems({ id, scheduledStatus }: Row<ScheduledPost>): ApiError[] {
  if (scheduledStatus !== 'SUCCESS') return [];
  return [notAllowed(`Scheduled Post ${id} is SUCCESS and cannot be deleted`, { parameter: 'scheduled_post_id' })];
}
