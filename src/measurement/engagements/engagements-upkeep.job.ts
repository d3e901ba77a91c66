import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UserRemoval } from '../../auth/user-removal/user-removal.service.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { whenUnlocked } from '../../common/db/query/retry.js';
import { firstIdOf } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { Clock } from '../../common/time/clock.js';
import { removedWithAccounts } from '../../accounts/removed-with-accounts.js';
import { DAY_MS } from '../../common/time/days.js';
import { ENGAGEMENT_DAYS } from '../entities/engagement.entity.js';
import { deleteEngagementsOfAccount, deleteEngagementsOfUser, deleteOldEngagements } from './engagements.statements.js';

/** No retries: the next job starts within an hour. */
const OLD_ENGAGEMENTS = defineJob('old-engagements', { timeoutSeconds: 600, retries: 0 });
const REMOVE_ENGAGEMENTS = removedWithAccounts('remove-engagements');
const BATCH = 5_000;

/** Removes engagements after ENGAGEMENT_DAYS, and those of deleted accounts and users. */
@Injectable()
export class EngagementsUpkeepJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly removal: UserRemoval,
  ) {}

  onModuleInit(): void {
    this.jobs.work(OLD_ENGAGEMENTS, async (_, { signal }) => void (await this.clearOld(signal)));
    this.jobs.schedule(OLD_ENGAGEMENTS, { everySeconds: 3_600 });
    this.jobs.work(REMOVE_ENGAGEMENTS, ({ accountId }, { signal }) => this.removeOf(accountId, signal));
    const remove = ({ id }: { id: string }, signal: AbortSignal) =>
      this.removeAll((limit) => whenUnlocked(() => deleteEngagementsOfUser(this.db.manager, id, limit)), signal);
    // deliveries draw users from the directory until the audiences have removed them there
    this.removal.register({ domain: 'engagements', remove, removeLast: remove });
  }

  /** Returns the number of deleted engagements. The id has the time of the service, whatever clock the account follows. */
  clearOld(signal?: AbortSignal): Promise<number> {
    const before = firstIdOf(new Date(this.clock.ms() - ENGAGEMENT_DAYS * DAY_MS));
    const old = { deleteSome: (limit: number) => deleteOldEngagements(this.db.manager, before, limit) };
    return deleteInBatches(old, { batch: BATCH, signal });
  }

  /** Removes the engagements of a deleted account. */
  removeOf(accountId: string, signal?: AbortSignal): Promise<void> {
    return this.removeAll((limit) => deleteEngagementsOfAccount(this.db.manager, accountId, limit), signal);
  }

  /** Another attempt continues when the signal aborts. */
  private async removeAll(deleteSome: (limit: number) => Promise<number>, signal?: AbortSignal): Promise<void> {
    await deleteInBatches({ deleteSome }, { batch: BATCH, signal });
    signal?.throwIfAborted();
  }
}
