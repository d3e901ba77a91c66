import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type LockMode, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newRow } from '../../common/db/query/new-row.js';
import { enqueued, noticed } from '../../common/jobs/enqueue.js';
import type { Environment } from '../../common/http/urls/public-urls.js';
import { page } from '../../common/list/page.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { recordOf } from '../change-log/change-log.js';
import { DEFAULT_FEATURES } from '../accounts.features.js';
import { PromotableUser } from '../promotable-users/promotable-user.entity.js';
import type { UnitOfWork } from '../resources/unit-of-work.js';
import { Resources } from '../resources/resources.service.js';
import { Account } from '../entities/account.entity.js';
import { presentAccount, type NamedAccount } from './account.presenter.js';
import { ACCOUNT_DELETED } from './account-deleted.job.js';
import { ACCOUNTS } from './account.resource.js';
import type { ListAccounts, UpdateAccount } from './accounts.dto.js';
import { Business } from './business.entity.js';

/** The fields of a new account; the others have defaults. */
export interface NewAccount {
  environment: Environment;
  name: string;
  timezone: string;
  businessId?: string | null;
  timezoneSwitchAt?: string | null;
}

@Injectable()
export class AccountsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly resources: Resources,
  ) {}

  /** The accounts that the caller may access in the requested environment. */
  async list(environment: Environment, caller: Caller, query: ListAccounts) {
    const db = this.db.manager;
    const accounts = rows(db, Account)
      .where('environment', environment)
      .whereInSubquery('id', rows(db, Membership).where('userId', caller.userId), 'accountId')
      .whereIn('id', query.account_ids)
      .whereStartsWith('name', query.q);
    const found = await page(accounts, query);
    const names = await this.businessNames(found.items);
    return found.map((account) => ({ ...account, businessName: names.get(account.businessId ?? '') ?? null }));
  }

  get(account: ActingAccount): Promise<NamedAccount> {
    return this.named(account);
  }

  async update(account: ActingAccount, { name, industry_type: industryType }: UpdateAccount): Promise<NamedAccount> {
    return this.named(await this.edit(account, (unitOfWork) => unitOfWork.update(account.id, { name, industryType })));
  }

  /** Creates an account with this user as its admin and FULL promotable user. */
  async create(
    userId: string,
    { businessId = null, timezoneSwitchAt = null, ...given }: NewAccount,
  ): Promise<NamedAccount> {
    const now = this.clock.now();
    return retrying(async () => {
      const account: Row<Account> = {
        ...newRow(now),
        ...given,
        businessId,
        timezoneSwitchAt,
        industryType: 'OTHER',
        approvalStatus: 'ACCEPTED',
        features: [...DEFAULT_FEATURES].sort(),
      };
      const { id, createdAt } = account;
      const named = await this.named(account);
      const change = { type: 'CREATE', entity: 'ACCOUNT', id, data: presentAccount(named) } as const;
      await write(this.db.manager, [
        insert(Account, [account]),
        insert(Membership, [{ accountId: id, userId, role: 'ACCOUNT_ADMIN', postComposer: true, createdAt }]),
        insert(PromotableUser, [{ ...newRow(now), accountId: id, userId, promotableUserType: 'FULL' }]),
        recordOf([change], { id, userId }, now),
      ]);
      await this.access.invalidate();
      return named;
    });
  }

  /** Sandbox only. */
  async delete(account: ActingAccount): Promise<NamedAccount> {
    const deleted = await this.edit(
      account,
      (unitOfWork) => {
        unitOfWork.addWrite(enqueued(ACCOUNT_DELETED, [{ accountId: account.id }]));
        return unitOfWork.delete(account.id);
      },
      'pessimistic_write',
    );
    noticed(this.db.manager, ACCOUNT_DELETED);
    return this.named(deleted);
  }

  /** Invalidates cached copies of the account in the transaction that changes it. */
  private edit(account: ActingAccount, change: (unitOfWork: UnitOfWork<Account>) => Row<Account>, lock?: LockMode) {
    return this.resources.edit(
      account,
      ACCOUNTS,
      [account.id],
      async (unitOfWork, db) => {
        await this.access.invalidate(db);
        return change(unitOfWork);
      },
      { lock },
    );
  }

  private async named(account: Row<Account>): Promise<NamedAccount> {
    const names = await this.businessNames([account]);
    return { ...account, businessName: names.get(account.businessId ?? '') ?? null };
  }

  private async businessNames(accounts: Row<Account>[]): Promise<Map<string, string>> {
    const ids = [...new Set(accounts.flatMap((account) => account.businessId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await rows(this.db.manager, Business).withDeleted().whereIn('id', ids).getMany();
    return new Map(found.map(({ id, name }) => [id, name]));
  }
}
