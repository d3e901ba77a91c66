import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppEventTagsService } from '../../app-measurement/app-event-tags/app-event-tags.service.js';
import {
  DeliverySpending,
  type LineItemSpend,
  type Payable,
} from '../../campaigns/spending/delivery-spending.service.js';
import { campaignAsOf } from '../../campaigns/budgets-as-of.js';
import { promotedThings } from '../../campaigns/spending/promoted-things.js';
import {
  servableCampaigns,
  servableItems,
  type ServableItem,
} from '../../campaigns/spending/servable-items.statements.js';
import { Clock } from '../../common/time/clock.js';
import { HOUR_MS } from '../../common/time/days.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import { inSlices } from '../../common/concurrency/in-slices.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { Config } from '../../config/config.js';
import { LeadsService } from '../../creatives/leads/leads.service.js';
import { EngagementsService } from '../../measurement/engagements/engagements.service.js';
import { DeliveryRollups } from '../facts/delivery-rollups.service.js';
import { Budgets } from './budgets.js';
import { deliverItem, hourIn, type LocalHour } from './deliver-item.js';
import { DeliveryAudiences, type ItemAudience } from './delivery-audiences.service.js';
import { Draws } from './draw.js';
import { EngagementDraws, MAX_DRAWN } from './drawn-engagements.js';
import { LeadDraws } from './drawn-leads.js';
import { claimHour, setPositionsBack, simulatedAccount, type SimulatedAccount } from './delivery.statements.js';
import { chargedBetween, storeFacts, type DeliveredItem } from './new-facts.statements.js';

/** Number of line items per read. */
const PAGE = 5_000;

/** Delivers the line items of accounts hour by hour: stores facts and the spend that they make. */
@Injectable()
export class SimulatedDelivery {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly spending: DeliverySpending,
    private readonly audiences: DeliveryAudiences,
    private readonly rollups: DeliveryRollups,
    private readonly engagements: EngagementsService,
    private readonly appTags: AppEventTagsService,
    private readonly leads: LeadsService,
  ) {}

  /**
   * Accounts that get a test clock deliver from its time on, in the transaction of `db`. What they have delivered of later
   * hours stays as it is.
   */
  beginAt(db: EntityManager, accountIds: readonly string[], time: string): Promise<void> {
    return setPositionsBack(db, accountIds, time);
  }

  /**
   * Simulates an hour of a sandbox account in one transaction, which also moves the position of the account. Does nothing
   * if the position is after the hour already. Then sums the days that have ended.
   */
  async deliverHour(accountId: string, start: Date, times: TimeSource = this.clock): Promise<void> {
    const account = await simulatedAccount(this.db.manager, accountId);
    if (!account) return;
    await this.deliverHourOf(account, start, times);
    await this.rollups.tryRollUp(accountId, account.timezone, new Date(start.getTime() + HOUR_MS));
  }

  private async deliverHourOf(account: SimulatedAccount, start: Date, times: TimeSource): Promise<void> {
    const { id: accountId, userId, approvalStatus, timezone } = account;
    const hour = hourIn(timezone, accountId, start);
    const campaigns = approvalStatus === 'ACCEPTED' ? await servableCampaigns(this.db.manager, hour) : [];
    if (campaigns.length === 0 || userId === null) return void (await claimHour(this.db.manager, accountId, hour.end));
    const fundingIds = [...new Set(campaigns.map(({ fundingInstrumentId }) => fundingInstrumentId))];
    const by = { id: accountId, userId, approvalStatus, db: this.db.manager, now: () => times.now() };
    const audiences = await this.audiences.prepare(hour);
    await this.spending.spend(by, fundingIds, hour, async (payable, db) => {
      if (!(await claimHour(db, accountId, hour.end))) return [];
      await this.rollups.reopen(db, accountId, timezone, start);
      return this.deliverAll(db, { ...hour, now: by.now }, payable, await this.audiences.store(db, hour, audiences));
    });
  }

  /** Delivers the line items page by page. */
  private async deliverAll(
    db: EntityManager,
    hour: LocalHour & TimeSource,
    payable: Payable,
    audiences: ReadonlyMap<string, ItemAudience>,
  ): Promise<LineItemSpend[]> {
    const campaigns = await servableCampaigns(db, hour);
    const charged = await chargedBetween(db, hour.accountId, hour.dayStart, hour.dayEnd);
    const { deliverySeed: seed, asOf } = this.config;
    const byId = new Map(campaigns.map((campaign) => [campaign.id, campaignAsOf(campaign, asOf)]));
    const budgets = new Budgets(payable, charged, byId);
    const spends: LineItemSpend[] = [];
    const { hasTags, since } = await this.engagements.measured(db, hour.accountId);
    const tags = { web: hasTags, app: await this.appTags.exist(db, hour.accountId) };
    const engaged = new EngagementDraws(hour, tags);
    const submitted = new LeadDraws(hour);
    const reportsOwn = since !== null && Date.parse(since) < Date.parse(hour.end);
    for (let last = ''; ;) {
      const items = await servableItems(db, hour, last, PAGE);
      const ids = items.map(({ id }) => id);
      const things = await promotedThings(db, hour.accountId, ids);
      const delivered: (DeliveredItem & { item: ServableItem })[] = [];
      await inSlices(items, (item) => {
        const [audience, shown] = [audiences.get(item.id), things.get(item.id)];
        if (!audience || !shown) return;
        const seen = { id: item.id, audience: audience.users, things: shown };
        const facts = deliverItem(item, seen, hour, { budgets, seed, reportsOwn, asOf });
        if (facts.length === 0) return;
        delivered.push({ item, audienceId: audience.id, facts });
      });
      const stored = await storeFacts(db, hour, delivered);
      spends.push(...stored.filter(({ amount }) => amount > 0));
      // an hour that is delivered again, for a clock that begins before it, has its people already
      const isNew = new Set(stored.map(({ lineItemId }) => lineItemId));
      await inSlices(delivered, ({ item, facts }) => {
        if (!isNew.has(item.id)) return;
        engaged.add(item, audiences.get(item.id)!, facts);
        submitted.add(item, things.get(item.id)!, facts);
      });
      if (items.length < PAGE) break;
      last = ids.at(-1)!;
    }
    await this.drawEngagements(db, hour, engaged);
    await this.drawLeads(db, hour, submitted);
    return spends;
  }

  /**
   * Sums have no people. Only an account with event tags has a few, to whom conversions can be attributed. An account at
   * its limit gets no more of them; its figures continue.
   */
  private async drawEngagements(
    db: EntityManager,
    hour: LocalHour & TimeSource,
    engaged: EngagementDraws,
  ): Promise<void> {
    const { accountId: id, start } = hour;
    if (engaged.isEmpty) return;
    const draws = Draws.of(this.config.deliverySeed, id, start, 'engagements');
    const users = await this.engagements.users(db, draws.draw('users'), 2 * MAX_DRAWN);
    const drawn = engaged.of(users, draws);
    await withinQuota(db, (tx) => this.engagements.store(tx, { id, now: () => hour.now() }, drawn));
  }

  /** Some of those who click on a card that leads to a lead form submit it. */
  private async drawLeads(db: EntityManager, { accountId, start }: LocalHour, submitted: LeadDraws): Promise<void> {
    const open = await this.leads.openForms(db, accountId, submitted.formIds);
    if (open.size === 0) return;
    const drawn = submitted.of(open, Draws.of(this.config.deliverySeed, accountId, start, 'leads'));
    await withinQuota(db, (tx) => this.leads.store(tx, accountId, drawn));
  }
}

/** Stores rows in the transaction, or none if they exceed a quota. */
async function withinQuota(db: EntityManager, store: (tx: EntityManager) => Promise<unknown>): Promise<void> {
  await db.transaction(store).catch((error: unknown) => {
    if (!isQuotaExceeded(error)) throw error;
  });
}
