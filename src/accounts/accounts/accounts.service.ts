import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { insert, replace } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import type { Environment } from '../../common/http/public-urls.js';
import { among, startingWith } from '../../common/list/filters.js';
import { page } from '../../common/list/page.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { ChangeLog, created, removed, updated } from '../change-log/change-log.service.js';
import { PromotableUser } from '../promotable-users/promotable-user.entity.js';
import { DEFAULT_FEATURES } from '../features/features.js';
import { AccountCounts } from './account-counts.entity.js';
import { Account } from './account.entity.js';
import { presentAccount, type NamedAccount } from './account.presenter.js';
import type { ListAccounts, UpdateAccount } from './accounts.dto.js';

/** What an account is made with; the rest has defaults. */
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
    private readonly changes: ChangeLog,
  ) {}

  /** Part 3, 4.1: the accounts that the caller may act on, in the environment they ask. */
  async list(environment: Environment, caller: Caller, query: ListAccounts) {
    const accounts = rows(this.db.manager, Account).is('environment', environment);
    accounts.where`r.id IN (SELECT m."accountId" FROM account_memberships m WHERE m."userId" = ${caller.userId})`;
    among(accounts, 'id', query.account_ids);
    startingWith(accounts, 'name', query.q);
    const found = await page(accounts, query);
    const names = await this.businessNames(found.items);
    return found.map((account) => ({ ...account, businessName: names.get(account.businessId ?? '') ?? null }));
  }

  get(account: ActingAccount): Promise<NamedAccount> {
    return this.named(account);
  }

  async update(account: ActingAccount, params: UpdateAccount): Promise<NamedAccount> {
    const saved = await this.db.transaction(async (tx) => {
      const before = await this.locked(tx, account.id);
      const after: Row<Account> = { ...before, updatedAt: nextUpdatedAt(before.updatedAt, this.clock.now()) };
      if (params.name !== undefined) after.name = params.name;
      if (params.industry_type !== undefined) after.industryType = params.industry_type;
      const [was, is] = [
        presentAccount({ ...before, businessName: null }),
        presentAccount({ ...after, businessName: null }),
      ];
      await this.changes.store(tx, account, [replace(Account, [after])], [updated('ACCOUNT', account.id, was, is)]);
      await this.access.invalidate(tx);
      return after;
    });
    return this.named(saved);
  }

  /** Makes an account whose admin and FULL promotable user is this user. */
  async create(
    userId: string,
    { businessId = null, timezoneSwitchAt = null, ...given }: NewAccount,
  ): Promise<NamedAccount> {
    const now = this.clock.now();
    const time = now.toISOString();
    const account: Row<Account> = {
      id: newId(now),
      ...given,
      businessId,
      timezoneSwitchAt,
      industryType: 'OTHER',
      approvalStatus: 'ACCEPTED',
      features: [...DEFAULT_FEATURES].sort(),
      createdAt: time,
      updatedAt: time,
      deletedAt: null,
    };
    const parts = [
      insert(Account, [account]),
      insert(AccountCounts, [{ accountId: account.id, activeCampaigns: 0, activeCampaignLimit: 200 }]),
      insert(Membership, [
        { accountId: account.id, userId, role: 'ACCOUNT_ADMIN', postComposer: true, createdAt: time },
      ]),
      insert(PromotableUser, [
        {
          id: newId(now),
          accountId: account.id,
          userId,
          promotableUserType: 'FULL',
          createdAt: time,
          updatedAt: time,
          deletedAt: null,
        },
      ]),
    ];
    const named = await this.named(account);
    await this.changes.store(this.db.manager, { id: account.id, userId }, parts, [
      created('ACCOUNT', account.id, presentAccount(named)),
    ]);
    await this.access.invalidate();
    return named;
  }

  /** Part 3, 4.1, sandbox only: what is under the account stays, and nobody reaches it any more. */
  async delete(account: ActingAccount): Promise<NamedAccount> {
    const saved = await this.db.transaction(async (tx) => {
      const before = await this.locked(tx, account.id);
      const updatedAt = nextUpdatedAt(before.updatedAt, this.clock.now());
      const after: Row<Account> = { ...before, updatedAt, deletedAt: updatedAt };
      await this.changes.store(
        tx,
        account,
        [replace(Account, [after])],
        [removed('ACCOUNT', account.id, presentAccount({ ...after, businessName: null }))],
      );
      await this.access.invalidate(tx);
      return after;
    });
    return this.named(saved);
  }

  private async locked(tx: DataSource['manager'], id: string): Promise<Row<Account>> {
    const [account] = await run<Row<Account>>(tx, rows(tx, Account).is('id', id).statement(' FOR UPDATE'));
    if (!account) throw accountNotFound(id);
    return account;
  }

  private async named(account: Row<Account>): Promise<NamedAccount> {
    const names = await this.businessNames([account]);
    return { ...account, businessName: names.get(account.businessId ?? '') ?? null };
  }

  private async businessNames(accounts: Row<Account>[]): Promise<Map<string, string>> {
    const ids = [...new Set(accounts.flatMap((account) => account.businessId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await run<{ id: string; name: string }>(this.db.manager, {
      text: 'SELECT id, name FROM businesses WHERE id = ANY($1)',
      values: [ids],
    });
    return new Map(found.map(({ id, name }) => [id, name]));
  }
}
