import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { RecordedChange } from '../../accounts/change-log/change-log.js';
import type { Row } from '../../common/db/query/rows.js';
import {
  deliverableItem,
  deliverableOf,
  deliveryStateOf,
  isExhausted,
  nearestItemOf,
  type DeliveryState,
} from '../delivery-state.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import type { Funding } from '../funding-instruments/funding-cache.service.js';
import { isAbleToFund } from '../funding-instruments/funding-instrument.rules.js';
import { nearestToServing } from '../statements/line-item.statements.js';

/** A row before and after a spend. */
export interface BeforeAndAfter<R> {
  before: R;
  after: R;
}

/** What line items depend on when they spend, by id. */
export interface SpentParents {
  campaigns: ReadonlyMap<string, BeforeAndAfter<Row<Campaign>>>;
  instruments: ReadonlyMap<string, BeforeAndAfter<Funding>>;
}

type Payer = Pick<ActingAccount, 'id' | 'approvalStatus'>;

/** The changes of line items whose own total budget ran out: whether they can serve, as their views show it. */
export function exhaustedItems(
  account: Payer,
  items: Iterable<BeforeAndAfter<Row<LineItem>>>,
  { campaigns, instruments }: SpentParents,
  now: Date,
): RecordedChange[] {
  return [...items].filter(isNewlyExhausted).flatMap((spent) =>
    changeOf('LINE_ITEM', spent.after.id, LINE_ITEMS.snapshot(spent.after), (when) => {
      const item = spent[when];
      const conditions = conditionsOf(account, instruments.get(item.fundingInstrumentId)![when], now);
      const campaign = campaigns.get(item.campaignId)![when];
      return deliveryStateOf(deliverableItem(item, now), { campaign, ...conditions });
    }),
  );
}

/**
 * The changes of campaigns whose total budget ran out. Their line items have no change of their own, as when a campaign is
 * paused.
 */
export async function exhaustedCampaigns(
  db: EntityManager,
  account: Payer,
  { campaigns, instruments }: SpentParents,
  now: Date,
): Promise<RecordedChange[]> {
  const ranOut = [...campaigns.values()].filter(({ after }) => after.deletedAt === null).filter(isNewlyExhausted);
  const complete = ranOut.filter(({ after }) => after.complete).map(({ after }) => after.id);
  const nearest = await nearestToServing(db, account.id, complete, now);
  return ranOut.flatMap((spent) =>
    changeOf('CAMPAIGN', spent.after.id, CAMPAIGNS.snapshot(spent.after), (when) => {
      const campaign = spent[when];
      const rank = nearest.get(campaign.id) ?? null;
      const deliverable = deliverableOf(campaign, rank === null ? undefined : nearestItemOf(rank), now);
      return deliveryStateOf(
        deliverable,
        conditionsOf(account, instruments.get(campaign.fundingInstrumentId)![when], now),
      );
    }),
  );
}

const conditionsOf = ({ approvalStatus: approval }: Payer, funding: Funding, now: Date) => ({
  funded: isAbleToFund(funding, now),
  approval,
});

const isNewlyExhausted = ({ before, after }: BeforeAndAfter<Parameters<typeof isExhausted>[0]>): boolean =>
  isExhausted(after) && !isExhausted(before);

/** A change of the fields of a view that a spend can change; none if they stay the same. */
function changeOf(
  entity: 'CAMPAIGN' | 'LINE_ITEM',
  id: string,
  snapshot: object,
  stateOf: (when: 'before' | 'after') => DeliveryState,
): RecordedChange[] {
  const [before, after] = [fieldsOf(stateOf('before')), fieldsOf(stateOf('after'))];
  if (isDeepStrictEqual(before, after)) return [];
  const [data, old] = [after, before].map((fields) => Object.assign({}, snapshot, fields));
  return [{ type: 'UPDATE', entity, id, data, before: old }];
}

const fieldsOf = ({ servable, reasons, effectiveStatus }: DeliveryState) => ({
  servable,
  reasons_not_servable: reasons,
  effective_status: effectiveStatus,
});
