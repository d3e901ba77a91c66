import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { recordChanges, type TimedAuthor } from '../../accounts/change-log/change-log.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { write } from '../../common/db/query/write.js';
import { CAMPAIGNS } from '../entities/campaign.entity.js';
import { LINE_ITEMS } from '../entities/line-item.entity.js';
import { FundingCache, type Funding } from '../funding-instruments/funding-cache.service.js';
import { FUNDING_INSTRUMENTS } from '../funding-instruments/funding-instrument.entity.js';
import { creditRemaining, fundsRemaining, isAbleToFund } from '../funding-instruments/funding-instrument.rules.js';
import { exhaustedCampaigns, exhaustedItems, type BeforeAndAfter, type SpentParents } from './exhausted-budgets.js';
import type { DeliveredHour } from './servable-items.statements.js';
import { addSpends } from './spending.statements.js';

/** What a line item spent, in micro-units; more than nothing. */
export interface LineItemSpend {
  lineItemId: string;
  campaignId: string;
  fundingInstrumentId: string;
  amount: number;
}

/** What an instrument can still pay, in micro-units, and when. */
export interface Payment {
  left: number;
  startTime: string;
  endTime: string | null;
}

/** The payments of the instruments that can pay within an hour, by id. */
export type Payable = Map<string, Payment>;

/** In whose name the spend is recorded. */
type Spender = TimedAuthor & Pick<ActingAccount, 'approvalStatus'>;

/** Number of rows whose history is stored at once. */
const RECORDED = 1_000;

/** Records the spend of many line items of an account at once. */
@Injectable()
export class DeliverySpending {
  constructor(
    private readonly resources: Resources,
    private readonly funding: FundingCache,
  ) {}

  /**
   * Locks funding instruments, asks `plan` for what line items spend in an hour, in the same transaction, and adds it to the line
   * items, their campaigns and the instruments. The history records the change of an instrument and each total budget that
   * runs out, and webhooks get it.
   */
  spend(
    by: Spender,
    fundingIds: readonly string[],
    hour: Pick<DeliveredHour, 'start' | 'end'>,
    plan: (payable: Payable, db: EntityManager) => Promise<LineItemSpend[]>,
  ): Promise<void> {
    let isFirst = true;
    return this.resources.changeLocked(by, FUNDING_INSTRUMENTS, [], async (unit) => {
      const { db } = unit;
      const stored = await unit.lock([...fundingIds].sort());
      // a statement that waited for a restore finds neither the rows before it nor those after it
      if (stored.length < fundingIds.length && isFirst) {
        isFirst = false;
        unit.retry();
      }
      const able = stored.filter((each) => canPayWithin(each, hour));
      const payable: Payable = new Map(able.map((each) => [each.id, paymentOf(each)]));
      const spends = await plan(payable, db);
      if (spends.length === 0) return;
      const [byItem, byCampaign] = [totals(spends, 'lineItemId'), totals(spends, 'campaignId')];
      const items = await addSpends(db, 'line_items', by.id, byItem);
      const campaigns = await addSpends(db, 'campaigns', by.id, byCampaign);
      for (const [id, amount] of totals(spends, 'fundingInstrumentId'))
        unit.update(id, { spentLocalMicro: unit.find(id).spentLocalMicro + amount });
      const instruments = new Map(stored.map((before) => [before.id, { before, after: unit.get(before.id)! }]));
      const amounts = { byItem, byCampaign, instruments };
      for (const page of pagesOf(items)) await this.recordItems(by, page, amounts, unit.now, db);
      for (const page of pagesOf(campaigns)) await this.recordCampaigns(by, page, amounts, unit.now, db);
      await this.funding.invalidate(db);
    });
  }

  /** Records line items whose total budget ran out. */
  private async recordItems(by: Spender, ids: string[], amounts: Amounts, now: Date, db: EntityManager): Promise<void> {
    const items = spent(await this.resources.of(by, LINE_ITEMS, db).whereIn('id', ids).getMany(), amounts.byItem);
    const campaignIds = [...items.values()].map(({ after }) => after.campaignId);
    const parents = await this.parents(by, campaignIds, amounts, db);
    await write(db, [recordChanges(exhaustedItems(by, items.values(), parents, now), by, now)]);
  }

  /** Records campaigns whose total budget ran out. */
  private async recordCampaigns(by: Spender, ids: string[], amounts: Amounts, now: Date, db: EntityManager) {
    const parents = await this.parents(by, ids, amounts, db);
    await write(db, [recordChanges(await exhaustedCampaigns(db, by, parents, now), by, now)]);
  }

  private async parents(by: Spender, ids: string[], { byCampaign, instruments }: Amounts, db: EntityManager) {
    const campaigns = this.resources.of(by, CAMPAIGNS, db).withDeleted();
    return { campaigns: spent(await campaigns.whereIn('id', [...new Set(ids)]).getMany(), byCampaign), instruments };
  }
}

/** What line items and campaigns spent, and their funding. */
interface Amounts extends Pick<SpentParents, 'instruments'> {
  byItem: ReadonlyMap<string, number>;
  byCampaign: ReadonlyMap<string, number>;
}

const pagesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / RECORDED) }, (_, i) => ids.slice(i * RECORDED, (i + 1) * RECORDED));

/** Rows that spent these amounts, by id. */
const spent = <R extends { id: string; spentLocalMicro: number }>(
  rows: readonly R[],
  amounts: ReadonlyMap<string, number>,
): Map<string, BeforeAndAfter<R>> =>
  new Map(
    rows.map((after) => {
      const before = { ...after, spentLocalMicro: after.spentLocalMicro - (amounts.get(after.id) ?? 0) };
      return [after.id, { before, after }];
    }),
  );

/** Whether an instrument can pay at the beginning of an hour, or from its own start in it. */
function canPayWithin(funding: Funding, { start, end }: Pick<DeliveredHour, 'start' | 'end'>): boolean {
  const from = Math.max(Date.parse(start), Date.parse(funding.startTime));
  return from < Date.parse(end) && isAbleToFund(funding, new Date(from));
}

/** An instrument without a limit can pay what its spend can express. */
const paymentOf = (funding: Funding): Payment => ({
  left: Math.min(
    creditRemaining(funding) ?? Infinity,
    fundsRemaining(funding) ?? Infinity,
    Number.MAX_SAFE_INTEGER - funding.spentLocalMicro,
  ),
  startTime: funding.startTime,
  endTime: funding.endTime,
});

function totals(
  spends: readonly LineItemSpend[],
  by: 'lineItemId' | 'campaignId' | 'fundingInstrumentId',
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const spend of spends) sums.set(spend[by], (sums.get(spend[by]) ?? 0) + spend.amount);
  return sums;
}
