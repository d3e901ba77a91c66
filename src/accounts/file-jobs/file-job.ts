import type { Type } from '@nestjs/common';
import { Column } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { ApiError } from '../../common/errors/api-error.js';
import { defineErrors } from '../../common/errors/error-codes.js';
import type { Job } from '../../common/jobs/job.js';
import { DAY_MS, HOUR_MS } from '../../common/time/days.js';

/** A job that takes longer fails. */
export const MAX_PROCESSING_MS = HOUR_MS;
/** A worker that has begun before the end of a job writes no file after this time. */
export const SETTLING_MS = HOUR_MS;
/** The time in which clients can fetch a file. */
export const FILE_KEPT_MS = 2 * DAY_MS;
/** The time for which a job is listed without a file. */
export const LISTED_MS = 30 * DAY_MS;

/** How a job has ended. */
export type EndStatus = 'SUCCESS' | 'FAILED' | 'CANCELLED';

/**
 * A request of an account that a background job answers with a file. Its times are those of the service, also in accounts with a
 * test clock.
 */
export abstract class FileJob {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) id: string;
  abstract status: string;
  /** The number of workers that have begun. Each writes a file of its own, and only that of the last one counts. */
  @Column({ type: 'integer' }) attempt: number;
  /** The random name of the folder of the files; null when they are deleted. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) folder: string | null;
  /** The size of the file in bytes, and its SHA-256 in hexadecimal; null without one. */
  @Column({ type: 'bigint', nullable: true }) size: number | null;
  @Column({ type: 'varchar', nullable: true }) sha256: string | null;
  /** When the file expires; null unless the job has succeeded. */
  @TimestampColumn({ nullable: true }) expiresAt: Date | null;
  /** When the job fails if it has not ended; afterwards, when its files are deleted, and then its row. */
  @TimestampColumn() dueAt: Date;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
}

/** The columns of a job that its creation, its workers and its upkeep change. */
export type FileJobRow = Row<FileJob>;

/** Jobs of a table that write files of one kind. */
export interface FileJobKind<T extends FileJob> {
  /** The table. Its index `dueAt` finds what is due. */
  entity: Type<T>;
  /** The statuses of jobs that have not ended. A worker sets PROCESSING. */
  unfinished: readonly [string, ...string[]];
  /** The counter of the unfinished jobs of an account, and the limit of an account without one. */
  counter: { kind: string; limit: number };
  /** The queue. */
  queue: Job<{ accountId: string; jobId: string }>;
  /** The folder of the store with the files, and the ending of each file. */
  folder: string;
  extensionOf: (job: Row<T>) => string;
}

/** The account of a job, and its id. */
export type JobKey = Pick<FileJobRow, 'accountId' | 'id'>;

/** The key below which the files of a job are, one for each worker. */
export const folderOf = ({ folder }: { folder: string }, name: string): string => `${folder}/${name}`;

/** The key of the file that the last worker of a job writes. */
export const fileKeyOf = <T extends FileJob>(kind: FileJobKind<T>, job: Row<T>): string => {
  const { folder, attempt } = job as FileJobRow;
  return `${folderOf(kind, folder!)}/${attempt}.${kind.extensionOf(job)}`;
};

/** The number of unfinished jobs of an account, and its maximum. */
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

/** 400, whereas the code usually is 403: roles do not matter here. `named`: the word of the job, and its parameter. */
export const jobHasEnded = (named: { word: string; parameter: string }, id: string, status: string) =>
  new ApiError(400, 'ACTION_NOT_ALLOWED', `${named.word} ${id} is ${status} and cannot be cancelled`, {
    parameter: named.parameter,
    value: id,
  });
