import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { rows } from '../../common/db/query/rows.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { deleteMinutesBefore } from './request-minutes.statements.js';
import { applicationsSince, trimJournal } from './journal.statements.js';
import { JournaledRequest } from './journaled-request.entity.js';

const KEPT_MS = DAY_MS;
/** Number of requests that the journal of an application keeps. */
const MAX_REQUESTS = 10_000;
/** Maximum number of rejected ones, which strangers can send. */
export const MAX_REJECTED = MAX_REQUESTS / 10;
export const MAX_OTHERS = MAX_REQUESTS - MAX_REJECTED;
const BATCH = 5_000;
/** Journals without a request for so long have been trimmed. */
const QUIET_MS = 3_600_000;

/** No retries: the next job starts within a minute. */
const JOURNAL_RETENTION = defineJob('journal-retention', { timeoutSeconds: 50, retries: 0 });

/** Removes journaled requests after a day, and those beyond the last 10,000 of an application, 1,000 of which may be rejected. */
@Injectable()
export class JournalRetentionJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(JOURNAL_RETENTION, async (_, { signal }) => this.clear(signal));
    this.jobs.schedule(JOURNAL_RETENTION, { everySeconds: 60 });
  }

  /** Ends early when the signal aborts. `kept`: the number of rejected and of other requests that each journal keeps. */
  async clear(signal?: AbortSignal, kept = { rejected: MAX_REJECTED, others: MAX_OTHERS }): Promise<void> {
    const old = rows(this.db.manager, JournaledRequest).whereLessThan(
      'id',
      firstIdOf(new Date(this.clock.ms() - KEPT_MS)),
    );
    await deleteInBatches(old, { batch: BATCH, signal });
    await deleteMinutesBefore(this.db.manager, new Date(this.clock.ms() - KEPT_MS).toISOString());
    const busy = await applicationsSince(this.db.manager, firstIdOf(new Date(this.clock.ms() - QUIET_MS)));
    for (const applicationId of busy)
      for (const rejected of [true, false]) {
        const max = rejected ? kept.rejected : kept.others;
        const excess = {
          deleteSome: (limit: number) => trimJournal(this.db.manager, applicationId, { rejected, kept: max, limit }),
        };
        await deleteInBatches(excess, { batch: BATCH, signal });
      }
  }
}
