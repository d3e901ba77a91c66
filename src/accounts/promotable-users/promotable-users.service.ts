import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { notFound } from '../../common/errors/catalogue.js';
import { among, one } from '../../common/list/filters.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { PromotableUser } from './promotable-user.entity.js';
import type { ListPromotableUsers } from './promotable-users.dto.js';

@Injectable()
export class PromotableUsersService {
  constructor(private readonly db: DataSource) {}

  /** Part 3, 4.12. */
  list(account: ActingAccount, query: ListPromotableUsers) {
    return page(among(this.of(account), 'id', query.promotable_user_ids), query);
  }

  get(account: ActingAccount, id: string, query: OneQuery) {
    return one(this.of(account), id, () => notFound('Promotable User', 'promotable_user_id', id, account.id), query);
  }

  private of(account: ActingAccount) {
    return rows(this.db.manager, PromotableUser).is('accountId', account.id);
  }
}
