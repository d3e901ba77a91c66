import { inSeconds } from '../../common/time/in-seconds.js';
import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { throwErrors } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { groupedBy } from '../../common/values/grouped.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { hoursOf } from '../account-statistics/valid-statistics.js';
import { deliveryRangeOf } from '../facts/delivery-range.rules.js';
import type { GetCampaignReach, GetFundingInstrumentReach } from './reach.dto.js';
import { reachOf, type Reach } from './reach.rules.js';
import { impressionsOf, type AskedImpressions } from './reach.statements.js';

/** The maximum time range, in days. */
const MAX_DAYS = 90;

/** The reach of entities, and the time range as the response echoes it. */
export interface Reaches {
  entities: (Reach & { id: string })[];
  startTime: string;
  endTime: string;
}

/** The reach of the ads of an account. */
@Injectable()
export class ReachService {
  /** The reach of campaigns, in the order in which they are named. */
  async ofCampaigns(account: ActingAccount, request: Parsed<GetCampaignReach>): Promise<Reaches> {
    const { params, start, end } = hoursOf(request, this.placeOf(account), MAX_DAYS);
    return this.read(account, { entity: 'CAMPAIGN', ids: params.campaign_ids }, start, end);
  }

  /** The reach of funding instruments, in the order in which they are named. */
  async ofFundingInstruments(account: ActingAccount, request: Parsed<GetFundingInstrumentReach>): Promise<Reaches> {
    const { params, start, end } = hoursOf(request, this.placeOf(account), MAX_DAYS);
    return this.read(account, { entity: 'FUNDING_INSTRUMENT', ids: params.funding_instrument_ids }, start, end);
  }

  private placeOf(account: ActingAccount) {
    return { timezone: account.timezone, now: account.now() };
  }

  private async read(
    account: ActingAccount,
    { entity, ids }: Pick<AskedImpressions, 'entity' | 'ids'>,
    start: number,
    end: number,
  ): Promise<Reaches> {
    const range = deliveryRangeOf(start, end, account.timezone);
    const found = await impressionsOf(account.db, { accountId: account.id, entity, ids, range }, account);
    const shown = found.map(({ impressions, ...part }) => ({ ...part, impressions: impressions ?? 0 }));
    const parts = groupedBy(shown, ({ id }) => id);
    const { what, parameter } = LABELS[entity];
    throwErrors(ids.filter((id) => !parts.has(id)).map((id) => notFound(what, parameter, id, account.id)));
    const entities = [...new Set(ids)].map((id) => ({ id, ...reachOf(parts.get(id)!) }));
    return { entities, startTime: inSeconds(start), endTime: inSeconds(end) };
  }
}

/** The names of the entities in a 404, and their parameter. */
const LABELS = {
  CAMPAIGN: { what: 'Campaign', parameter: 'campaign_ids' },
  FUNDING_INSTRUMENT: { what: 'Funding Instrument', parameter: 'funding_instrument_ids' },
} as const;
