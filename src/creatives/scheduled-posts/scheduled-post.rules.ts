import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalidTimeWindow, notAllowed } from '../../common/errors/catalogue.js';
import { scheduledPostLimitExceeded } from '../creatives.errors.js';
import type { ScheduledPost, ScheduledStatus } from '../entities/scheduled-post.entity.js';

const MINUTE_MS = 60_000;

/** At most so many posts of a user are scheduled in any stretch of so many minutes. */
export const WINDOW = { minutes: 15, most: 30 };
export const WINDOW_MS = WINDOW.minutes * MINUTE_MS;

/** What the rules of its time ask for besides the request. */
export interface Schedule {
  /** The minute that was sent; undefined where none was, or the one that is stored. */
  time: string | undefined;
  /** When other posts of the user are scheduled around it, in whatever account. */
  near: readonly string[];
  now: Date;
}

/** Seconds are set to 00. */
export const wholeMinute = (time: string): string =>
  new Date(Math.floor(new Date(time).getTime() / MINUTE_MS) * MINUTE_MS).toISOString();

/** The minute that was sent; undefined where it is that of before. */
export function newTime(sent: string | undefined, before?: string): string | undefined {
  const time = sent === undefined ? undefined : wholeMinute(sent);
  const isSame = time !== undefined && before !== undefined && new Date(time).getTime() === new Date(before).getTime();
  return isSame ? undefined : time;
}

/** How it stands with a scheduled post, deleted ones included. */
export const statusOf = ({ deletedAt, scheduledStatus }: Row<ScheduledPost>): ScheduledStatus =>
  deletedAt === null ? scheduledStatus : 'DELETED';

/** What is wrong with a new time. */
export function scheduleProblems({ time, near, now }: Schedule): ApiError[] {
  if (time === undefined) return [];
  const isFull = exceedsScheduleDensity(near, time);
  return [...timeProblems(time, now), ...(isFull ? [scheduledPostLimitExceeded(WINDOW.most, WINDOW.minutes)] : [])];
}

/** Not in the past, and at most a year ahead. */
export function timeProblems(scheduledAt: string, now: Date): ApiError[] {
  const at = new Date(scheduledAt);
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + 1);
  if (at > now && at <= last) return [];
  const message =
    at > now ? 'scheduled_at must be at most one year ahead' : 'scheduled_at must be in a minute that has not begun';
  return [invalidTimeWindow('scheduled_at', message, scheduledAt)];
}

/** Whether there would be too many within fifteen minutes, were one more scheduled at `at` beside the others. */
export function exceedsScheduleDensity(others: readonly string[], at: string): boolean {
  const own = new Date(at).getTime();
  const near = others
    .map((time) => new Date(time).getTime())
    .filter((time) => Math.abs(time - own) < WINDOW_MS)
    .concat(own)
    .sort((a, b) => a - b);
  // where any window is too full, so is one that begins with its first post
  return near.some((start, i) => {
    const last = near[i + WINDOW.most];
    return start <= own && last !== undefined && last - start < WINDOW_MS;
  });
}

/** Whether its minute has come, and nothing has become of it yet. */
export const isDue = ({ scheduledStatus, scheduledAt, deletedAt }: Row<ScheduledPost>, now: Date): boolean =>
  scheduledStatus === 'SCHEDULED' && deletedAt === null && new Date(scheduledAt) <= now;

/** What went live, or failed to, stays as it is; and so does what is about to. */
export function closedProblems(scheduled: Row<ScheduledPost>, now: Date): ApiError[] {
  const { scheduledStatus: status, scheduledAt } = scheduled;
  if (status === 'SCHEDULED' && new Date(scheduledAt) > now) return [];
  const why = status === 'SCHEDULED' ? 'is going live' : `is ${status}`;
  return [
    notAllowed(`Scheduled Post ${scheduled.id} ${why} and cannot be changed`, { parameter: 'scheduled_post_id' }),
  ];
}

/** What went live is not undone by deleting what it was before. */
export function undeletableProblems({ id, scheduledStatus }: Row<ScheduledPost>): ApiError[] {
  if (scheduledStatus !== 'SUCCESS') return [];
  return [notAllowed(`Scheduled Post ${id} is SUCCESS and cannot be deleted`, { parameter: 'scheduled_post_id' })];
}
