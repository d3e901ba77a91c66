import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { moveAccounts } from '../../accounts/times/account-times.statements.js';
import { Application } from '../../auth/credentials/application.entity.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying, whenUnlocked } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { invalidToken, invalid } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { tokenPage } from '../../common/list/token-page.js';
import { SimulatedDelivery } from '../../statistics/delivery/simulated-delivery.service.js';
import {
  accountIsLater,
  accountNotOnClock,
  accountWithoutClock,
  clockAdvances,
  clockIsFull,
  clockLimitReached,
  clockNotFound,
  followsAnotherClock,
  hasAnotherClock,
  sandboxAccountNotFound,
} from '../workbench.errors.js';
import { type Owner, MAX_ACCOUNTS, SandboxAccounts } from '../sandbox-accounts.service.js';
import { ADVANCE_TEST_CLOCK } from './advance-test-clock.job.js';
import { COUNTED_CLOCKS, MAX_CLOCKS, TestClock } from './test-clock.entity.js';
import type { ClockWithAccounts } from './test-clock.presenter.js';
import type { AdvanceTestClock, CreateTestClock, ListTestClocks } from './test-clocks.dto.js';
import {
  beginAdvance,
  countClocks,
  deleteClock,
  lockClock,
  stopClock,
  type ClockCounts,
} from './test-clocks.statements.js';

/** Stores the test clocks of applications, and which accounts follow them. */
@Injectable()
export class TestClocksService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly times: AccountTimes,
    private readonly accounts: SandboxAccounts,
    private readonly delivery: SimulatedDelivery,
  ) {}

  async list(applicationId: string, query: ListTestClocks): Promise<Page<ClockWithAccounts>> {
    const found = await tokenPage(this.of(applicationId), query);
    const accounts = await this.times.ofClocks(found.items.map(({ id }) => id));
    return found.map((clock) => withAccounts(clock, accounts));
  }

  /** A test clock of this application; 404 for any other. */
  async get(applicationId: string, id: string): Promise<ClockWithAccounts> {
    const clock = await this.of(applicationId).where('id', id).getOne();
    if (!clock) throw clockNotFound(id);
    return withAccounts(clock, await this.times.ofClocks([id]));
  }

  /** Stores a test clock. Requests to its accounts that arrive later have its time. */
  async create(applicationId: string, userId: string, params: CreateTestClock): Promise<ClockWithAccounts> {
    const { name, frozen_time: frozenTime, account_ids: accountIds = [] } = params;
    requireNear(frozenTime, this.clock.now());
    if (accountIds.length > 0) await this.accounts.administeredBy(userId, accountIds);
    const clock = await whenFree(() =>
      inTransactionFor(this.db.manager, applicationId, async (tx) => {
        const now = this.clock.now();
        const row = newClock({ id: newId(now), applicationId, name, frozenTime }, now);
        await write(
          tx,
          [
            insert(TestClock, [row]),
            ...changeCounters([{ ownerId: applicationId, kind: COUNTED_CLOCKS, by: 1, limit: MAX_CLOCKS }]),
          ],
          [exists(Application, { id: applicationId }, invalidToken)],
        );
        const attached = await this.attachAll(tx, row, accountIds);
        const [other] = accountIds.filter((id) => !attached.includes(id));
        if (other !== undefined) throw followsAnotherClock(other);
        return row;
      }),
    ).catch((error: unknown) => {
      throw isLimitReached(error) ? clockLimitReached(MAX_CLOCKS) : error;
    });
    return { clock, accountIds: accountIds.toSorted() };
  }

  /** Begins to advance a test clock of this application; a job does the rest. The user still administers its accounts. */
  async advance(
    { applicationId, userId }: Owner,
    id: string,
    { frozen_time: target }: AdvanceTestClock,
  ): Promise<ClockWithAccounts> {
    const { clock: known, accountIds } = await this.get(applicationId, id);
    await this.accounts.requireStill(userId, 'test clock', accountIds);
    if (known.status === 'advancing') throw clockAdvances(id);
    requireAdvance(known.frozenTime, target);
    const clock = await retrying(() =>
      inTransactionFor(this.db.manager, id, async (tx) => {
        const begun = await beginAdvance(tx, { id, from: known.frozenTime, target });
        if (!begun) throw clockAdvances(id);
        const accounts = moveAccounts({ clockId: id, frozenTime: known.frozenTime, clockAdvancing: true });
        await write(tx, [accounts, enqueueWrite(ADVANCE_TEST_CLOCK, [{ clockId: id, applicationId }])]);
        notifyWorkers(tx, ADVANCE_TEST_CLOCK);
        return begun;
      }),
    );
    return { clock, accountIds };
  }

  /**
   * Lets a sandbox account follow a test clock of this application. Requests to it that arrive later have the time of the
   * clock. Nothing changes if it already follows it.
   */
  async attach({ applicationId, userId }: Owner, id: string, accountId: string): Promise<ClockWithAccounts> {
    await this.get(applicationId, id);
    const account = await this.accounts.administered(userId, accountId);
    if (!account) throw sandboxAccountNotFound(accountId);
    return this.withLocked(applicationId, id, async (tx, clock) => {
      const following = (await this.times.ofClocks([id], tx)).map((each) => each.id);
      if (following.includes(accountId)) return;
      if (following.length >= MAX_ACCOUNTS) throw clockIsFull(MAX_ACCOUNTS);
      const now = this.clock.now();
      if (new Date(clock.frozenTime) < now && account.clockId === null)
        throw accountIsLater(accountId, now.toISOString(), new Date(clock.frozenTime).toISOString());
      const [attached] = await this.attachAll(tx, clock, [accountId]);
      if (attached !== undefined) return;
      const other = await this.times.clockOf(tx, accountId);
      throw other === null ? sandboxAccountNotFound(accountId) : hasAnotherClock(accountId, other);
    });
  }

  /** Attaches accounts to a clock that does not advance; returns those that got it. */
  private async attachAll(
    tx: EntityManager,
    { id, frozenTime }: Row<TestClock>,
    accountIds: readonly string[],
  ): Promise<string[]> {
    const attached = await this.times.attach(tx, { clockId: id, frozenTime, clockAdvancing: false }, accountIds);
    await this.delivery.beginAt(tx, attached, frozenTime);
    return attached;
  }

  /** Lets an account of a test clock of this application follow the service again. */
  async detach(applicationId: string, id: string, accountId: string): Promise<ClockWithAccounts> {
    return this.withLocked(applicationId, id, async (tx) => {
      if (!(await this.times.detachOne(tx, id, accountId))) throw accountNotOnClock(accountId);
    });
  }

  /**
   * Lets an account that the user administers follow the service again, whoever owns its test clock. If the clock
   * advances, that ends: its worker finds another state and stops.
   */
  async release(userId: string, accountId: string): Promise<void> {
    const account = await this.accounts.administered(userId, accountId);
    if (!account) throw sandboxAccountNotFound(accountId);
    const { clockId } = account;
    if (clockId === null) throw accountWithoutClock(accountId);
    await retrying(() =>
      inTransactionFor(this.db.manager, clockId, async (tx) => {
        await stopClock(tx, clockId, `An administrator detached the account ${accountId}.`);
        await this.times.stop(tx, [clockId]);
        if (!(await this.times.detachOne(tx, clockId, accountId))) throw accountWithoutClock(accountId);
      }),
    );
  }

  /** Changes the accounts of a clock that does not advance, and returns it with those that it then has. */
  private async withLocked(
    applicationId: string,
    id: string,
    change: (tx: EntityManager, clock: Row<TestClock>) => Promise<void>,
  ): Promise<ClockWithAccounts> {
    return whenFree(() =>
      inTransactionFor(this.db.manager, id, async (tx) => {
        const clock = await lockClock(tx, applicationId, id);
        if (!clock) throw clockNotFound(id);
        if (clock.status === 'advancing') throw clockAdvances(id);
        await change(tx, clock);
        return withAccounts(clock, await this.times.ofClocks([id], tx));
      }),
    );
  }

  /** Deletes a test clock of this application. Its accounts follow the service again. */
  async delete(applicationId: string, id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const deleted = await deleteClock(tx, applicationId, id);
      if (deleted.length === 0) throw clockNotFound(id);
      await this.times.detach(tx, deleted);
    });
  }

  /** The number of test clocks of all applications, and of their accounts. */
  countAll(): Promise<ClockCounts> {
    return countClocks(this.db.manager);
  }

  private of(applicationId: string) {
    return rows(this.db.manager, TestClock).where('applicationId', applicationId);
  }
}

/** An hour that is being delivered locks its account. */
const whenFree = <R>(work: () => Promise<R>): Promise<R> => retrying(() => whenUnlocked(work));

const withAccounts = (clock: Row<TestClock>, accounts: readonly { id: string; clockId: string }[]) => ({
  clock,
  accountIds: accounts.filter(({ clockId }) => clockId === clock.id).map(({ id }) => id),
});

const newClock = (
  given: Pick<Row<TestClock>, 'id' | 'applicationId' | 'name' | 'frozenTime'>,
  now: Date,
): Row<TestClock> => ({
  ...given,
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
  status: 'ready',
  targetTime: null,
  done: 0,
  total: 0,
  failure: null,
  attempt: null,
});

/** Maximum distance of a new clock from the time of the service, and of one advance. */
const MAX_YEARS = 2;

/** 400 for the time of a new clock that is too far from now. */
function requireNear(frozenTime: string, now: Date): void {
  const at = new Date(frozenTime);
  if (at >= yearsFrom(now, -MAX_YEARS) && at <= yearsFrom(now, MAX_YEARS)) return;
  throw invalid(
    'frozen_time',
    `Expected a time at most ${MAX_YEARS} years from now for frozen_time, got ${frozenTime}`,
    { value: frozenTime },
  );
}

/** 400 unless a clock may advance to this time. */
function requireAdvance(current: string, target: string): void {
  const [from, to] = [new Date(current), new Date(target)];
  const last = yearsFrom(from, MAX_YEARS);
  if (to > from && to <= last) return;
  throw invalid(
    'frozen_time',
    to > from
      ? `Expected a time until ${last.toISOString()}, ${MAX_YEARS} years after that of the clock, for frozen_time, got ${target}`
      : `Expected a time after ${from.toISOString()}, that of the clock, for frozen_time, got ${target}: a clock cannot be set back`,
    { value: target },
  );
}

function yearsFrom(time: Date, years: number): Date {
  const moved = new Date(time);
  moved.setUTCFullYear(time.getUTCFullYear() + years);
  return moved;
}
