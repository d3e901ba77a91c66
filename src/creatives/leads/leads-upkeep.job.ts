import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { removedWithAccounts } from '../../accounts/removed-with-accounts.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { deleteStoredBefore, deleteStoredOf } from '../../common/storage/delete-stored.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { Lead, LEAD_DAYS } from './lead.entity.js';

/** No retries: the next job starts within an hour. */
const OLD_LEADS = defineJob('old-leads', { timeoutSeconds: 600, retries: 0 });
const REMOVE_LEADS = removedWithAccounts('remove-leads');
const BATCH = 5_000;
const LEADS = { entity: Lead, kind: 'LEADS' } as const;

/** Removes leads after LEAD_DAYS, and those of deleted accounts. */
@Injectable()
export class LeadsUpkeepJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(OLD_LEADS, async (_, { signal }) => void (await this.clearOld(signal)));
    this.jobs.schedule(OLD_LEADS, { everySeconds: 3_600 });
    this.jobs.work(REMOVE_LEADS, ({ accountId }, { signal }) => this.removeOf(accountId, signal));
  }

  /** Returns the number of deleted leads. The id has the time of the service, whatever clock the account follows. */
  clearOld(signal?: AbortSignal): Promise<number> {
    const before = firstIdOf(new Date(this.clock.ms() - LEAD_DAYS * DAY_MS));
    const old = { deleteSome: (limit: number) => deleteStoredBefore(this.db.manager, LEADS, before, limit) };
    return deleteInBatches(old, { batch: BATCH, signal });
  }

  /** Removes the leads of a deleted account. Another attempt continues when the signal aborts. */
  async removeOf(accountId: string, signal?: AbortSignal): Promise<void> {
    const all = { deleteSome: (limit: number) => deleteStoredOf(this.db.manager, LEADS, accountId, limit) };
    await deleteInBatches(all, { batch: BATCH, signal });
    signal?.throwIfAborted();
  }
}
