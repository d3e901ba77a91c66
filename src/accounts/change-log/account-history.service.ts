import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { ApiErrors, type ApiError } from '../../common/errors/api-error.js';
import { invalid, invalidTimeWindow } from '../../common/errors/catalogue.js';
import { page } from '../../common/list/page.js';
import type { ActingAccount } from '../access/acting-account.js';
import { AccountChange } from './account-change.entity.js';
import type { ListAccountHistory } from './account-history.dto.js';

@Injectable()
export class AccountHistoryService {
  constructor(private readonly db: DataSource) {}

  /** Part 3, 4.1: the changes of one entity, newest first. */
  list(account: ActingAccount, query: ListAccountHistory) {
    assertWholeHours(query);
    const changes = rows(this.db.manager, AccountChange)
      .is('accountId', account.id)
      .is('entityType', query.entity_type)
      .is('entityId', query.entity_id)
      .between('changeTime', query.start_time, query.end_time);
    if (query.user_id !== undefined) changes.is('userId', query.user_id);
    return page(changes, query);
  }
}

/** Part 3, 8: account history times are whole hours. */
function assertWholeHours({ start_time, end_time }: ListAccountHistory): void {
  const problems: ApiError[] = Object.entries({ start_time, end_time })
    .filter(([, time]) => !time.endsWith(':00:00Z'))
    .map(([name, time]) =>
      invalid(name, `Expected a whole hour for ${name}, got "${time}"`, {
        value: time,
        details: 'minutes and seconds must be 0',
      }),
    );
  if (problems.length === 0 && end_time <= start_time) {
    problems.push(invalidTimeWindow('end_time', 'end_time must be after start_time', end_time));
  }
  if (problems.length > 0) throw new ApiErrors(problems);
}
