import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { deleteLostParts, deleteOrphanedSnapshots } from '../snapshots/snapshots.records.statements.js';
import { countActiveFaults, deleteExpired } from './faults.statements.js';

/** An ended fault still shows how often it was applied. */
const KEPT_MS = DAY_MS;
const BATCH = 1_000;
/** Snapshots have up to 16 MiB. */
const SNAPSHOTS = 20;

/** No retries: the next job starts within an hour. */
const FAULT_RETENTION = defineJob('fault-retention', { timeoutSeconds: 300, retries: 0 });

/**
 * Once an hour, logs how many faults are active, so that none is forgotten, and removes those that expired a day ago, and
 * snapshots that nobody can restore. Earlier releases left the content of some that they deleted.
 */
@Injectable()
export class FaultRetentionJob implements OnModuleInit {
  private readonly logger = new Logger('Faults');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(FAULT_RETENTION, async (_, { signal }) => this.check(signal));
    this.jobs.schedule(FAULT_RETENTION, { everySeconds: 3_600 });
  }

  /** Ends early when the signal aborts. */
  async check(signal?: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const { active, applications } = await countActiveFaults(manager, this.clock.now().toISOString());
    if (active > 0)
      this.logger.warn(
        { faults: active, applications },
        'Faults of the workbench are active: they change responses and webhook deliveries on purpose',
      );
    const before = new Date(this.clock.ms() - KEPT_MS).toISOString();
    const expired = { deleteSome: (limit: number) => deleteExpired(manager, before, limit) };
    await deleteInBatches(expired, { batch: BATCH, signal });
    const orphaned = { deleteSome: (limit: number) => deleteOrphanedSnapshots(manager, limit) };
    await deleteInBatches(orphaned, { batch: SNAPSHOTS, signal });
    const lost = { deleteSome: (limit: number) => deleteLostParts(manager, limit) };
    await deleteInBatches(lost, { batch: SNAPSHOTS, signal });
  }
}
