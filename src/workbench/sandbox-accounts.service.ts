import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Membership } from '../accounts/access/membership.entity.js';
import { Account } from '../accounts/entities/account.entity.js';
import { rows, type Row } from '../common/db/query/rows.js';
import {
  noAccounts,
  notYoursAnyMore,
  notYourSandboxAccount,
  sandboxAccountNotFound,
  tooManyAccounts,
} from './workbench.errors.js';

/** Maximum number of accounts of a request, of a snapshot and of a test clock. */
export const MAX_ACCOUNTS = 20;

/** Finds the accounts of the sandbox that a user administers. */
@Injectable()
export class SandboxAccounts {
  constructor(private readonly db: DataSource) {}

  /** These accounts, or all of the user; 400 for an account that they do not administer, and for none. */
  async administeredBy(userId: string, accountIds?: readonly string[]): Promise<string[]> {
    const found = await this.find(userId, accountIds);
    const ids = found.map(({ id }) => id);
    const foreign = accountIds?.find((id) => !ids.includes(id));
    if (foreign !== undefined) throw notYourSandboxAccount(foreign);
    if (ids.length > MAX_ACCOUNTS) throw tooManyAccounts(MAX_ACCOUNTS);
    if (ids.length === 0) throw noAccounts();
    return ids;
  }

  /** An account of the sandbox that a user administers; undefined for any other. */
  async administered(userId: string, accountId: string): Promise<Row<Account> | undefined> {
    return (await this.find(userId, [accountId])).at(0);
  }

  /** The same; 404 for any other. */
  async requireAdministered(userId: string, accountId: string): Promise<Row<Account>> {
    const account = await this.administered(userId, accountId);
    if (!account) throw sandboxAccountNotFound(accountId);
    return account;
  }

  /** Those of these accounts that a user does not administer now: their role ended, or the account is deleted. */
  async lostBy(userId: string, accountIds: readonly string[]): Promise<string[]> {
    if (accountIds.length === 0) return [];
    const ids = new Set((await this.find(userId, accountIds)).map(({ id }) => id));
    return accountIds.filter((id) => !ids.has(id));
  }

  /** 403 that names the accounts of something stored, such as a snapshot, that a user no longer administers. */
  async requireStill(userId: string, of: string, accountIds: readonly string[]): Promise<void> {
    const lost = await this.lostBy(userId, accountIds);
    if (lost.length > 0) throw notYoursAnyMore(of, lost);
  }

  /** The first accounts of a user, and whether there are more than one request may concern. */
  async listFor(userId: string): Promise<{ accounts: Row<Account>[]; more: boolean }> {
    const found = await this.find(userId);
    return { accounts: found.slice(0, MAX_ACCOUNTS), more: found.length > MAX_ACCOUNTS };
  }

  private find(userId: string, accountIds?: readonly string[]): Promise<Row<Account>[]> {
    const db = this.db.manager;
    const memberships = rows(db, Membership).where('userId', userId).where('role', 'ACCOUNT_ADMIN');
    return rows(db, Account)
      .where('environment', 'sandbox')
      .whereInSubquery('id', memberships, 'accountId')
      .whereIn('id', accountIds && [...accountIds])
      .orderBy('id')
      .limit(MAX_ACCOUNTS + 1)
      .getMany();
  }
}

/** An application, and the user who owns it and signs the request. */
export interface Owner {
  applicationId: string;
  userId: string;
}
