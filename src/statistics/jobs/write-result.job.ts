import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { increasedBy } from '../../common/db/query/computed.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { defineJob, type JobAttempt } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import type { Series } from '../account-statistics/metrics.js';
import {
  StatisticsReader,
  type AskedStatistics,
  type StatisticsStream,
} from '../account-statistics/statistics-reader.service.js';
import { RESULT_TYPE, resultKey } from './result-files.service.js';
import { StatisticsJob } from './statistics-job.entity.js';
import { FILE_KEPT_MS, iso, SETTLING_MS } from './statistics-job.rules.js';
import { endJob, type JobKey } from './statistics-jobs.statements.js';
import { sliceYielder } from '../../common/concurrency/in-slices.js';
import { swapJson } from '../../names/swap-json.js';
import { presentStatistics } from '../account-statistics/account-statistics.presenter.js';
import { segmentationOf } from '../account-statistics/segmentation.rules.js';
import { presentParameters } from './statistics-job.presenter.js';

/** The timeout is far below the hour after which a job fails, so that another worker can take over from a killed one. */
export const WRITE_STATISTICS_RESULT = defineJob<{ accountId: string; jobId: string }>('write-statistics-result', {
  timeoutSeconds: 600,
  retries: 8,
  concurrency: 2,
  turnsBy: 'accountId',
});

/** The job was cancelled, has failed, or another worker has begun. */
class SupersededRun extends Error {}

/** Writes the files of jobs. */
@Injectable()
export class WriteResultJob implements OnModuleInit {
  private readonly logger = new Logger('StatisticsJobs');

  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly reader: StatisticsReader,
  ) {}

  onModuleInit(): void {
    this.jobs.work(WRITE_STATISTICS_RESULT, ({ accountId, jobId }, attempt) =>
      this.run({ accountId, id: jobId }, attempt),
    );
  }

  /**
   * Writes the file of a job and ends it. Each worker writes a file of its own, so that two of them do not change what the
   * other one has measured. What a killed worker leaves is deleted when the file expires.
   */
  async run(key: JobKey, { number, signal }: Pick<JobAttempt, 'number' | 'signal'>): Promise<void> {
    const [job] = await this.processing(key)
      .whereMoreThan('dueAt', iso(this.clock.ms()))
      .update({ attempt: increasedBy(1) });
    if (!job) return;
    try {
      await this.finish(job, signal);
    } catch (error) {
      if (error instanceof SupersededRun) return;
      const isForGood = isRefused(error) || number > WRITE_STATISTICS_RESULT.retries;
      // a stopped worker returns the job to the queue
      if (!isForGood || signal.aborted) throw error;
      await this.fail(job);
      this.logger.warn(
        `The statistics job ${job.id} of the account ${job.accountId} failed: ${failureReasonOf(error)}`,
      );
    }
  }

  private async finish(job: Row<StatisticsJob>, signal: AbortSignal): Promise<void> {
    const { size, sha256 } = await this.store.put(resultKey(job), this.contentOf(job, signal), {
      contentType: RESULT_TYPE,
    });
    const now = this.clock.ms();
    const expiresAt = iso(now + FILE_KEPT_MS);
    const ended = await endJob(this.db.manager, job, {
      status: 'SUCCESS',
      at: iso(now),
      dueAt: expiresAt,
      attempt: job.attempt,
      file: { size, sha256, expiresAt },
    });
    if (!ended) await this.store.delete(resultKey(job));
  }

  private async fail(job: Row<StatisticsJob>): Promise<void> {
    const now = this.clock.ms();
    const end = { status: 'FAILED', at: iso(now), dueAt: iso(now + SETTLING_MS) } as const;
    await endJob(this.db.manager, job, { ...end, attempt: job.attempt });
  }

  /** The file, while it is written. It fails when nobody needs it any more. */
  private contentOf(job: Row<StatisticsJob>, signal: AbortSignal): Readable {
    const zipped: Transform = createGzip();
    // a failure of either reaches the store through the last one
    pipeline(Readable.from(this.textOf(job, signal), { objectMode: false }), zipped, { signal }).catch(() => undefined);
    return zipped;
  }

  private async *textOf(job: Row<StatisticsJob>, signal: AbortSignal): AsyncGenerator<string> {
    const place = { timezone: job.timezone, now: new Date(job.askedAt) };
    const statistics = await this.reader.stream({ id: job.accountId, db: this.db.manager }, askedBy(job), place);
    yield* resultOf(job, { ...statistics, series: this.whileNeeded(job, statistics.series, signal) });
  }

  private async *whileNeeded(
    job: Row<StatisticsJob>,
    series: AsyncIterable<Series>,
    signal: AbortSignal,
  ): AsyncGenerator<Series> {
    for await (const each of series) {
      signal.throwIfAborted();
      if (!(await this.processing(job).where('attempt', job.attempt).getExists())) throw new SupersededRun();
      yield each;
    }
  }

  private processing({ accountId, id }: JobKey): Rows<StatisticsJob> {
    return rows(this.db.manager, StatisticsJob)
      .where('accountId', accountId)
      .where('id', id)
      .whereLiteral('status', 'PROCESSING');
  }
}

/** True if the request cannot be answered any more, such as one for entities that a reset has removed. */
const isRefused = (error: unknown): boolean =>
  (error instanceof ApiErrors || error instanceof ApiError) && error.status < 500;

/** The statistics of a job. */
const askedBy = (job: Row<StatisticsJob>): AskedStatistics => ({
  entity: job.entity,
  entity_ids: job.entityIds,
  start_time: iso(Date.parse(job.startTime)),
  end_time: iso(Date.parse(job.endTime)),
  granularity: job.granularity,
  metric_groups: job.metricGroups,
  placement: job.placement,
  segmentation: segmentationOf({
    entity: job.entity,
    metric_groups: job.metricGroups,
    segmentation_type: job.segmentationType ?? undefined,
    country: job.country ?? undefined,
    platform: job.platform ?? undefined,
  }),
});

/**
 * The JSON of a file in pieces: what the synchronous endpoint returns for the same parameters, in the vocabulary of the
 * job. It has one entity in memory at a time, and one segment as text.
 */
async function* resultOf(
  job: Row<StatisticsJob>,
  { length, metrics, series }: StatisticsStream,
): AsyncGenerator<string> {
  const written = (value: unknown) => JSON.stringify(job.names === 'x' ? swapJson(value) : value);
  const present = presentStatistics(metrics);
  yield `{"data_type":"stats","time_series_length":${length},"data":[`;
  const nextSlice = sliceYielder();
  let separator = '';
  for await (const each of series) {
    const { id, parts } = each;
    yield `${separator}{"id":${JSON.stringify(id)},"id_data":[`;
    for (const [i, part] of parts.entries()) {
      await nextSlice();
      const [presented] = present({ id, parts: [part] }).id_data;
      yield `${i === 0 ? '' : ','}${written(presented)}`;
    }
    yield ']}';
    separator = ',';
  }
  yield `],"request":${written({ params: { ...presentParameters(job), account_id: job.accountId } })}}`;
}
