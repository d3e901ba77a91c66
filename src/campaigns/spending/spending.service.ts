import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { recordChanges } from '../../accounts/change-log/change-log.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { FundingCache, type Funding } from '../funding-instruments/funding-cache.service.js';
import { FUNDING_INSTRUMENTS } from '../funding-instruments/funding-instrument.entity.js';
import { unspendable } from '../funding-instruments/funding-instrument.rules.js';
import type { SpendFunding } from '../funding-instruments/funding-instruments.dto.js';
import { exhaustedCampaigns, exhaustedItems, type BeforeAndAfter } from './exhausted-budgets.js';
import { spentOn } from './spending.statements.js';

/** A funding instrument after a spend, with the campaign and line item that spent the amount. */
export interface Spent {
  funding: Funding;
  campaign?: Row<Campaign>;
  item?: Row<LineItem>;
}

/** Records the spend of line items and campaigns. */
@Injectable()
export class SpendingService {
  constructor(
    private readonly resources: Resources,
    private readonly funding: FundingCache,
  ) {}

  /**
   * Adds an amount to the spend of a line item, its campaign and the funding instrument in one statement. All of them
   * must exist. Does not check the remaining credit. The history also records a total budget that runs out.
   */
  spend(account: ActingAccount, id: string, params: SpendFunding): Promise<Spent> {
    const { amount_local_micro: amount, campaign_id, line_item_id } = params;
    return this.resources.changeLocked(account, FUNDING_INSTRUMENTS, [], async (unit) => {
      const { db } = unit;
      const { currency, spentLocalMicro: before } = await unit.lockOne(id);
      const problem = unspendable({ currency, spentLocalMicro: before }, amount);
      if (problem) throw problem;
      const item = line_item_id === undefined ? undefined : await this.lockedItem(account, id, params, db);
      const campaignId = item?.campaignId ?? campaign_id;
      const campaign = campaignId === undefined ? undefined : await this.lockedCampaign(account, id, campaignId, db);
      if (item) unit.addWrite(spentOn('line_items', item, amount));
      if (campaign) unit.addWrite(spentOn('campaigns', campaign, amount));
      const funding = unit.update(id, { spentLocalMicro: before + amount });
      await this.funding.invalidate(db);
      const parents = {
        campaigns: new Map(campaign ? [[campaign.id, spending(campaign, amount)]] : []),
        instruments: new Map([[id, { before: unit.stored.get(id)!, after: funding }]]),
      };
      const changes = [
        ...exhaustedItems(account, item ? [spending(item, amount)] : [], parents, unit.now),
        ...(await exhaustedCampaigns(db, account, parents, unit.now)),
      ];
      unit.addWrite(recordChanges(changes, account, unit.now));
      return {
        funding,
        ...(campaign && { campaign: spending(campaign, amount).after }),
        ...(item && { item: spending(item, amount).after }),
      };
    });
  }

  /** What campaigns or line items of an account spent in all, in micro-units by id. */
  async spentBy(
    account: ActingAccount,
    entity: 'CAMPAIGN' | 'LINE_ITEM',
    ids: readonly string[],
  ): Promise<Map<string, number>> {
    const spenders = await (entity === 'CAMPAIGN'
      ? this.resources.of(account, CAMPAIGNS).withDeleted().whereIn('id', ids).getMany()
      : this.resources.of(account, LINE_ITEMS).withDeleted().whereIn('id', ids).getMany());
    return new Map(spenders.map(({ id, spentLocalMicro }) => [id, spentLocalMicro]));
  }

  /**
   * A line item that the instrument pays for, in the named campaign, if any. It is locked before its campaign, as
   * everywhere.
   */
  private async lockedItem(
    account: ActingAccount,
    fundingInstrumentId: string,
    { campaign_id, line_item_id: id = '' }: SpendFunding,
    db: EntityManager,
  ): Promise<Row<LineItem>> {
    const items = this.resources
      .of(account, LINE_ITEMS, db)
      .where('id', id)
      .where('fundingInstrumentId', fundingInstrumentId)
      .whereTrue('campaignDeleted', false);
    if (campaign_id !== undefined) items.where('campaignId', campaign_id);
    const item = await items.setLock('for_no_key_update').getOne();
    if (!item) throw LINE_ITEMS.notFoundError(account)(id);
    return item;
  }

  /** A campaign that the instrument pays for. */
  private async lockedCampaign(
    account: ActingAccount,
    fundingInstrumentId: string,
    id: string,
    db: EntityManager,
  ): Promise<Row<Campaign>> {
    const campaigns = this.resources.of(account, CAMPAIGNS, db).where('id', id);
    const campaign = await campaigns
      .where('fundingInstrumentId', fundingInstrumentId)
      .setLock('for_no_key_update')
      .getOne();
    if (!campaign) throw CAMPAIGNS.notFoundError(account)(id);
    return campaign;
  }
}

/** A row before and after it spends an amount. */
const spending = <R extends { spentLocalMicro: number }>(before: R, amount: number): BeforeAndAfter<R> => ({
  before,
  after: { ...before, spentLocalMicro: before.spentLocalMicro + amount },
});
