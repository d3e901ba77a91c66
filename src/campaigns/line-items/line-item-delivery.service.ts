import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { resetMeanwhile } from '../../accounts/accounts.errors.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { campaignAsOf, spreadsBudget } from '../budgets-as-of.js';
import { endInAnswers } from '../open-end.js';
import { deliverableItem, deliveryStateOf } from '../delivery-state.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { FundingCache } from '../funding-instruments/funding-cache.service.js';
import type { LineItemWithDelivery } from './line-item.presenter.js';

type LineItemRow = Row<LineItem>;
type CampaignRow = Row<Campaign>;

/** A line item after a write, with its campaign. */
export interface WrittenLineItem {
  item: LineItemRow;
  campaign: CampaignRow;
}

/** Determines whether line items can serve. */
@Injectable()
export class LineItemDelivery {
  constructor(
    private readonly funding: FundingCache,
    private readonly resources: Resources,
  ) {}

  /** The delivery of one line item that was written. */
  async written(account: ActingAccount, written: WrittenLineItem): Promise<LineItemWithDelivery> {
    return (await this.ofWritten(account, [written]))(written);
  }

  /** The delivery of line items that were written, whose campaigns are known. */
  async ofWritten(
    account: ActingAccount,
    written: readonly WrittenLineItem[],
  ): Promise<(written: WrittenLineItem) => LineItemWithDelivery> {
    const campaigns = new Map(written.map(({ campaign }) => [campaign.id, campaign]));
    const items = written.map(({ item }) => item);
    const deliver = await this.of(account, items, campaigns);
    return ({ item }) => deliver(item);
  }

  /** The delivery of line items. It depends on their campaigns and on funding, which are read for all of them at once. */
  async of(
    account: ActingAccount,
    items: LineItemRow[],
    known?: ReadonlyMap<string, CampaignRow>,
  ): Promise<(item: LineItemRow) => LineItemWithDelivery> {
    const campaigns = known ?? (await this.campaignsOf(account, items));
    const now = account.now();
    const approval = account.approvalStatus;
    const paying = new Set(items.map(({ fundingInstrumentId }) => fundingInstrumentId));
    const funded = await this.funding.able(account, paying, now);
    return (item) => {
      const campaign = campaigns.get(item.campaignId)!;
      const conditions = { campaign, funded: funded.has(item.fundingInstrumentId), approval };
      const delivery = deliveryStateOf(deliverableItem(item, now), conditions);
      const counted = campaignAsOf(campaign, account.asOf);
      const standardDelivery = counted.budgetOptimization === 'LINE_ITEM' ? spreadsBudget(item, counted) : null;
      return { item, delivery, standardDelivery, endTime: endInAnswers(item.endTime, account) };
    };
  }

  private async campaignsOf(account: ActingAccount, items: LineItemRow[]): Promise<Map<string, CampaignRow>> {
    const ids = [...new Set(items.map(({ campaignId }) => campaignId))];
    const found = await this.resources.of(account, CAMPAIGNS).withDeleted().whereIn('id', ids).getMany();
    if (found.length < ids.length) throw resetMeanwhile(account.id);
    return new Map(found.map((campaign) => [campaign.id, campaign]));
  }
}
