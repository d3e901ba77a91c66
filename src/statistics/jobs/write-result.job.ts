import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { iso, type JobKey } from '../../accounts/file-jobs/file-job.js';
import { FileJobs } from '../../accounts/file-jobs/file-jobs.service.js';
import { nextSlice } from '../../common/concurrency/in-slices.js';
import type { Row } from '../../common/db/query/rows.js';
import type { JobAttempt } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { swapJson } from '../../names/swap-json.js';
import { presentStatistics } from '../account-statistics/account-statistics.presenter.js';
import type { Series } from '../account-statistics/metrics.js';
import { segmentationOf } from '../account-statistics/segmentation.rules.js';
import {
  StatisticsReader,
  type AskedStatistics,
  type StatisticsStream,
} from '../account-statistics/statistics-reader.service.js';
import { RESULT_TYPE } from './result-files.service.js';
import type { StatisticsJob } from './statistics-job.entity.js';
import { presentParameters } from './statistics-job.presenter.js';
import { STATISTICS_FILES, WRITE_STATISTICS_RESULT } from './statistics-job.rules.js';

/** Writes the files of jobs. */
@Injectable()
export class WriteResultJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly files: FileJobs,
    private readonly jobs: Jobs,
    private readonly reader: StatisticsReader,
  ) {}

  onModuleInit(): void {
    this.jobs.work(WRITE_STATISTICS_RESULT, ({ accountId, jobId }, attempt) =>
      this.run({ accountId, id: jobId }, attempt),
    );
  }

  /** Writes the file of a job and ends it. */
  run(key: JobKey, attempt: Pick<JobAttempt, 'number' | 'signal'>): Promise<void> {
    const contentOf = (job: Row<StatisticsJob>, isNeeded: () => Promise<void>) =>
      this.contentOf(job, isNeeded, attempt.signal);
    return this.files.run(STATISTICS_FILES, key, attempt, { contentOf, contentType: () => RESULT_TYPE });
  }

  private contentOf(job: Row<StatisticsJob>, isNeeded: () => Promise<void>, signal: AbortSignal): Readable {
    const zipped: Transform = createGzip();
    // a failure of either reaches the store through the last one
    pipeline(Readable.from(this.textOf(job, isNeeded), { objectMode: false }), zipped, { signal }).catch(
      () => undefined,
    );
    return zipped;
  }

  private async *textOf(job: Row<StatisticsJob>, isNeeded: () => Promise<void>): AsyncGenerator<string> {
    const place = { timezone: job.timezone, now: new Date(job.askedAt) };
    const statistics = await this.reader.stream({ id: job.accountId, db: this.db.manager }, askedBy(job), place);
    yield* resultOf(job, { ...statistics, series: whileNeeded(statistics.series, isNeeded) });
  }
}

async function* whileNeeded(series: AsyncIterable<Series>, isNeeded: () => Promise<void>): AsyncGenerator<Series> {
  for await (const each of series) {
    await isNeeded();
    yield each;
  }
}

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
