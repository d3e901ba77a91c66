import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { campaignInAnswers } from '../budgets-as-of.js';
import { deliverableOf, deliveryStateOf, nearestItemOf } from '../delivery-state.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import { FundingCache } from '../funding-instruments/funding-cache.service.js';
import { nearestOfCampaign, nearestToServing } from '../statements/line-item.statements.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';

type CampaignRow = Row<Campaign>;

/** A campaign and the rank of its line item that is nearest to serving, read together. */
export type WithNearest = Campaign & { nearest: number | null };

/** Determines whether campaigns can serve. */
@Injectable()
export class CampaignDelivery {
  constructor(
    private readonly funding: FundingCache,
    private readonly resources: Resources,
  ) {}

  /** A query for the campaigns of an account, each with its line item that is nearest to serving at this time. */
  withNearest(account: ActingAccount, now: Date): Rows<WithNearest> {
    const nearest = nearestOfCampaign(now);
    return this.resources.of(account, CAMPAIGNS).addSelect<'nearest', number | null>('nearest', nearest);
  }

  /** The delivery of one campaign that was written. */
  async written(account: ActingAccount, campaign: CampaignRow): Promise<CampaignWithDelivery> {
    return (await this.ofWritten(account, [campaign]))(campaign);
  }

  /** The delivery of campaigns that were written, whose nearest line items are read for all of them at once. */
  async ofWritten(
    account: ActingAccount,
    campaigns: readonly CampaignRow[],
  ): Promise<(campaign: CampaignRow) => CampaignWithDelivery> {
    const now = account.now();
    const complete = campaigns.filter((campaign) => campaign.complete).map(({ id }) => id);
    const nearest = await nearestToServing(account.db, account.id, complete, now);
    const deliver = await this.of(account, campaigns, now);
    return (campaign) => deliver({ nearest: nearest.get(campaign.id) ?? null, ...campaign });
  }

  /**
   * The delivery of campaigns. It depends on their funding and on one of their line items, which is read for the
   * current moment because flights begin and end without a write.
   */
  async of(
    account: ActingAccount,
    campaigns: readonly CampaignRow[],
    now: Date,
  ): Promise<(campaign: Row<WithNearest>) => CampaignWithDelivery> {
    // Adjacent campaigns mostly share their funding, and comparing ids is faster than hashing them.
    const ids = campaigns.map((campaign) => campaign.fundingInstrumentId).filter((id, i, all) => id !== all[i - 1]);
    const { approvalStatus: approval, asOf } = account;
    const funded = await this.funding.able(account, ids, now);
    let last = { id: '', funded: false };
    return (campaign) => {
      const id = campaign.fundingInstrumentId;
      if (id !== last.id) last = { id, funded: funded.has(id) };
      const nearest = campaign.nearest === null ? undefined : nearestItemOf(campaign.nearest);
      const deliverable = deliverableOf(campaign, nearest, now);
      const delivery = deliveryStateOf(deliverable, { funded: last.funded, approval });
      return { campaign: campaignInAnswers(campaign, asOf), delivery };
    };
  }
}
