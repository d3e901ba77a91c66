import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import type { Role } from '../../accounts/access/roles.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { PAID_STATISTICS_READ } from '../../statistics/statistics.permissions.js';

/** Maximum number of accounts that the page lists. */
const MAX_ACCOUNTS = 50;

/** Finds the accounts whose statistics a user may read. */
@Injectable()
export class ReadableAccounts {
  constructor(private readonly db: DataSource) {}

  /** The first accounts, those of the sandbox first, and whether there are more. */
  async listFor(userId: string): Promise<{ accounts: Row<Account>[]; more: boolean }> {
    const first = (environment: Account['environment']) =>
      this.of(userId)
        .where('environment', environment)
        .orderBy('id')
        .limit(MAX_ACCOUNTS + 1)
        .getMany();
    const [sandbox, production] = await Promise.all([first('sandbox'), first('production')]);
    const accounts = [...sandbox, ...production];
    return { accounts: accounts.slice(0, MAX_ACCOUNTS), more: accounts.length > MAX_ACCOUNTS };
  }

  /** An account of either environment; undefined for any that the user may not read. */
  find(userId: string, accountId: string): Promise<Row<Account> | undefined> {
    return this.of(userId).where('id', accountId).getOne();
  }

  private of(userId: string): Rows<Account> {
    const memberships = rows(this.db.manager, Membership)
      .where('userId', userId)
      .whereIn('role', PAID_STATISTICS_READ.roles as Role[]);
    return rows(this.db.manager, Account).whereInSubquery('id', memberships, 'accountId');
  }
}
