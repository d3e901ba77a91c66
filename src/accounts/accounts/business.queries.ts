import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Account } from '../entities/account.entity.js';
import type { NamedAccount } from './account.presenter.js';
import { Business } from './business.entity.js';

/** Reads the names of the businesses that accounts belong to. */
@Injectable()
export class BusinessQueries {
  constructor(private readonly db: DataSource) {}

  /** Reads the names of the businesses of all accounts at once and returns a lookup by account. */
  async naming(accounts: readonly Row<Account>[]): Promise<(account: Row<Account>) => NamedAccount> {
    const ids = [...new Set(accounts.flatMap((account) => account.businessId ?? []))];
    const found =
      ids.length === 0 ? [] : await rows(this.db.manager, Business).withDeleted().whereIn('id', ids).getMany();
    const names = new Map(found.map(({ id, name }) => [id, name]));
    return (account) => ({ ...account, businessName: names.get(account.businessId ?? '') ?? null });
  }

  /** One account with the name of its business. */
  async named(account: Row<Account>): Promise<NamedAccount> {
    return (await this.naming([account]))(account);
  }
}
