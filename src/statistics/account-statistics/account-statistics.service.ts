import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { GetStatistics } from './account-statistics.dto.js';
import { MAX_WINDOW_DAYS } from './statistics-window.rules.js';
import { StatisticsReader, type Statistics } from './statistics-reader.service.js';
import { validStatistics } from './valid-statistics.js';

/** The statistics of entities of an account. */
@Injectable()
export class AccountStatisticsService {
  constructor(private readonly reader: StatisticsReader) {}

  /** The statistics of some entities, in the order in which they are named. */
  async get(account: ActingAccount, request: Parsed<GetStatistics>): Promise<Statistics> {
    const context = { timezone: account.timezone, now: account.now() };
    const longer = `POST /12/stats/jobs/accounts/${account.id} takes up to ${MAX_WINDOW_DAYS.job} days`;
    return this.reader.read(
      account,
      validStatistics(account, request, context, MAX_WINDOW_DAYS.request, longer),
      context,
    );
  }
}
