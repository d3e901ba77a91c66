import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { minimumDenomination } from '../../campaigns/money.js';
import { DeliverySpending, type LineItemSpend } from '../../campaigns/spending/delivery-spending.service.js';
import {
  servableCampaigns,
  servableItems,
  type DeliveredHour,
  type ServableItem,
} from '../../campaigns/spending/delivery-spending.statements.js';
import { HOUR_MS } from '../../common/days.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Timed } from '../../common/frozen-time.js';
import { Config } from '../../config.js';
import type { DeliveryFact } from '../facts/delivery-fact.entity.js';
import { DeliveryRollups } from '../facts/delivery-rollups.service.js';
import { firstHourOfDay, localHour } from '../time-zone.rules.js';
import { Budgets } from './budgets.js';
import { deliver } from './delivery.model.js';
import {
  chargedBetween,
  claimHour,
  simulatedAccount,
  storeFacts,
  type SimulatedAccount,
} from './delivery.statements.js';

/** Number of line items per read. */
const PAGE = 1_000;

/** Delivers the line items of accounts hour by hour: stores facts and the spend that they make. */
@Injectable()
export class SimulatedDelivery {
  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
    private readonly spending: DeliverySpending,
    private readonly rollups: DeliveryRollups,
  ) {}

  /**
   * Simulates an hour of a sandbox account in one transaction, which also moves the position of the account. Does nothing
   * if the position is after the hour already. Then sums the days that have ended.
   */
  async deliverHour(accountId: string, hour: Date, times: Timed = {}): Promise<void> {
    const account = await simulatedAccount(this.db.manager, accountId);
    if (!account) return;
    await this.deliverHourOf(account, hour, times);
    await this.rollups.tryRollUp(accountId, account.timezone, new Date(hour.getTime() + HOUR_MS));
  }

  private async deliverHourOf(account: SimulatedAccount, hour: Date, times: Timed): Promise<void> {
    const { id: accountId, userId, approvalStatus, timezone } = account;
    const end = new Date(hour.getTime() + HOUR_MS).toISOString();
    const delivered: DeliveredHour = { accountId, start: hour.toISOString(), end };
    const campaigns = approvalStatus === 'ACCEPTED' ? await servableCampaigns(this.db.manager, delivered) : [];
    if (campaigns.length === 0 || userId === null) return void (await claimHour(this.db.manager, accountId, end));
    const fundingIds = [...new Set(campaigns.map(({ fundingInstrumentId }) => fundingInstrumentId))];
    const by = { id: accountId, userId, ...times };
    await this.spending.spend(by, fundingIds, hour, async (payable, db) => {
      if (!(await claimHour(db, accountId, end))) return [];
      await this.rollups.reopen(db, accountId, timezone, hour);
      const dayStart = new Date(firstHourOfDay(timezone, hour.getTime())).toISOString();
      const charged = await chargedBetween(db, accountId, dayStart, delivered.start);
      const itemsOf = new Map(campaigns.map(({ id, items }) => [id, items]));
      const hourOfDay = localHour(timezone, hour.getTime());
      return this.deliverAll(db, delivered, hourOfDay, new Budgets(payable, charged, itemsOf));
    });
  }

  /** Delivers the line items page by page. */
  private async deliverAll(
    db: EntityManager,
    hour: DeliveredHour,
    hourOfDay: number,
    budgets: Budgets,
  ): Promise<LineItemSpend[]> {
    const spends: LineItemSpend[] = [];
    for (let last = ''; ;) {
      const items = await servableItems(db, hour, last, PAGE);
      const facts = items.flatMap((item) => this.deliverItem(item, hour, hourOfDay, budgets));
      for (const { billedChargeLocalMicro: amount, ...stored } of await storeFacts(db, facts))
        spends.push({ ...stored, amount });
      if (items.length < PAGE) return spends;
      last = items.at(-1)!.id;
    }
  }

  private deliverItem(
    item: ServableItem,
    { accountId, start, end }: DeliveredHour,
    hourOfDay: number,
    budgets: Budgets,
  ): Row<DeliveryFact>[] {
    const { id: lineItemId, campaignId, fundingInstrumentId, things } = item;
    if (!things || !budgets.isPayable(fundingInstrumentId)) return [];
    const optimized = item.campaign.budgetOptimization === 'CAMPAIGN';
    const simulated = {
      ...item,
      things,
      denomination: minimumDenomination(item.currency),
      dailyLocalMicro: budgets.dailyOf(item),
      standardDelivery: (optimized ? item.campaign.standardDelivery : item.standardDelivery) ?? true,
      dailyCap: item.frequencyCap === null ? null : Math.ceil(item.frequencyCap / (item.durationInDays ?? 1)),
    };
    const inFlight = inFlightOf(item, start, end);
    const at = { start, localHour: hourOfDay, inFlight };
    const facts = deliver(simulated, at, budgets.remaining(item), this.config.deliverySeed);
    budgets.charge(
      item,
      facts.reduce((sum, fact) => sum + fact.billedChargeLocalMicro, 0),
    );
    const of = { accountId, lineItemId, hour: start, campaignId, fundingInstrumentId, audienceId: '' };
    return facts.map((fact) => ({ ...of, ...fact }));
  }
}

/** How much of an hour is in the flight of a line item, in thousandths. */
function inFlightOf(
  { startTime, endTime }: Pick<ServableItem, 'startTime' | 'endTime'>,
  start: string,
  end: string,
): number {
  const from = Math.max(Date.parse(start), new Date(startTime).getTime());
  const to = Math.min(Date.parse(end), new Date(endTime).getTime());
  return Math.floor((Math.max(0, to - from) * 1_000) / HOUR_MS);
}
