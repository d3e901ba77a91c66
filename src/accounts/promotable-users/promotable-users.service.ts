import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { newRow } from '../../common/db/query/new-row.js';
import { allExist } from '../../common/db/query/preconditions.js';
import { ConflictRetry, retrying } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { insert, type Precondition } from '../../common/db/query/write.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { writeIfPartiesExist } from '../access/parties.js';
import { Resources } from '../resources/resources.service.js';
import { PromotableUser, type PromotableUserType } from './promotable-user.entity.js';
import { PROMOTABLE_USERS } from './promotable-user.resource.js';
import type { ListPromotableUsers } from './promotable-users.dto.js';

const CHANNEL = 'promotable users';

/** The account already has this promotable user, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Lists and finds the users whose posts an account may promote. Operators add and remove them. */
@Injectable()
export class PromotableUsersService {
  /**
   * Serves posts, line items and promoted content. A statement that stores data based on a cached row checks the row
   * again.
   */
  private readonly known: SharedCache<Row<PromotableUser>>;

  constructor(
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly clock: Clock,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 20_000 });
  }

  list(account: ActingAccount, query: ListPromotableUsers) {
    return page(this.of(account).whereIn('id', query.promotable_user_ids), query);
  }

  get(account: ActingAccount, id: string, query: OneQuery) {
    return one(this.of(account), id, PROMOTABLE_USERS.notFoundError(account), query);
  }

  /**
   * The account's promotable user with this user id or, without one, its FULL promotable user; undefined if there is
   * none. The result may be cached: statements that depend on it must require `exist`. `db`: reads again in a
   * transaction.
   */
  async find(account: { id: string }, userId?: string, db?: EntityManager): Promise<Row<PromotableUser> | undefined> {
    const key = `${account.id} ${userId ?? ''}`;
    const known = db?.queryRunner ? undefined : this.known.get(key);
    if (known) return known;
    const keep = this.known.beginRead();
    const users = this.of(account, db);
    const found = await (
      userId === undefined ? users.where('promotableUserType', 'FULL') : users.where('userId', userId)
    ).getOne();
    if (found) keep(key, found);
    return found;
  }

  /**
   * Requires that these promotable users still exist, for statements that depend on them. Otherwise they are read
   * again. They change in no other way.
   */
  exist(users: readonly Row<PromotableUser>[]): Precondition {
    return allExist(
      PromotableUser,
      users.map(({ id }) => id),
      () => {
        this.known.clear();
        return new ConflictRetry();
      },
    );
  }

  /** Lets an account promote a user's posts; undefined where there is no such account or user. */
  async add(accountId: string, userId: string, type: PromotableUserType): Promise<Row<PromotableUser> | undefined> {
    try {
      return await retrying(async () => {
        const user = { ...newRow(this.clock.now()), accountId, userId, promotableUserType: type };
        return (await writeIfPartiesExist(this.db.manager, user, [insert(PromotableUser, [user])])) ? user : undefined;
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

  /** Ends the promotion of a user's posts; false if the account does not promote them. */
  async remove(accountId: string, userId: string): Promise<boolean> {
    const { manager } = this.db;
    const now = this.clock.now();
    const user = { accountId, userId, deletedAt: IsNull() };
    const { affected } = await manager.update(PromotableUser, user, { deletedAt: now, updatedAt: now });
    await this.invalidate(manager);
    return affected === 1;
  }

  /** Call this in the transaction that changes promotable users, or after the statement. */
  invalidate(db: EntityManager): Promise<void> {
    return this.known.invalidate(db);
  }

  private of(account: { id: string }, db?: EntityManager) {
    return this.resources.of(account, PROMOTABLE_USERS, db);
  }
}
