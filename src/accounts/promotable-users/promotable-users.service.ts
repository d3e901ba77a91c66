import { Injectable } from '@nestjs/common';
import type { Row } from '../../common/db/query/rows.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
import type { PromotableUser, PromotableUserType } from './promotable-user.entity.js';
import { PROMOTABLE_USERS } from './promotable-user.resource.js';
import { PromotableUserWrites } from './promotable-user.writes.js';
import type { ListPromotableUsers } from './promotable-users.dto.js';

/** Lists the users whose posts an account may promote. Operators add and remove them. */
@Injectable()
export class PromotableUsersService {
  constructor(
    private readonly resources: Resources,
    private readonly writes: PromotableUserWrites,
  ) {}

  list(account: ActingAccount, query: ListPromotableUsers) {
    return page(this.resources.of(account, PROMOTABLE_USERS).whereIn('id', query.promotable_user_ids), query);
  }

  get(account: ActingAccount, id: string, query: OneQuery) {
    return one(this.resources.of(account, PROMOTABLE_USERS), id, PROMOTABLE_USERS.notFoundError(account), query);
  }

  /** Lets an account promote a user's posts; undefined where there is no such account or user. */
  add(accountId: string, userId: string, type: PromotableUserType): Promise<Row<PromotableUser> | undefined> {
    return this.writes.add(accountId, userId, type);
  }

  /** Ends the promotion of a user's posts; false if the account does not promote them. */
  remove(accountId: string, userId: string): Promise<boolean> {
    return this.writes.remove(accountId, userId);
  }
}
