import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
import type { PromotableUser } from './promotable-user.entity.js';
import { PROMOTABLE_USERS } from './promotable-user.resource.js';
import type { ListPromotableUsers } from './promotable-users.dto.js';

@Injectable()
export class PromotableUsersService {
  constructor(private readonly resources: Resources) {}

  /** Part 3, 4.12. */
  list(account: ActingAccount, query: ListPromotableUsers) {
    return page(this.of(account).among('id', query.promotable_user_ids), query);
  }

  get(account: ActingAccount, id: string, query: OneQuery) {
    return one(this.of(account), id, PROMOTABLE_USERS.unknownTo(account), query);
  }

  /** What this user is to the account, or, where none is named, its FULL promotable user; undefined where there is none. */
  find(account: { id: string }, userId?: string, db?: EntityManager): Promise<Row<PromotableUser> | undefined> {
    const users = this.of(account, db);
    return (userId === undefined ? users.is('promotableUserType', 'FULL') : users.is('userId', userId)).first();
  }

  private of(account: { id: string }, db?: EntityManager) {
    return this.resources.of(account, PROMOTABLE_USERS, db);
  }
}
