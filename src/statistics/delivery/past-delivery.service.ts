import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { campaignAsOf } from '../../campaigns/budgets-as-of.js';
import {
  DeliverySpending,
  type LineItemSpend,
  type Payable,
} from '../../campaigns/spending/delivery-spending.service.js';
import { promotedThings } from '../../campaigns/spending/promoted-things.js';
import {
  servableCampaigns,
  servableItems,
  type ServableCampaign,
  type ServableItem,
} from '../../campaigns/spending/servable-items.statements.js';
import { HOUR_MS } from '../../common/time/days.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Config } from '../../config/config.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';
import { DeliveryRollups } from '../facts/delivery-rollups.service.js';
import { firstHourOfDay } from '../../common/time/time-zones.js';
import { Budgets, type Charge } from './budgets.js';
import { deliverItem, hourIn, type LocalHour } from './deliver-item.js';
import { DeliveryAudiences } from './delivery-audiences.service.js';
import type { CountedConversions } from './delivery.conversions.js';
import type { PromotedThing } from './simulated-line-item.js';

/** Maximum number of line items: their facts of all hours are in memory. */
const MAX_ITEMS = 20;

/** A line item with what it shows and to whom. */
interface ShownItem {
  item: ServableItem;
  things: readonly PromotedThing[];
  audienceId: string;
  users: number;
}

/** Fills accounts with what their line items would have delivered before they existed. */
@Injectable()
export class PastDelivery {
  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
    private readonly spending: DeliverySpending,
    private readonly audiences: DeliveryAudiences,
    private readonly rollups: DeliveryRollups,
  ) {}

  /**
   * Delivers what serves now, of an account of either environment, in its flights within the last days until now: the same
   * formulas, facts and spend in a few statements. The figures depend on the order of line items and creatives and not on
   * their ids, so that worlds which are made in the same way have the same figures.
   */
  async fill(account: ActingAccount, days: number, now: Date): Promise<void> {
    const { id: accountId, timezone } = account;
    const until = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    const current = hourIn(timezone, accountId, new Date(until));
    const servable = await servableCampaigns(this.db.manager, current);
    const campaigns = new Map(servable.map((each) => [each.id, campaignAsOf(each, this.config.asOf)]));
    const items = await this.shownItems(current);
    const fundingIds = [...new Set(items.map(({ item }) => item.fundingInstrumentId))];
    if (fundingIds.length === 0) return;
    const from = firstHourOfDay(timezone, now.getTime() - (days - 1) * 24 * HOUR_MS);
    const hours = Array.from({ length: (until - from) / HOUR_MS }, (_, i) =>
      hourIn(timezone, accountId, new Date(from + i * HOUR_MS)),
    );
    await this.spending.spend(account, fundingIds, current, async (payable, db) => {
      // what is made now has a past, too
      for (const payment of payable.values()) payment.startTime = new Date(from).toISOString();
      // their spend is added up in them, and a transaction that is repeated begins from what is stored
      const [own, ofOwn] = [items.map(copied), new Map([...campaigns].map(([id, each]) => [id, { ...each }]))];
      const facts = this.deliverAll(own, hours, payable, ofOwn);
      // an hour that the service delivered meanwhile may have had the days before it summed
      await this.rollups.reopen(db, accountId, timezone, new Date(from));
      // without charges nothing else locks the account, and a reset would not see the facts
      await write(db, [insert(DeliveryFact, facts)], [exists(Account, account, () => accountNotFound(accountId))]);
      return facts.flatMap(({ billedChargeLocalMicro: amount, ...fact }) =>
        amount > 0 ? [spendOf(fact, amount)] : [],
      );
    });
    await this.rollups.rollUp(accountId, timezone, now);
  }

  private async shownItems(hour: LocalHour): Promise<ShownItem[]> {
    const { manager } = this.db;
    const items = await servableItems(manager, hour, '', MAX_ITEMS);
    const things = await promotedThings(
      manager,
      hour.accountId,
      items.map(({ id }) => id),
    );
    const audiences = await this.audiences.store(manager, hour, await this.audiences.prepare(hour));
    return items.flatMap((item) => {
      const [shown, audience] = [things.get(item.id), audiences.get(item.id)];
      return shown && audience ? [{ item, things: shown, audienceId: audience.id, users: audience.users }] : [];
    });
  }

  private deliverAll(
    items: readonly ShownItem[],
    hours: readonly LocalHour[],
    payable: Payable,
    campaigns: ReadonlyMap<string, ServableCampaign>,
  ): Row<DeliveryFact>[] {
    const { deliverySeed: seed, asOf } = this.config;
    const facts: Row<DeliveryFact>[] = [];
    let charged: Charge[] = [];
    let day = '';
    for (const hour of hours) {
      if (hour.dayStart !== day) charged = [];
      day = hour.dayStart;
      const budgets = new Budgets(payable, charged, campaigns);
      const before = charged.length;
      for (const [place, { item, things, audienceId, users }] of items.entries()) {
        const { id: lineItemId, campaignId, fundingInstrumentId } = item;
        const of = { accountId: hour.accountId, lineItemId, campaignId, fundingInstrumentId, audienceId };
        // the place in a list stands for an id, which differs in each world
        const unnamed = things.map((thing, i) => ({ ...thing, id: `${i}` }));
        const shown = { id: `${place}`, audience: users, things: unnamed };
        for (const fact of deliverItem(item, shown, hour, { budgets, seed, asOf })) {
          const { conversions, ...counts } = fact;
          const promotedId = things[Number(fact.promotedId)].id;
          charged.push({ lineItemId, campaignId, amount: fact.billedChargeLocalMicro });
          // columns of conversions that are absent are null
          facts.push({ hour: hour.start, ...of, ...counts, promotedId, ...counted(conversions) } as Row<DeliveryFact>);
        }
      }
      addToSpent(items, campaigns, charged.slice(before));
    }
    return facts;
  }
}

/** Adds what an hour cost to what the line items and campaigns have spent: total budgets limit all hours together. */
function addToSpent(
  items: readonly ShownItem[],
  campaigns: ReadonlyMap<string, ServableCampaign>,
  charged: readonly Charge[],
): void {
  const byId = new Map(items.map(({ item }) => [item.id, item]));
  for (const { lineItemId, campaignId, amount } of charged) {
    byId.get(lineItemId)!.spentLocalMicro += amount;
    campaigns.get(campaignId)!.spentLocalMicro += amount;
  }
}

const copied = (shown: ShownItem): ShownItem => ({ ...shown, item: { ...shown.item } });

/** The conversions that happened. */
const counted = (conversions: CountedConversions): CountedConversions =>
  Object.fromEntries(Object.entries(conversions).filter(([, count]) => count > 0));

const spendOf = ({ lineItemId, campaignId, fundingInstrumentId }: Omit<LineItemSpend, 'amount'>, amount: number) => ({
  lineItemId,
  campaignId,
  fundingInstrumentId,
  amount,
});
