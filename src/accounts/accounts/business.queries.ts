import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Account } from '../entities/account.entity.js';
import type { NamedAccount } from './account.presenter.js';
import { Business } from './business.entity.js';

/** Reads the names of the businesses that accounts belong to. */
@Injectable()
export class BusinessQueries {
  /** Reads the names of the businesses of all accounts at once and returns a lookup by account. */
  async naming(db: EntityManager, accounts: readonly Row<Account>[]): Promise<(account: Row<Account>) => NamedAccount> {
    const ids = [...new Set(accounts.flatMap((account) => account.businessId ?? []))];
    const found = ids.length === 0 ? [] : await rows(db, Business).withDeleted().whereIn('id', ids).getMany();
    const names = new Map(found.map(({ id, name }) => [id, name]));
    return (account) => ({ ...account, businessName: names.get(account.businessId ?? '') ?? null });
  }

  /** One account with the name of its business. */
  async named(db: EntityManager, account: Row<Account>): Promise<NamedAccount> {
    return (await this.naming(db, [account]))(account);
  }
}
