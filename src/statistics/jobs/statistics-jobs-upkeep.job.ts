import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { resultFolder } from './result-files.service.js';
import { StatisticsJob } from './statistics-job.entity.js';
import { iso, LISTED_MS, SETTLING_MS } from './statistics-job.rules.js';
import { dueJobs, endJob } from './statistics-jobs.statements.js';

/** No retries: the next run starts in a minute. */
const STATISTICS_JOBS_UPKEEP = defineJob('statistics-jobs-upkeep', { timeoutSeconds: 120, retries: 0 });

const BATCH = 100;
/** One run does at most this much of each; the next one continues. */
const MAX_BATCHES = 50;

/** Fails jobs that take too long, deletes expired files, and removes jobs that are no longer listed. */
@Injectable()
export class StatisticsJobsUpkeepJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(STATISTICS_JOBS_UPKEEP, (_, { signal }) => this.carryOut(signal));
    this.jobs.schedule(STATISTICS_JOBS_UPKEEP, { everySeconds: 60 });
  }

  /** Does what is due. The store of the files comes last, because it may be away. */
  async carryOut(signal?: AbortSignal): Promise<void> {
    await this.eachDue('failure', (job) => this.fail(job), signal);
    await this.eachDue('removal', (job) => this.remove(job), signal);
    await this.eachDue('deletion of files', (job) => this.deleteFiles(job), signal);
  }

  private async eachDue(
    what: Parameters<typeof dueJobs>[1],
    work: (job: Row<StatisticsJob>) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const now = iso(this.clock.ms());
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const due = await dueJobs(this.db.manager, what, now, BATCH);
      for (const job of due) {
        if (signal?.aborted) return;
        await work(job);
      }
      if (due.length < BATCH) return;
    }
  }

  private async fail(job: Row<StatisticsJob>): Promise<void> {
    const now = this.clock.ms();
    await endJob(this.db.manager, job, { status: 'FAILED', at: iso(now), dueAt: iso(now + SETTLING_MS) });
  }

  private async deleteFiles({ accountId, id, folder, expiresAt, updatedAt }: Row<StatisticsJob>): Promise<void> {
    await this.store.deleteBelow(resultFolder(folder!));
    const dueAt = iso(Date.parse(expiresAt ?? updatedAt) + LISTED_MS);
    await rows(this.db.manager, StatisticsJob)
      .where('accountId', accountId)
      .where('id', id)
      .update({ folder: null, dueAt });
  }

  private async remove({ accountId, id }: Row<StatisticsJob>): Promise<void> {
    await rows(this.db.manager, StatisticsJob).where('accountId', accountId).where('id', id).delete();
  }
}
