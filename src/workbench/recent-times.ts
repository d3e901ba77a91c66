import { Injectable } from '@nestjs/common';
import type { Account } from '../accounts/entities/account.entity.js';
import type { Row } from '../common/db/query/rows.js';
import { expectedError } from '../common/http/params/refusals.js';
import { Clock } from '../common/time/clock.js';
import { DAY_MS } from '../common/time/days.js';

/** Times at which tests let something happen. */
@Injectable()
export class RecentTimes {
  constructor(private readonly clock: Clock) {}

  /** The value of `time`, or now by the clock of the account; 400 for a time in the future or more than `days` days ago. */
  of(account: Row<Account>, given: string | undefined, days: number): Date {
    const now = this.clock.timeOf(account)();
    const at = given === undefined ? now : new Date(given);
    const age = now.getTime() - at.getTime();
    if (age >= 0 && age <= days * DAY_MS) return at;
    throw expectedError(`a time of the last ${days} days by the clock of the account`, given, 'time');
  }
}
