import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { DAY_MS } from '../../common/time/days.js';
import { rows } from '../../common/db/query/rows.js';
import { page } from '../../common/list/page.js';
import { Partitions } from '../../common/partitions/partitions.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountChange } from './account-change.entity.js';
import type { ListAccountHistory } from './account-history.dto.js';

@Injectable()
export class AccountHistoryService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly partitions: Partitions,
  ) {}

  onModuleInit(): void {
    const keptMs = this.config.accountHistoryDays * DAY_MS || undefined;
    // the dispatcher plans its statement for all partitions each time, so there are few
    this.partitions.register(AccountChange, { width: keptMs ? 'quarter' : 'year', ahead: 1, keptMs });
  }

  /** The changes of one entity, newest first. */
  list(account: ActingAccount, query: ListAccountHistory) {
    const changes = rows(account.db, AccountChange)
      .readBy(account)
      .where('accountId', account.id)
      .where('entityType', query.entity_type)
      .where('entityId', query.entity_id)
      .whereInRange('changeTime', query.start_time, query.end_time);
    if (query.user_id !== undefined) changes.where('userId', query.user_id);
    return page(changes, query);
  }
}
