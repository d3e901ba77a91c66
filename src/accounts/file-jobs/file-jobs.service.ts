import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobStore, type ByteRange } from '../../common/blobs/blob-store.js';
import { changeCounters, countersOf, isLimitReached } from '../../common/db/counters/counters.js';
import { increasedBy } from '../../common/db/query/computed.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { insert, write, type Write } from '../../common/db/query/write.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import type { ServedBlob } from '../../common/http/answers/send-blob.js';
import type { JobAttempt } from '../../common/jobs/job.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Failures } from '../../common/jobs/failures.js';
import { Clock } from '../../common/time/clock.js';
import type { AccountReader, ActingAccount } from '../access/acting-account.js';
import { Account } from '../entities/account.entity.js';
import {
  FILE_KEPT_MS,
  fileKeyOf,
  folderOf,
  iso,
  LISTED_MS,
  loadHeaders,
  SETTLING_MS,
  tooManyJobs,
  type FileJob,
  type FileJobKind,
  type FileJobRow,
  type JobKey,
  type JobLoad,
} from './file-job.js';
import { dueJobs, endJob, endJobsOfAccount } from './file-jobs.statements.js';

/** The job was cancelled, has failed, or another worker has begun. */
class SupersededRun extends Error {}

/** A file while it is written. `isNeeded` throws when nobody needs the file any more. */
type ContentOf<T> = (job: Row<T>, isNeeded: () => Promise<void>) => Readable | Promise<Readable>;

const BATCH = 100;
/** One run of the upkeep does at most this much of each; the next one continues. */
const MAX_BATCHES = 50;

/** Jobs that write files: their creation, their workers and their upkeep. */
@Injectable()
export class FileJobs {
  private readonly logger = new Logger('FileJobs');

  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
  ) {}

  /** The number of unfinished jobs of an account, and its maximum. */
  async loadOf<T extends FileJob>({ counter }: FileJobKind<T>, { id, db }: AccountReader): Promise<JobLoad> {
    const counters = await countersOf(db, [id]);
    return counters.find(({ kind }) => kind === counter.kind) ?? { value: 0, limit: counter.limit };
  }

  /**
   * Stores a job and what else its statement stores, and raises the count of its account; 400 at the limit. A retry gives it
   * another id.
   */
  async create<T extends FileJob>(
    kind: FileJobKind<T>,
    account: ActingAccount,
    prepare: (now: Date) => Row<T>,
    alsoOf: (job: Row<T>) => Write | undefined = () => undefined,
  ): Promise<Row<T>> {
    const { id: accountId } = account;
    try {
      return await retrying(async () => {
        const job = prepare(this.clock.now());
        const also = alsoOf(job);
        const counted = changeCounters([{ ownerId: accountId, by: 1, ...kind.counter }]);
        await write(
          account.db,
          [insert(kind.entity, [job]), ...counted, ...(also ? [also] : [])],
          [exists(Account, { id: accountId }, () => accountNotFound(accountId))],
          { lockKey: accountId },
        );
        return job;
      });
    } catch (error) {
      if (!isLimitReached(error)) throw error;
      const load = await this.loadOf(kind, account);
      throw tooManyJobs(load.limit, loadHeaders({ ...load, value: load.limit }));
    }
  }

  /** Cancels a job; undefined if it has ended. */
  cancel<T extends FileJob>(kind: FileJobKind<T>, account: AccountReader, job: JobKey): Promise<Row<T> | undefined> {
    return endJob(account.db, kind, job, this.endNow('CANCELLED'));
  }

  /** The file of a job to serve; undefined without one, and after it has expired. */
  fileOf<T extends FileJob>(
    kind: FileJobKind<T>,
    job: Row<T> | undefined,
    contentType: string,
  ): ServedBlob | undefined {
    const { status, folder, size, sha256, expiresAt } = (job ?? {}) as Partial<FileJobRow>;
    const left = Math.floor((Date.parse(expiresAt ?? '') - this.clock.ms()) / 1_000);
    if (!job || status !== 'SUCCESS' || !folder || !(left > 0)) return undefined;
    return {
      size: size!,
      etag: sha256!,
      contentType,
      cacheControl: `private, max-age=${left}, immutable`,
      open: (range?: ByteRange) => this.store.open(fileKeyOf(kind, job), range),
    };
  }

  /**
   * Writes the file of a job and ends it. Each worker writes a file of its own, so that two of them do not change what the
   * other one has measured. What a killed worker leaves is deleted when the file expires.
   */
  async run<T extends FileJob>(
    kind: FileJobKind<T>,
    key: JobKey,
    { number, signal }: Pick<JobAttempt, 'number' | 'signal'>,
    { contentOf, contentType }: { contentOf: ContentOf<T>; contentType: (job: Row<T>) => string },
  ): Promise<void> {
    const [begun] = await this.unfinished(kind, key)
      .whereMoreThan('dueAt', iso(this.clock.ms()))
      .update({ attempt: increasedBy(1), status: 'PROCESSING' });
    if (!begun) return;
    const { attempt, id, accountId } = begun;
    const job = begun as Row<T>;
    const isNeeded = async () => {
      signal.throwIfAborted();
      if (!(await this.unfinished(kind, key).where('attempt', attempt).getExists())) throw new SupersededRun();
    };
    try {
      const fileKey = fileKeyOf(kind, job);
      const about = { contentType: contentType(job) };
      const { size, sha256 } = await this.store.put(fileKey, await contentOf(job, isNeeded), about);
      const now = this.clock.ms();
      const expiresAt = iso(now + FILE_KEPT_MS);
      const file = { size, sha256, expiresAt };
      const end = { status: 'SUCCESS', at: iso(now), dueAt: expiresAt, attempt, file } as const;
      if (!(await endJob(this.db.manager, kind, key, end))) await this.store.delete(fileKey);
    } catch (error) {
      if (error instanceof SupersededRun) return;
      const isForGood = isRefused(error) || number > kind.queue.retries;
      // a stopped worker returns the job to the queue
      if (!isForGood || signal.aborted) throw error;
      await endJob(this.db.manager, kind, key, { ...this.endNow('FAILED'), attempt });
      this.logger.warn(`The job ${id} of ${kind.folder} of the account ${accountId} failed: ${failureReasonOf(error)}`);
    }
  }

  /**
   * Fails jobs that take too long, deletes expired files, and removes jobs that are no longer listed. The store of the files
   * comes last, because it may be away.
   */
  async keepUp<T extends FileJob>(kind: FileJobKind<T>, signal?: AbortSignal): Promise<void> {
    const { manager } = this.db;
    await this.eachDue(kind, 'failure', signal, (job) => endJob(manager, kind, job, this.endNow('FAILED')));
    await this.eachDue(kind, 'removal', signal, (job) => this.rowsOf(kind, job).delete());
    await this.eachDue(kind, 'deletion of files', signal, async (job) => {
      await this.store.deleteBelow(folderOf(kind, job.folder!));
      const dueAt = iso(Date.parse(job.expiresAt ?? job.updatedAt) + LISTED_MS);
      await this.rowsOf(kind, job).update({ folder: null, dueAt });
    });
  }

  /** Ends the jobs of a deleted account; the next upkeep deletes the files of those that have succeeded. */
  endAllOf<T extends FileJob>(kind: FileJobKind<T>, accountId: string): Promise<void> {
    const { at, dueAt } = this.endNow('CANCELLED');
    return endJobsOfAccount(this.db.manager, kind, accountId, { at, dueAt });
  }

  private endNow<S extends 'CANCELLED' | 'FAILED'>(status: S) {
    const now = this.clock.ms();
    return { status, at: iso(now), dueAt: iso(now + SETTLING_MS) };
  }

  private async eachDue<T extends FileJob>(
    kind: FileJobKind<T>,
    what: Parameters<typeof dueJobs>[2],
    signal: AbortSignal | undefined,
    work: (job: FileJobRow) => Promise<unknown>,
  ): Promise<void> {
    const now = iso(this.clock.ms());
    const failures = new Failures(this.logger);
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const due = (await dueJobs(this.db.manager, kind, what, now, BATCH)) as FileJobRow[];
      for (const job of due) {
        if (signal?.aborted) return;
        try {
          await work(job);
        } catch (error) {
          failures.tolerate(`The ${what} of the job ${job.id} of ${kind.folder} failed`, error);
        }
      }
      if (due.length < BATCH) return;
    }
  }

  private rowsOf<T extends FileJob>({ entity }: FileJobKind<T>, { accountId, id }: JobKey): Rows<FileJob> {
    return rows<FileJob>(this.db.manager, entity).where('accountId', accountId).where('id', id);
  }

  private unfinished<T extends FileJob>(kind: FileJobKind<T>, key: JobKey): Rows<FileJob> {
    return this.rowsOf(kind, key).whereIn('status', kind.unfinished);
  }
}

/** True if the request cannot be answered any more, such as one for entities that a reset has removed. */
const isRefused = (error: unknown): boolean =>
  (error instanceof ApiErrors || error instanceof ApiError) && error.status < 500;
