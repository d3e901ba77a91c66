import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { allExist } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { AccountReader } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
import { PROMOTABLE_USERS, PromotableUser } from './promotable-user.entity.js';

const CHANNEL = 'promotable users';

/**
 * Finds promotable users for posts, line items and promoted content. A statement that stores data based on a cached row
 * checks the row again.
 */
@Injectable()
export class PromotableUserCache {
  private readonly known: SharedCache<Row<PromotableUser>>;

  constructor(
    private readonly resources: Resources,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 20_000 });
  }

  /**
   * The account's promotable user with this user id or, without one, its FULL promotable user; undefined if there is
   * none. The result may be cached: statements that depend on it must require `exist`. `db`: reads again in a
   * transaction.
   */
  async find(account: AccountReader, userId?: string, db?: EntityManager): Promise<Row<PromotableUser> | undefined> {
    const key = `${account.id} ${userId ?? ''}`;
    const known = db?.queryRunner ? undefined : this.known.get(key);
    if (known) return known;
    const keep = this.known.beginRead();
    const users = this.resources.of(account, PROMOTABLE_USERS, db);
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
    return allExist(PromotableUser, users, () => {
      this.known.clear();
      return new ConflictRetry();
    });
  }

  /** Call this in the transaction that changes promotable users, or after the statement. */
  invalidate(db: EntityManager): Promise<void> {
    return this.known.invalidate(db);
  }
}
