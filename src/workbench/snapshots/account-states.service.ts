import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { countMadeOf } from '../../audiences/audience-sizes/audience-sizings.statements.js';
import { FundingCache } from '../../campaigns/funding-instruments/funding-cache.service.js';
import { Clock } from '../../common/time/clock.js';
import { isLimitReached } from '../../common/db/counters/counters.js';
import { retryOnLock } from '../../common/db/query/locks.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { SCHEDULED_POST_PUBLISHED } from '../../creatives/scheduled-posts/published-posts.js';
import {
  accountGone,
  exceedsLimits,
  outdatedSnapshot,
  snapshotReplaced,
  tooManyPeople,
  unusableSnapshot,
} from '../workbench.errors.js';
import { Snapshot } from './snapshot.entity.js';
import {
  contentsOf,
  countPeopleOfAccounts,
  countedRowsOf,
  deleteRows,
  insertRows,
  latestRevision,
  lockAccounts,
  publishedMeanwhile,
  recount,
  remeasure,
  usageSqlOf,
} from './snapshots.statements.js';

/** The time for which a reset or a restore tries to lock the accounts. */
const PATIENCE_MS = 5_000;
/** Writes that hold locks end in these pauses. */
const PAUSE_MS = { min: 10, max: 60 };
/** Maximum number of people that a restore removes itself. */
const MAX_PEOPLE = 100_000;

const LOCK_CODES = ['55P03', '40P01'];
/** A snapshot misses a column that has no default. */
const NOT_NULL = '23502';

/**
 * Replaces all that accounts of the sandbox have, in one transaction. Writes to the accounts wait meanwhile. Accounts whose test
 * clock advances are refused, because its worker changes what they have.
 */
@Injectable()
export class AccountStates {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly quotas: StorageQuotas,
    private readonly funding: FundingCache,
  ) {}

  /** Empties accounts. `then` works in the same transaction. */
  async empty(accountIds: readonly string[], then?: (tx: EntityManager) => Promise<void>): Promise<void> {
    const work = async (tx: EntityManager) => {
      await this.clear(tx, accountIds, []);
      await this.count(tx, accountIds);
      await then?.(tx);
    };
    const options = { autosave: then !== undefined };
    await this.locked(() => inTransactionFor(this.db.manager, accountIds[0], work, options));
  }

  /** Gives accounts what a snapshot has of them. */
  async restore({ id, accountIds, updatedAt }: Row<Snapshot>): Promise<void> {
    await this.locked(() =>
      inTransactionFor(this.db.manager, accountIds[0], async (tx) => {
        // locked, because a save under its name would replace its content in between
        const held = await rows(tx, Snapshot).where('id', id).setLock('for_no_key_update').getOne();
        if (held?.updatedAt !== updatedAt) throw snapshotReplaced();
        const { columns, audienceIds } = await contentsOf(tx, id);
        const latest = await this.clear(tx, accountIds, audienceIds);
        await insertRows(tx, id, columns, latest);
        // of what waits for them nobody was told, and nothing else promotes it
        const published = await publishedMeanwhile(tx, accountIds);
        if (published.length > 0) await write(tx, [enqueueWrite(SCHEDULED_POST_PUBLISHED, published)]);
        notifyWorkers(tx, SCHEDULED_POST_PUBLISHED);
        await this.count(tx, accountIds);
        // the snapshot has no flexible audiences of other accounts; last, because their uploads wait for these locks
        await countMadeOf(tx, { audienceIds, accountIds }, this.clock.now().toISOString(), accountIds);
      }),
    );
  }

  /** Starts again when another transaction holds a lock for too long; 503 when it does for seconds. */
  private async locked(work: () => Promise<void>): Promise<void> {
    try {
      await retryOnLock(() => retrying(work), undefined, PATIENCE_MS, PAUSE_MS);
    } catch (error) {
      const { code } = sqlStateOf(error);
      if (LOCK_CODES.includes(code ?? '')) throw new Unavailable('other writes hold the accounts of a snapshot');
      if (isLimitReached(error) || isQuotaExceeded(error)) throw exceedsLimits();
      if (code === NOT_NULL) throw outdatedSnapshot();
      // only rows of a file can be like this
      if (code?.startsWith('22') || code === '23505') throw unusableSnapshot(messageOf(error));
      throw error;
    }
  }

  /**
   * Returns the latest revision of what the accounts had. `keptIds`: audiences that exist again afterwards, whose present people
   * must be gone by then.
   */
  private async clear(tx: EntityManager, accountIds: readonly string[], keptIds: readonly string[]): Promise<number> {
    const locked = await lockAccounts(tx, accountIds);
    const missing = accountIds.find((id) => !locked.accountIds.includes(id));
    if (missing !== undefined) throw accountGone(missing);
    const [advancing] = locked.advancingIds;
    if (advancing !== undefined) throw clockIsAdvancing(advancing);
    const kept = new Set(keptIds);
    const queuedIds = locked.audienceIds.filter((id) => !kept.has(id));
    if ((await countPeopleOfAccounts(tx, keptIds, MAX_PEOPLE)) > MAX_PEOPLE) throw tooManyPeople(MAX_PEOPLE);
    const latest = await latestRevision(tx, accountIds, locked.audienceIds);
    const now = this.clock.now().toISOString();
    await deleteRows(tx, { accountIds, audienceIds: keptIds, queuedIds, now });
    await this.funding.invalidate(tx);
    return latest;
  }

  private async count(tx: EntityManager, accountIds: readonly string[]): Promise<void> {
    for (const each of countedRowsOf(tx)) await recount(tx, accountIds, each);
    for (const [kind, sql] of Object.entries(usageSqlOf(tx))) {
      const { quota } = this.quotas.of(kind as keyof ReturnType<typeof usageSqlOf>, accountIds[0]);
      await remeasure(tx, accountIds, { kind, quota, sql });
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
