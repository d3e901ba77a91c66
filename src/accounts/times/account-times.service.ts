import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { rows } from '../../common/db/query/rows.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import { clockIsAdvancing } from '../accounts.errors.js';
import { AccountAccessService } from '../access/account-access.service.js';
import { Account } from '../entities/account.entity.js';
import {
  attachAccounts,
  detachAccount,
  detachAccounts,
  stopAccounts,
  type ClockState,
} from './account-times.statements.js';

/** The times of accounts, for work that no request of an account does, and the test clocks that freeze them. */
@Injectable()
export class AccountTimes {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
  ) {}

  /** The time of an account, as its test clock stands now. */
  async of(accountId: string, db = this.db.manager): Promise<TimeSource> {
    return { now: this.clock.timeOf((await accountOf(db, accountId)) ?? {}) };
  }

  /** The time of an account that is to be changed; 409 while its test clock advances. */
  async ofChanged(accountId: string, db = this.db.manager): Promise<TimeSource> {
    const account = await accountOf(db, accountId);
    if (account?.clockAdvancing) throw clockIsAdvancing(accountId);
    return { now: this.clock.timeOf(account ?? {}) };
  }

  /** The accounts of test clocks that are not deleted, in the order of their ids. */
  async ofClocks(clockIds: readonly string[], db = this.db.manager): Promise<{ id: string; clockId: string }[]> {
    const found = await rows(db, Account).whereIn('clockId', clockIds).orderBy('id').getMany();
    return found.map(({ id, clockId }) => ({ id, clockId: clockId! }));
  }

  /** The test clock that an account follows, in the transaction of `db`; null without one. */
  async clockOf(db: EntityManager, accountId: string): Promise<string | null> {
    return (await accountOf(db, accountId))?.clockId ?? null;
  }

  /** Gives sandbox accounts without a test clock this one, in the transaction of `db`; returns those that got it. */
  async attach(db: EntityManager, state: ClockState, accountIds: readonly string[]): Promise<string[]> {
    const attached = await attachAccounts(db, state, accountIds);
    await this.access.invalidate(db);
    return attached;
  }

  /** Ends the advance of test clocks for their accounts, in the transaction of `db`. */
  async stop(db: EntityManager, clockIds: readonly string[]): Promise<void> {
    await stopAccounts(db, clockIds);
  }

  /** Lets the accounts of test clocks follow the service again, in the transaction of `db`. */
  async detach(db: EntityManager, clockIds: readonly string[]): Promise<void> {
    await detachAccounts(db, clockIds);
    await this.access.invalidate(db);
  }

  /** Lets one account of a test clock follow the service again, in the transaction of `db`; false if it does not follow it. */
  async detachOne(db: EntityManager, clockId: string, accountId: string): Promise<boolean> {
    const detached = await detachAccount(db, clockId, accountId);
    await this.access.invalidate(db);
    return detached !== undefined;
  }
}

const accountOf = (db: EntityManager, id: string) => rows(db, Account).where('id', id).getOne();
