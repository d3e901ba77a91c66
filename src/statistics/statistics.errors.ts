import { ApiError } from '../common/errors/api-error.js';
import { defineErrors } from '../common/errors/error-codes.js';

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
