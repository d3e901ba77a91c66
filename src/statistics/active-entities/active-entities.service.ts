import { inSeconds } from '../../common/time/in-seconds.js';
import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Clock } from '../../common/time/clock.js';
import { HOUR_MS } from '../../common/time/days.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { hoursOf } from '../account-statistics/valid-statistics.js';
import { deliveryRangeOf } from '../facts/delivery-range.rules.js';
import type { ListActiveEntities } from './active-entities.dto.js';
import { activityOf, type Activity, type AskedActivity } from './active-entities.statements.js';

/** The maximum time range, in days. */
const MAX_DAYS = 90;

/** The active entities, and the time range as the response echoes it. */
export interface ActiveEntities {
  entities: Activity[];
  startTime: string;
  endTime: string;
}

/** Which entities have new statistics. */
@Injectable()
export class ActiveEntitiesService {
  constructor(private readonly clock: Clock) {}

  /** The entities for which something was counted in a time range, by id. */
  async list(account: ActingAccount, request: Parsed<ListActiveEntities>): Promise<ActiveEntities> {
    const {
      params: query,
      start,
      end,
    } = hoursOf(request, { timezone: 'UTC', now: this.clock.now() }, MAX_DAYS, 'QUARTER_HOUR');
    // clients ask every fifteen minutes, and facts have hours
    const range = deliveryRangeOf(Math.floor(start / HOUR_MS) * HOUR_MS, end, account.timezone);
    const asked = { accountId: account.id, entity: query.entity, range, within: filterOf(query) };
    const entities = await activityOf(account.db, asked, account);
    return { entities, startTime: inSeconds(start), endTime: inSeconds(end) };
  }
}

function filterOf(query: ListActiveEntities): AskedActivity['within'] {
  const { campaign_ids, funding_instrument_ids, line_item_ids } = query;
  if (campaign_ids) return { column: 'campaignId', ids: campaign_ids };
  if (funding_instrument_ids) return { column: 'fundingInstrumentId', ids: funding_instrument_ids };
  return line_item_ids && { column: 'id', ids: line_item_ids };
}
