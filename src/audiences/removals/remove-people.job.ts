import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ACCOUNT_DELETED } from '../../accounts/accounts/accounts.service.js';
import { Clock } from '../../common/time/clock.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { rows } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { shareResult, Metrics } from '../../common/metrics/metrics.js';
import { AudienceSnapshotSlice } from '../entities/audience-snapshot.entity.js';
import { AudienceRemoval } from './audience-removal.entity.js';
import {
  countRemovals,
  endRemoval,
  queueRemovalsOfAccount,
  removeIdentifiers,
} from './audience-removals.statements.js';

/** No retries: the next job starts within a minute. */
const REMOVE_PEOPLE = defineJob('remove-people', { timeoutSeconds: 600, runSeconds: 480, retries: 0 });

const EVERY_SECONDS = 60;
/** Number of audiences to read at a time. */
const STEP = 100;
/** How much one audience removes before it yields to others. A slice has up to thousands of people. */
const IDENTIFIERS = { batch: 5_000, max: 20 };
const SLICES = { batch: 500, max: 20 };

/**
 * Removes the people of deleted audiences and do-not-reach lists, and of those of deleted accounts. A row stays queued
 * until nothing is left, so another process continues after a crash. Two concurrent processes remove different rows.
 */
@Injectable()
export class RemovePeopleJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.jobs.work(ACCOUNT_DELETED, ({ accountId }) => this.queueAccount(accountId));
    this.jobs.work(REMOVE_PEOPLE, (_, { signal }) => this.removeAll(signal));
    this.jobs.schedule(REMOVE_PEOPLE, { everySeconds: EVERY_SECONDS });
    const counted = shareResult(() => countRemovals(this.db.manager));
    this.metrics.gauge(
      'audience_removals_waiting',
      'Deleted audiences and do-not-reach lists whose people are not yet removed',
      async () => (await counted()).waiting,
    );
    this.metrics.gauge('audience_removals_oldest_seconds', 'Seconds since the oldest of them was deleted', async () => {
      const { oldest } = await counted();
      return oldest === null ? 0 : Math.max(0, (this.clock.ms() - Date.parse(oldest)) / 1_000);
    });
  }

  /** Queues the people of a deleted account. */
  queueAccount(accountId: string): Promise<void> {
    return queueRemovalsOfAccount(this.db.manager, accountId, this.clock.now().toISOString());
  }

  /** Removes until nothing is left except what another process removes; ends early when `signal` aborts. */
  async removeAll(signal?: AbortSignal): Promise<void> {
    for (let removed = true; removed && !signal?.aborted;) {
      removed = false;
      for (let last: string | undefined = ''; last !== undefined && !signal?.aborted;) {
        const step: { audienceId: string }[] = await rows(this.db.manager, AudienceRemoval)
          .whereMoreThan('audienceId', last)
          .orderBy('audienceId')
          .limit(STEP)
          .getMany();
        for (const { audienceId } of step) {
          if (signal?.aborted) return;
          removed = (await this.remove(audienceId, signal)) || removed;
        }
        last = step.length === STEP ? step.at(-1)?.audienceId : undefined;
      }
    }
  }

  /** Removes some people of an audience; returns whether there may be more. */
  private async remove(audienceId: string, signal?: AbortSignal): Promise<boolean> {
    const { manager } = this.db;
    // the workbench can restore the audience meanwhile
    const queued = rows(manager, AudienceRemoval).where('audienceId', audienceId);
    const slices = rows(manager, AudienceSnapshotSlice)
      .where('audienceId', audienceId)
      .whereInSubquery('audienceId', queued, 'audienceId');
    const identifiers = { deleteSome: (limit: number) => removeIdentifiers(manager, audienceId, limit) };
    const removed =
      (await deleteInBatches(slices, { ...SLICES, signal })) +
      (await deleteInBatches(identifiers, { ...IDENTIFIERS, signal }));
    return !(await endRemoval(manager, audienceId)) && removed > 0;
  }
}
