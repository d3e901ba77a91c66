import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { TimedWorks } from '../../accounts/times/timed-work.js';
import { Clock } from '../../common/time/clock.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import {
  countDueSizingsIn,
  dropSizing,
  dueSizingsIn,
  endCount,
  takeDue,
  type DueSizing,
} from './audience-sizings.statements.js';
import { AudienceSizes } from './audience-sizes.service.js';

/** No retries: the next job starts within two seconds. */
const SIZE_AUDIENCES = defineJob('size-audiences', { timeoutSeconds: 600, runSeconds: 480, retries: 0 });

/** Maximum number of accounts of a round. */
const MAX_SERVED = 1_000;
const EVERY_SECONDS = 2;
/** Lease of a claimed count. A worker that takes longer is considered dead. */
const TAKEN_MS = 120_000;
/** Minimum interval between counts of a size that changes by itself. */
const PAUSE_MS = 60_000;

/**
 * Counts the people of audiences some seconds after an upload, and again when people join or leave by time. A row stays
 * due until it is counted, so another process counts it if one dies.
 */
@Injectable()
export class SizeAudiencesJob implements OnModuleInit {
  private readonly logger = new Logger('Audiences');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly sizes: AudienceSizes,
    private readonly times: AccountTimes,
    private readonly timed: TimedWorks,
  ) {}

  onModuleInit(): void {
    this.jobs.work(SIZE_AUDIENCES, (_, { signal }) => this.sizeDue(signal));
    this.jobs.schedule(SIZE_AUDIENCES, { everySeconds: EVERY_SECONDS });
    const { manager } = this.db;
    this.timed.register({
      name: 'audiences',
      count: (accountIds, until) => countDueSizingsIn(manager, accountIds, until),
      due: async (accountIds, until, limit) => {
        const due = await dueSizingsIn(manager, accountIds, until, limit);
        return due.map((each) => ({ id: each.audienceId, at: each.dueAt, run: () => this.count(each) }));
      },
      repeats: true,
    });
  }

  /** Counts all due audiences, one of each account and then the next of each; ends early when the signal aborts. */
  async sizeDue(signal?: AbortSignal): Promise<void> {
    const served = new Set<string>();
    while (!signal?.aborted) {
      const now = this.clock.ms();
      const iso = (ms: number) => new Date(ms).toISOString();
      const due = await takeDue(this.db.manager, iso(now), iso(now + TAKEN_MS), [...served]);
      if (!due && served.size === 0) return;
      if (!due || served.size === MAX_SERVED) served.clear();
      if (!due) continue;
      served.add(due.accountId);
      await this.size(due);
    }
  }

  /** A failed count is retried later and does not delay others. */
  private async size(due: DueSizing): Promise<void> {
    const later = new Date(this.clock.ms() + PAUSE_MS).toISOString();
    try {
      await this.count(due);
    } catch (error) {
      this.logger.error(`The people of ${due.audienceId} could not be counted: ${failureReasonOf(error)}`);
      await endCount(this.db.manager, due, later);
    }
  }

  private async count(due: DueSizing): Promise<void> {
    const resized = await this.sizes.resize(due);
    if (!resized) return dropSizing(this.db.manager, due);
    const { changesAt } = resized;
    const now = (await this.times.of(due.accountId)).now().getTime();
    const next = changesAt === null ? null : new Date(Math.max(Date.parse(changesAt), now + PAUSE_MS));
    await endCount(this.db.manager, due, next?.toISOString() ?? null);
  }
}
