import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { reasonOf } from '../../common/jobs/reason.js';
import { dropSizing, endCount, takeDue, type DueSizing } from './audience-sizings.statements.js';
import { AudienceSizes } from './audience-sizes.service.js';

/** Without retries: the next one comes in two seconds. */
export const SIZE_AUDIENCES = defineJob('size-audiences', { timeoutSeconds: 600, retries: 0 });

const EVERY_SECONDS = 2;
/** For so long nobody else counts what somebody has taken; who takes longer is taken for dead. */
const TAKEN_MS = 120_000;
/** What changes by itself is counted again at most so often. */
const PAUSE_MS = 60_000;

/**
 * Counts the people of audiences some seconds after they were uploaded, and again when times say that somebody joins or
 * leaves. What is due is a row that stays until it is counted: whoever dies, somebody else counts it.
 */
@Injectable()
export class SizeAudiencesJob implements OnModuleInit {
  private readonly logger = new Logger('Audiences');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly sizes: AudienceSizes,
  ) {}

  onModuleInit(): void {
    this.jobs.work(SIZE_AUDIENCES, (_, { signal }) => this.sizeDue(signal));
    this.jobs.schedule(SIZE_AUDIENCES, { everySeconds: EVERY_SECONDS });
  }

  /** Counts all that is due, one after another; ends early when it is told to. */
  async sizeDue(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const now = this.clock.ms();
      const iso = (ms: number) => new Date(ms).toISOString();
      const due = await takeDue(this.db.manager, iso(now), iso(now + TAKEN_MS));
      if (!due) return;
      await this.size(due);
    }
  }

  /** One that cannot be counted is tried again in a while, and holds up no other. */
  private async size(due: DueSizing): Promise<void> {
    const later = new Date(this.clock.ms() + PAUSE_MS).toISOString();
    try {
      const resized = await this.sizes.resize(due);
      if (!resized) return await dropSizing(this.db.manager, due.audienceId);
      const { changesAt } = resized;
      const next = changesAt === null ? null : new Date(Math.max(Date.parse(changesAt), this.clock.ms() + PAUSE_MS));
      await endCount(this.db.manager, due, next?.toISOString() ?? null);
    } catch (error) {
      this.logger.error(`The people of ${due.audienceId} could not be counted: ${reasonOf(error)}`);
      await endCount(this.db.manager, due, later);
    }
  }
}
