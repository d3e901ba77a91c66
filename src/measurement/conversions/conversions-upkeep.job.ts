import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { rows } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { Partitions } from '../../common/partitions/partitions.js';
import { Clock } from '../../common/time/clock.js';
import { removedWithAccounts } from '../../accounts/removed-with-accounts.js';
import { DAY_MS, dayOf } from '../../common/time/days.js';
import { Config } from '../../config/config.js';
import { AppEventKey, Conversion, DEDUPLICATION_MS } from './conversion.entity.js';
import {
  deleteDaysOfAccount,
  deleteKeysOfAccount,
  deleteOfAccount,
  deleteOldDays,
  deleteOldKeys,
  deleteWaitingOfAccount,
} from './conversions.statements.js';

/** No retries: the next job starts within a minute. */
const CONVERSION_KEYS = defineJob('conversion-keys', { timeoutSeconds: 50, retries: 0 });
const REMOVE_CONVERSIONS = removedWithAccounts('remove-conversions');
const BATCH = 5_000;

/**
 * Removes conversions after CONVERSION_DAYS, by partition, the keys by which duplicates are found after 48 hours, and the
 * conversions of deleted accounts.
 */
@Injectable()
export class ConversionsUpkeepJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly partitions: Partitions,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const keptMs = this.config.conversionDays * DAY_MS;
    this.partitions.register(Conversion, { width: 'day', ahead: 4, keptMs });
    this.jobs.work(CONVERSION_KEYS, async (_, { signal }) => void (await this.clearKeys(signal)));
    this.jobs.schedule(CONVERSION_KEYS, { everySeconds: 60 });
    this.jobs.work(REMOVE_CONVERSIONS, ({ accountId }, { signal }) => this.removeOf(accountId, signal));
  }

  /** Returns the number of deleted keys. */
  async clearKeys(signal?: AbortSignal): Promise<number> {
    const before = new Date(this.clock.ms() - DEDUPLICATION_MS).toISOString();
    const old = { deleteSome: (limit: number) => deleteOldKeys(this.db.manager, before, limit) };
    const events = rows(this.db.manager, AppEventKey).whereLessThan('at', before);
    await deleteInBatches(events, { batch: BATCH, signal });
    await deleteOldDays(this.db.manager, dayOf(this.clock.ms()) - this.config.conversionDays + 1);
    return deleteInBatches(old, { batch: BATCH, signal });
  }

  /** Removes the conversions of a deleted account; another attempt continues when the signal aborts. */
  async removeOf(accountId: string, signal?: AbortSignal): Promise<void> {
    for (const deleteSome of [deleteWaitingOfAccount, deleteOfAccount, deleteKeysOfAccount])
      await deleteInBatches(
        { deleteSome: (limit: number) => deleteSome(this.db.manager, accountId, limit) },
        { batch: BATCH, signal },
      );
    signal?.throwIfAborted();
    await deleteDaysOfAccount(this.db.manager, accountId);
  }
}
