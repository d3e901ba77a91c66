import { Injectable } from '@nestjs/common';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
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

  private of(account: ActingAccount) {
    return this.resources.of(account, PROMOTABLE_USERS);
  }
}
