import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { retrying } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert } from '../../common/db/query/write.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { writeIfPartiesExist } from '../access/memberships.service.js';
import { Resources } from '../resources/resources.service.js';
import { PromotableUserCache } from './promotable-user-cache.service.js';
import { PROMOTABLE_USERS, PromotableUser, type PromotableUserType } from './promotable-user.entity.js';
import type { ListPromotableUsers } from './promotable-users.dto.js';

/** The account already has this promotable user, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Lists the users whose posts an account may promote. Operators add and remove them. */
@Injectable()
export class PromotableUsersService {
  constructor(
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly cache: PromotableUserCache,
  ) {}

  list(account: ActingAccount, query: ListPromotableUsers) {
    return page(this.resources.of(account, PROMOTABLE_USERS).whereIn('id', query.promotable_user_ids), query);
  }

  get(account: ActingAccount, id: string, query: OneQuery) {
    return one(this.resources.of(account, PROMOTABLE_USERS), id, PROMOTABLE_USERS.notFoundError(account), query);
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
    await this.cache.invalidate(manager);
    return affected === 1;
  }
}
