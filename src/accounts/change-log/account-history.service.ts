import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountChange } from './account-change.entity.js';
import type { ListAccountHistory } from './account-history.dto.js';

@Injectable()
export class AccountHistoryService {
  constructor(private readonly db: DataSource) {}

  /** The changes of one entity, newest first. */
  list(account: ActingAccount, query: ListAccountHistory) {
    const changes = rows(this.db.manager, AccountChange)
      .where('accountId', account.id)
      .where('entityType', query.entity_type)
      .where('entityId', query.entity_id)
      .whereInRange('changeTime', query.start_time, query.end_time);
    if (query.user_id !== undefined) changes.where('userId', query.user_id);
    return page(changes, query);
  }
}
