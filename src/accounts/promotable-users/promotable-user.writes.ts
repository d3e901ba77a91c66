import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { retrying } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { insert } from '../../common/db/query/write.js';
import { writeIfPartiesExist } from '../access/parties.js';
import { PromotableUserCache } from './promotable-user-cache.service.js';
import { PromotableUser, type PromotableUserType } from './promotable-user.entity.js';

/** The account already has this promotable user, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Stores and deletes the promotable users of accounts. */
@Injectable()
export class PromotableUserWrites {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly cache: PromotableUserCache,
  ) {}

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
