import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { allows } from '../../accounts/access/permission.js';
import { Clock } from '../../common/clock.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { actionNotAllowed } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { GetStatistics } from './account-statistics.dto.js';
import { windowProblems, type Place } from './statistics-window.rules.js';
import { StatisticsReader, type Statistics } from './statistics-reader.service.js';

/** The maximum time range, in days. */
const MAX_DAYS = 7;

/** What entities of an account delivered. */
@Injectable()
export class AccountStatisticsService {
  constructor(
    private readonly reader: StatisticsReader,
    private readonly clock: Clock,
  ) {}

  /** The statistics of some entities, in the order in which they are named. */
  async get(account: ActingAccount, request: Parsed<GetStatistics>): Promise<Statistics> {
    if (request.value('entity') !== 'ORGANIC_POST' && !allows(account.role, PAID_STATISTICS_READ))
      throw actionNotAllowed(`${account.role} has no permission for ${PAID_STATISTICS_READ.name}`);
    const place = { timezone: account.timezone, now: this.clock.nowFor(account) };
    return this.reader.read(account, request.paramsUnless(problemsOf(request, place)), place);
  }
}

/** Validates the time range, as far as it could be read. */
function problemsOf(request: Parsed<GetStatistics>, place: Place): ApiError[] {
  const asked = request.known('start_time', 'end_time', 'granularity');
  return asked ? windowProblems(asked, place, MAX_DAYS) : [];
}
