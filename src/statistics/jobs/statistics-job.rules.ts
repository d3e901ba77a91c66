import { ApiError } from '../../common/errors/api-error.js';
import { defineErrors } from '../../common/errors/error-codes.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';
import { MAX_WINDOW_DAYS } from '../account-statistics/statistics-window.rules.js';

/** A job that takes longer fails. */
export const MAX_PROCESSING_MS = HOUR_MS;
/** A worker that has begun before the end of a job writes no file after this time. */
export const SETTLING_MS = HOUR_MS;
/** The time in which clients can fetch a file. */
export const FILE_KEPT_MS = 2 * DAY_MS;
/** The time for which a job is listed without a file. */
export const LISTED_MS = 30 * DAY_MS;

/** The maximum time range of a job, in days. */
export const maxDaysOf = (isSegmented: boolean): number =>
  isSegmented ? MAX_WINDOW_DAYS.segmentedJob : MAX_WINDOW_DAYS.job;

/** The number of processing jobs of an account, and its maximum. */
export interface JobLoad {
  value: number;
  limit: number;
}

/** The headers in which responses have it. */
export const loadHeaders = ({ value, limit }: JobLoad): Record<string, string> => ({
  'x-concurrent-job-limit': String(limit),
  'x-concurrent-job-limit-remaining': String(Math.max(limit - value, 0)),
});

/** A time in milliseconds as it is stored. */
export const iso = (ms: number): string => new Date(ms).toISOString();

const error = defineErrors({ TOO_MANY_JOBS: 400 });

/** `headers`: how many jobs of the account may process at once, and how many more. */
export const tooManyJobs = (limit: number, headers: Record<string, string>) =>
  error(
    'TOO_MANY_JOBS',
    `A maximum of ${limit} jobs can be in processing state`,
    { details: 'wait until some of them have ended, or cancel some' },
    headers,
  );

/** 400, whereas the code usually is 403: roles do not matter here. */
export const jobHasEnded = (id: string, status: string) =>
  new ApiError(400, 'ACTION_NOT_ALLOWED', `Job ${id} is ${status} and cannot be cancelled`, {
    parameter: 'job_id',
    value: id,
  });
