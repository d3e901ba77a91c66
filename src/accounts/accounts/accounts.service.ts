import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { rows } from '../../common/db/query/rows.js';
import type { Environment } from '../../common/http/urls/public-urls.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { Account } from '../entities/account.entity.js';
import type { NamedAccount } from './account.presenter.js';
import { AccountWrites, type NewAccount } from './account.writes.js';
import type { ListAccounts, UpdateAccount } from './accounts.dto.js';
import { BusinessQueries } from './business.queries.js';

/** Lists, creates, updates and deletes accounts, each with the name of its business. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly db: DataSource,
    private readonly businesses: BusinessQueries,
    private readonly writes: AccountWrites,
  ) {}

  /** The accounts that the caller may access in the requested environment. */
  async list(environment: Environment, caller: Caller, query: ListAccounts) {
    const db = this.db.manager;
    // first the user, whose long reads are limited together (Rows.owner)
    const accounts = rows(db, Account)
      .whereInSmallSubquery('id', rows(db, Membership).where('userId', caller.userId), 'accountId')
      .where('environment', environment)
      .whereIn('id', query.account_ids)
      .whereStartsWith('name', query.q);
    const found = await page(accounts, query);
    return found.map(await this.businesses.naming(found.items));
  }

  get(account: ActingAccount): Promise<NamedAccount> {
    return this.businesses.named(account);
  }

  async update(account: ActingAccount, { name, industry_type: industryType }: UpdateAccount): Promise<NamedAccount> {
    return this.businesses.named(await this.writes.update(account, { name, industryType }));
  }

  /** Creates an account with this user as its admin and FULL promotable user. */
  create(userId: string, given: NewAccount): Promise<NamedAccount> {
    return this.writes.create(userId, given);
  }

  /** Sandbox only. */
  async delete(account: ActingAccount): Promise<NamedAccount> {
    return this.businesses.named(await this.writes.delete(account));
  }
}
