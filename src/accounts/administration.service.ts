import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { User } from '../auth/credentials/user.entity.js';
import { Clock } from '../common/clock.js';
import { nextUpdatedAtOf } from '../common/db/query/computed.js';
import { exists } from '../common/db/query/preconditions.js';
import { retrying } from '../common/db/query/retry.js';
import { rows, type Row } from '../common/db/query/rows.js';
import { sqlStateOf } from '../common/db/query/sqlstate.js';
import { insert, insertOrUpdate, write, type Write } from '../common/db/query/write.js';
import { lockName } from '../common/db/query/name-lock.js';
import { newest, type Newest } from '../common/list/newest.js';
import { newRow } from '../common/db/query/new-row.js';
import { newId } from '../common/entity/ids.js';
import { AccountAccessService } from './access/account-access.service.js';
import { Membership } from './access/membership.entity.js';
import type { Role } from './access/roles.js';
import { Account } from './entities/account.entity.js';
import { Business } from './accounts/business.entity.js';
import type { Environment } from '../common/http/urls/public-urls.js';
import type { Feature } from './accounts.features.js';
import { PromotableUser, type PromotableUserType } from './promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from './promotable-users/promotable-users.service.js';

/** The account already has this promotable user, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Several businesses have this name. Only an id identifies one of them. */
export class SeveralBusinesses extends Error {}

/** A text that is an id and not the name of a business: see newId. */
const LOOKS_LIKE_ID = /^(?=.*\d)[0-9a-z]{11,13}$/;

/** Whether a user has a password and is not suspended. */
export const canSignIn = ({ passwordHash, suspendedAt }: Row<User>): boolean =>
  passwordHash !== null && suspendedAt === null;

/** Filters of a list of users. */
export interface UsersWanted extends Newest {
  /** A prefix of their usernames or names, case-insensitive. */
  name?: string;
  /** Only users who may act on an ad account. */
  withAccess?: boolean;
}

/** Filters of a list of accounts. */
export interface AccountsWanted extends Newest {
  /** A user who may access the accounts. */
  userId?: string;
  environment?: Environment;
  /** A prefix of their names, case-insensitive. */
  name?: string;
}

/** The business, members and promotable users of an account. */
export interface AccountParts {
  business: Business | null;
  members: Membership[];
  promotableUsers: PromotableUser[];
}

/** Operators' actions on accounts of both environments. The API does not offer them. */
@Injectable()
export class AdministrationService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly promotableUsers: PromotableUsersService,
  ) {}

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
    if (last && !canSignIn(last)) return newest(others, { before, limit });
    const first = await newest(signIn, { before, limit });
    const left = limit - first.length;
    return left > 0 ? [...first, ...(await newest(others, { limit: left }))] : first;
  }

  /** Accounts, newest first, filtered by a user with access, by environment and by name prefix. */
  newestAccounts({ userId, environment, name, ...wanted }: AccountsWanted): Promise<Row<Account>[]> {
    const accounts = rows(this.db.manager, Account).whereStartsWith('name', name);
    if (environment !== undefined) accounts.where('environment', environment);
    if (userId !== undefined)
      accounts.whereInSubquery('id', rows(this.db.manager, Membership).where('userId', userId), 'accountId');
    return newest(accounts, wanted);
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

  /** The first administrator of an account; undefined if it has none. */
  async administrator(accountId: string): Promise<string | undefined> {
    const where = { accountId, role: 'ACCOUNT_ADMIN' as const };
    return (await this.db.manager.findOne(Membership, { where, order: { createdAt: 'ASC' } }))?.userId;
  }

  createBusiness(name: string): Promise<Business> {
    return retrying(() => this.storeBusiness(this.db.manager, name));
  }

  /** The business with this id or name. An unknown name creates a business; an unknown id returns undefined. */
  business(idOrName: string): Promise<Business | undefined> {
    const foundOrMade = async (tx: EntityManager) => {
      // Two concurrent calls with the same new name get the same business.
      await lockName(tx, `business ${idOrName}`);
      const where = [{ id: idOrName }, { name: idOrName }];
      const [found, another] = await tx.find(Business, { where, order: { id: 'ASC' }, take: 2 });
      if (another) throw new SeveralBusinesses(`several businesses have the name ${idOrName}; give the id of one`);
      if (found || LOOKS_LIKE_ID.test(idOrName)) return found;
      return this.storeBusiness(tx, idOrName);
    };
    return retrying(() => this.db.transaction(foundOrMade));
  }

  /** Gives a user a role on an account and replaces the previous one; false if the account or user does not exist. */
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

  /** Removes a user's role on an account; false if they have none. */
  async revoke(accountId: string, userId: string): Promise<boolean> {
    const { affected } = await this.db.manager.delete(Membership, { accountId, userId });
    await this.access.invalidate();
    return affected === 1;
  }

  /** Adds and removes features, and returns those of the account; undefined if the account does not exist. */
  async changeFeatures(
    accountId: string,
    { add = [], remove = [] }: { add?: Feature[]; remove?: Feature[] },
  ): Promise<string[] | undefined> {
    return this.db.transaction(async (tx) => {
      const lock = { mode: 'for_no_key_update' } as const;
      const account = await tx.findOne(Account, { where: { id: accountId }, lock });
      if (!account) return undefined;
      const features = [...new Set([...account.features, ...add])]
        .filter((key) => !(remove as string[]).includes(key))
        .sort();
      await tx.update(Account, { id: accountId }, { features, updatedAt: nextUpdatedAtOf(this.clock.now()) });
      await this.access.invalidate(tx);
      return features;
    });
  }

  /** Lets an account promote a user's posts; undefined where there is no such account or user. */
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
          ? `account ${accountId} already has a FULL promotable user, and can have only one; remove that user first`
          : `this user is already a promotable user of account ${accountId}; to change the type, remove the user first`,
      );
    }
  }

  async removePromotableUser(accountId: string, userId: string): Promise<boolean> {
    const { manager } = this.db;
    const now = this.clock.now();
    const user = { accountId, userId, deletedAt: IsNull() };
    const { affected } = await manager.update(PromotableUser, user, { deletedAt: now, updatedAt: now });
    await this.promotableUsers.invalidate(manager);
    return affected === 1;
  }

  private async storeBusiness(db: EntityManager, name: string): Promise<Business> {
    const now = this.clock.now();
    const business = db.create(Business, { id: newId(now), createdAt: now, updatedAt: now, name });
    await db.insert(Business, business);
    return business;
  }

  /** Stores if both the account and the user exist; else returns false. */
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
