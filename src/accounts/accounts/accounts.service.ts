import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { User } from '../../auth/credentials/user.entity.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import { defineJob } from '../../common/jobs/job.js';
import { Clock } from '../../common/time/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type LockMode, type Row } from '../../common/db/query/rows.js';
import { insert, type Write, write } from '../../common/db/query/write.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import { enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { page } from '../../common/list/page.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { DEFAULT_FEATURES } from '../accounts.features.js';
import { recordChanges } from '../change-log/change-log.js';
import { ACCOUNTS, Account } from '../entities/account.entity.js';
import { PromotableUser } from '../promotable-users/promotable-user.entity.js';
import { Resources } from '../resources/resources.service.js';
import type { UnitOfWork } from '../resources/unit-of-work.js';
import { recordedAccount, type NamedAccount } from './account.presenter.js';
import type { ListAccounts, UpdateAccount } from './accounts.dto.js';
import { BusinessQueries } from './businesses.service.js';

/**
 * An account was deleted. The deleting statement enqueues this job, so that other domains delete dependent data. The
 * audiences domain handles it.
 */
export const ACCOUNT_DELETED = defineJob<{ accountId: string }>('account-deleted', { timeoutSeconds: 60, retries: 16 });

/** The fields of a new account; the others have defaults. */
export interface NewAccount {
  environment: AdsEnvironment;
  name: string;
  timezone: string;
  businessId?: string | null;
  timezoneSwitchAt?: string | null;
  countryCode?: string | null;
}

/** Lists, creates, updates and deletes accounts, each with the name of its business. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly db: DataSource,
    private readonly businesses: BusinessQueries,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly resources: Resources,
  ) {}

  /** The accounts that the caller may access in the requested environment. */
  async list(environment: AdsEnvironment, caller: Caller, query: ListAccounts) {
    const db = this.db.manager;
    // first the user, whose long reads are limited together (Rows.owner)
    const accounts = rows(db, Account)
      .whereInSmallSubquery('id', rows(db, Membership).where('userId', caller.userId), 'accountId')
      .where('environment', environment)
      .whereIn('id', query.account_ids)
      .whereStartsWith('name', query.q);
    const found = await page(accounts, query);
    return found.map(await this.businesses.naming(db, found.items));
  }

  get(account: ActingAccount): Promise<NamedAccount> {
    return this.businesses.named(account.db, account);
  }

  async update(account: ActingAccount, { name, industry_type: industryType }: UpdateAccount): Promise<NamedAccount> {
    const work = (unit: UnitOfWork<Account>) => unit.update(account.id, { name, industryType });
    return this.businesses.named(account.db, await this.change(account, 'for_no_key_update', work));
  }

  /** Creates an account with this user as its admin and FULL promotable user. A user who is deleted meanwhile gets 401. */
  async create(userId: string, given: NewAccount, db = this.db.manager): Promise<NamedAccount> {
    const now = this.clock.now();
    return retrying(async () => {
      const account = newAccount(given, now);
      const named = await this.businesses.named(db, account);
      await write(db, writesOfNew(account, userId, now), [exists(User, { id: userId }, invalidToken)]);
      await this.access.invalidate(db);
      return named;
    });
  }

  /** Deletes an account and enqueues the work that follows. Sandbox only. */
  async delete(account: ActingAccount): Promise<NamedAccount> {
    const deleted = await this.change(account, 'pessimistic_write', (unit) => {
      unit.addWrite(enqueueWrite(ACCOUNT_DELETED, [{ accountId: account.id }]));
      return unit.delete(account.id);
    });
    notifyWorkers(account.db, ACCOUNT_DELETED);
    return this.businesses.named(account.db, deleted);
  }

  /** Invalidates cached copies of the account in the transaction that changes it. */
  private change(account: ActingAccount, mode: LockMode, work: (unit: UnitOfWork<Account>) => Row<Account>) {
    return this.resources.changeLocked(account, ACCOUNTS, [], async (unit) => {
      await unit.lock([account.id], { mode });
      await this.access.invalidate(unit.db);
      return work(unit);
    });
  }
}

const newAccount = (
  { businessId = null, timezoneSwitchAt = null, countryCode = null, ...given }: NewAccount,
  now: Date,
): Row<Account> => ({
  ...newRow(now),
  ...given,
  businessId,
  timezoneSwitchAt,
  countryCode,
  industryType: 'OTHER',
  approvalStatus: 'ACCEPTED',
  features: [...DEFAULT_FEATURES].sort(),
  clockId: null,
  frozenTime: null,
  clockAdvancing: false,
});

/** The writes of a new account with this user as its admin and FULL promotable user. */
function writesOfNew(account: Row<Account>, userId: string, now: Date): Write[] {
  const { id, createdAt } = account;
  const change = { type: 'CREATE', entity: 'ACCOUNT', id, data: recordedAccount(account) } as const;
  return [
    insert(Account, [account]),
    insert(Membership, [{ accountId: id, userId, role: 'ACCOUNT_ADMIN', postComposer: true, createdAt }]),
    insert(PromotableUser, [{ ...newRow(now), accountId: id, userId, promotableUserType: 'FULL' }]),
    recordChanges([change], { id, userId }, now),
  ];
}
