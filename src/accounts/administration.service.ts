import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { User } from '../auth/credentials/user.entity.js';
import { Clock } from '../common/clock.js';
import { exists } from '../common/db/query/preconditions.js';
import { retrying } from '../common/db/query/retry.js';
import { rows, type Row } from '../common/db/query/rows.js';
import { sqlStateOf } from '../common/db/query/sqlstate.js';
import { insert, insertOrUpdate, replace, write, type Write } from '../common/db/query/write.js';
import { lockName } from '../common/db/query/name-lock.js';
import { newest, type Newest } from '../common/list/newest.js';
import { newRow } from '../common/db/query/new-row.js';
import { nextUpdatedAt } from '../common/entity/updated-at.js';
import { AccountAccessService } from './access/account-access.service.js';
import { Membership } from './access/membership.entity.js';
import type { Role } from './access/roles.js';
import { Account } from './entities/account.entity.js';
import { Business } from './accounts/business.entity.js';
import type { Environment } from '../common/http/public-urls.js';
import type { Feature } from './accounts.features.js';
import { PromotableUser, type PromotableUserType } from './promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from './promotable-users/promotable-users.service.js';

/** The account has such a promotable user already: this one, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Businesses may share a name; then only the id says which one is meant. */
export class SeveralBusinesses extends Error {}

/** What nobody would call a business: see newId. */
const LOOKS_LIKE_ID = /^(?=.*\d)[0-9a-z]{11,13}$/;

/** Whether a user has a password and is not suspended. */
export const canSignIn = ({ passwordHash, suspendedAt }: Row<User>): boolean =>
  passwordHash !== null && suspendedAt === null;

/** Which users are listed. */
export interface UsersWanted extends Newest {
  /** What their usernames or names begin with, without case. */
  name?: string;
  /** Only users who may act on an ad account. */
  withAccess?: boolean;
}

/** Which accounts are listed. */
export interface AccountsWanted extends Newest {
  /** A user who may act on them. */
  userId?: string;
  environment?: Environment;
  /** What their names begin with, without case. */
  name?: string;
}

/** Whose an account is, who may act on it, and whose posts it may promote. */
export interface AccountParts {
  business: Row<Business> | undefined;
  members: Row<Membership>[];
  promotableUsers: Row<PromotableUser>[];
}

/** What operators do to accounts, in whatever environment they are: there is no API for it. */
@Injectable()
export class AdministrationService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly promotableUsers: PromotableUsersService,
  ) {}

  account(id: string): Promise<Row<Account> | undefined> {
    return rows(this.db.manager, Account).where('id', id).getOne();
  }

  /**
   * Users who can sign in, the newest first, then the others; `before` goes on behind a user of either group. Returns
   * undefined where that user does not exist.
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
    if (last && !canSignIn(last)) return newest(others, { before, limit });
    const first = await newest(signIn, { before, limit });
    const left = limit - first.length;
    return left > 0 ? [...first, ...(await newest(others, { limit: left }))] : first;
  }

  /** The accounts there are: those that a user may act on, of an environment, whose names begin so. */
  newestAccounts({ userId, environment, name, ...wanted }: AccountsWanted): Promise<Row<Account>[]> {
    const accounts = rows(this.db.manager, Account).whereStartsWith('name', name);
    if (environment !== undefined) accounts.where('environment', environment);
    if (userId !== undefined)
      accounts.whereInSubquery('id', rows(this.db.manager, Membership).where('userId', userId), 'accountId');
    return newest(accounts, wanted);
  }

  /** What belongs to an account; at most a thousand of each. */
  async partsOf({ id, businessId }: Row<Account>): Promise<AccountParts> {
    const db = this.db.manager;
    const limit = 1_000;
    const [business, members, promotableUsers] = await Promise.all([
      businessId === null ? undefined : rows(db, Business).where('id', businessId).getOne(),
      rows(db, Membership).where('accountId', id).orderBy('createdAt').limit(limit).getMany(),
      rows(db, PromotableUser).where('accountId', id).orderBy('id').limit(limit).getMany(),
    ]);
    return { business, members, promotableUsers };
  }

  /** Who has been an administrator of an account for the longest time; undefined where nobody is. */
  async administrator(accountId: string): Promise<string | undefined> {
    const admins = rows(this.db.manager, Membership).where('accountId', accountId).where('role', 'ACCOUNT_ADMIN');
    return (await admins.orderBy('createdAt').getOne())?.userId;
  }

  createBusiness(name: string): Promise<Row<Business>> {
    return retrying(() => this.storeBusiness(this.db.manager, name));
  }

  /** The business of this id or name, made where none has the name; undefined for what can only be an unknown id. */
  business(idOrName: string): Promise<Row<Business> | undefined> {
    const foundOrMade = async (tx: EntityManager) => {
      // Two who name a new business at the same time mean the same one.
      await lockName(tx, `business ${idOrName}`);
      const [found, another] = await rows(tx, Business)
        .whereAny(
          (called) => called.where('id', idOrName),
          (called) => called.where('name', idOrName),
        )
        .orderBy('id')
        .limit(2)
        .getMany();
      if (another) throw new SeveralBusinesses(`several businesses are called ${idOrName}; name one by its id`);
      if (found || LOOKS_LIKE_ID.test(idOrName)) return found;
      return this.storeBusiness(tx, idOrName);
    };
    return retrying(() => this.db.transaction(foundOrMade));
  }

  /** Gives a user a role on an account, in place of the one they had; false when there is no such account or user. */
  async grant(accountId: string, userId: string, role: Role, postComposer = true): Promise<boolean> {
    const membership = { accountId, userId, role, postComposer, createdAt: this.clock.now().toISOString() };
    const granted = await this.where(
      [insertOrUpdate(Membership, [membership], ['role', 'postComposer'])],
      accountId,
      userId,
    );
    await this.access.invalidate();
    return granted;
  }

  /** Takes a user off an account; false when they were not on it. */
  async revoke(accountId: string, userId: string): Promise<boolean> {
    const gone = await rows(this.db.manager, Membership).where('accountId', accountId).where('userId', userId).delete();
    await this.access.invalidate();
    return gone > 0;
  }

  /** Adds and takes away features; answers those the account has then. */
  async changeFeatures(
    accountId: string,
    { add = [], remove = [] }: { add?: Feature[]; remove?: Feature[] },
  ): Promise<string[] | undefined> {
    return this.db.transaction(async (tx) => {
      const account = await rows(tx, Account).where('id', accountId).setLock('for_no_key_update').getOne();
      if (!account) return undefined;
      const features = [...new Set([...account.features, ...add])]
        .filter((key) => !(remove as string[]).includes(key))
        .sort();
      const updatedAt = nextUpdatedAt(account.updatedAt, this.clock.now());
      await write(tx, [replace(Account, [{ ...account, features, updatedAt }])]);
      await this.access.invalidate(tx);
      return features;
    });
  }

  /** Lets an account promote a user's posts; undefined when there is no such account or user. */
  async addPromotableUser(
    accountId: string,
    userId: string,
    type: PromotableUserType,
  ): Promise<Row<PromotableUser> | undefined> {
    try {
      return await retrying(async () => {
        const user = { ...newRow(this.clock.now()), accountId, userId, promotableUserType: type };
        return (await this.where([insert(PromotableUser, [user])], accountId, userId)) ? user : undefined;
      });
    } catch (error) {
      const { code, constraint } = sqlStateOf(error);
      if (code !== '23505') throw error;
      throw new AlreadyPromotable(
        constraint === 'promotable_users_one_full'
          ? `account ${accountId} has a FULL promotable user already, and there can be one only; remove it first`
          : `this user is a promotable user of account ${accountId} already; remove them first to change the type`,
      );
    }
  }

  async removePromotableUser(accountId: string, userId: string): Promise<boolean> {
    const time = this.clock.now().toISOString();
    const users = rows(this.db.manager, PromotableUser).where('accountId', accountId).where('userId', userId);
    const removed = await users.update({ deletedAt: time, updatedAt: time });
    await this.promotableUsers.invalidate(this.db.manager);
    return removed.length > 0;
  }

  private async storeBusiness(db: EntityManager, name: string): Promise<Row<Business>> {
    const business = { ...newRow(this.clock.now()), name };
    await write(db, [insert(Business, [business])]);
    return business;
  }

  /** Stores where both account and user are alive; false where one is not. */
  private async where(writes: Write[], accountId: string, userId: string): Promise<boolean> {
    const unknown = () => new UnknownParty();
    try {
      await write(this.db.manager, writes, [exists(Account, accountId, unknown), exists(User, userId, unknown)]);
      return true;
    } catch (error) {
      if (error instanceof UnknownParty) return false;
      throw error;
    }
  }
}

class UnknownParty extends Error {}
