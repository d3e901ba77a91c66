import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { User } from '../auth/credentials/user.entity.js';
import { rows, type Row } from '../common/db/query/rows.js';
import type { AdsEnvironment } from '../common/http/urls/public-urls.js';
import { readNewest, type NewestQuery } from '../common/list/newest.js';
import { Membership } from './access/membership.entity.js';
import { Account, Business } from './entities/account.entity.js';
import { PromotableUser } from './promotable-users/promotable-user.entity.js';

/** Whether a user has a password and is not suspended. */
export const canSignIn = ({ passwordHash, suspendedAt }: Row<User>): boolean =>
  passwordHash !== null && suspendedAt === null;

/** Filters of a list of users. */
export interface UsersWanted extends NewestQuery {
  /** A prefix of their usernames or names, case-insensitive. */
  name?: string;
  /** Only users who may act on an ad account. */
  withAccess?: boolean;
}

/** Filters of a list of accounts. */
export interface AccountsWanted extends NewestQuery {
  /** A user who may access the accounts. */
  userId?: string;
  environment?: AdsEnvironment;
  /** A prefix of their names, case-insensitive. */
  name?: string;
}

/** The business, members and promotable users of an account. */
export interface AccountParts {
  business: Business | null;
  members: Membership[];
  promotableUsers: PromotableUser[];
}

/** Shows operators the users and the accounts of both environments. The API does not offer this. */
@Injectable()
export class AdministrationService {
  constructor(private readonly db: DataSource) {}

  /** The account with this id; null if there is none. */
  account(id: string): Promise<Account | null> {
    return this.db.manager.findOneBy(Account, { id });
  }

  /**
   * Users who can sign in, newest first, then the others. `before` continues after a user of either group. Undefined if
   * that user does not exist.
   */
  async newestUsers({ before, limit, name, withAccess }: UsersWanted): Promise<Row<User>[] | undefined> {
    const db = this.db.manager;
    const last = before === undefined ? undefined : await rows(db, User).withDeleted().where('id', before).getOne();
    if (before !== undefined && !last) return undefined;
    const wanted = () => {
      const users = rows(db, User);
      if (name !== undefined)
        users.whereAny(
          (each) => each.whereStartsWith('username', name),
          (each) => each.whereStartsWith('name', name),
        );
      return withAccess ? users.whereInSubquery('id', rows(db, Membership), 'userId') : users;
    };
    const signIn = wanted().whereDistinctFrom('passwordHash', null).where('suspendedAt', null);
    const others = wanted().whereAny(
      (each) => each.where('passwordHash', null),
      (each) => each.whereDistinctFrom('suspendedAt', null),
    );
    if (last && !canSignIn(last)) return readNewest(others, { before, limit });
    const first = await readNewest(signIn, { before, limit });
    const left = limit - first.length;
    return left > 0 ? [...first, ...(await readNewest(others, { limit: left }))] : first;
  }

  /** Accounts, newest first, filtered by a user with access, by environment and by name prefix. */
  newestAccounts({ userId, environment, name, ...wanted }: AccountsWanted): Promise<Row<Account>[]> {
    const accounts = rows(this.db.manager, Account).whereStartsWith('name', name);
    if (environment !== undefined) accounts.where('environment', environment);
    if (userId !== undefined)
      accounts.whereInSubquery('id', rows(this.db.manager, Membership).where('userId', userId), 'accountId');
    return readNewest(accounts, wanted);
  }

  /** The business, members and promotable users of an account; at most 1,000 of each. */
  async partsOf({ id, businessId }: Account): Promise<AccountParts> {
    const { manager } = this.db;
    const own = { where: { accountId: id }, take: 1_000 };
    return {
      business: businessId === null ? null : await manager.findOneBy(Business, { id: businessId }),
      members: await manager.find(Membership, { ...own, order: { createdAt: 'ASC' } }),
      promotableUsers: await manager.find(PromotableUser, { ...own, order: { id: 'ASC' } }),
    };
  }
}
