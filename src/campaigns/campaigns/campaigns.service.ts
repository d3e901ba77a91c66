import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import { Clock } from '../../common/clock.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { CampaignDelivery, type WithNearest } from './campaign-delivery.service.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';
import { CAMPAIGNS } from './campaign.resource.js';
import { CampaignWrites } from './campaign.writes.js';
import { CAMPAIGN_OPERATIONS, type CreateCampaign, type ListCampaigns, type UpdateCampaign } from './campaigns.dto.js';

const MAX_BATCH_SIZE = 40;

/** Lists, creates, updates and deletes campaigns, each with its delivery. */
@Injectable()
export class CampaignsService {
  constructor(
    private readonly clock: Clock,
    private readonly resources: Resources,
    private readonly delivery: CampaignDelivery,
    private readonly writes: CampaignWrites,
  ) {}

  async list(account: ActingAccount, query: ListCampaigns): Promise<Page<CampaignWithDelivery>> {
    const now = this.clock.nowFor(account);
    const campaigns = this.delivery
      .withNearest(account, now)
      .whereIn('id', query.campaign_ids)
      .whereIn('fundingInstrumentId', query.funding_instrument_ids)
      .whereStartsWith('name', query.q);
    if (!query.with_draft) campaigns.whereNot('entityStatus', 'DRAFT');
    const found = await page<Campaign, WithNearest>(campaigns, query);
    return found.map(await this.delivery.of(account, found.items, now));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CampaignWithDelivery> {
    const now = this.clock.nowFor(account);
    const campaigns = this.delivery.withNearest(account, now);
    const found = await one(campaigns, id, CAMPAIGNS.notFoundError(account), query);
    return (await this.delivery.of(account, [found], now))(found);
  }

  async create(account: ActingAccount, request: Parsed<CreateCampaign>): Promise<CampaignWithDelivery> {
    return this.delivery.written(account, await this.resources.perform(account, this.writes.create, request));
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateCampaign>): Promise<CampaignWithDelivery> {
    const named = request.with({ campaign_id: id });
    return this.delivery.written(account, await this.resources.perform(account, this.writes.update, named));
  }

  /** Irreversible. Of several concurrent deletions, one succeeds and the others return 404. */
  async delete(account: ActingAccount, id: string): Promise<CampaignWithDelivery> {
    const named = Parsed.whole({ campaign_id: id });
    return this.delivery.written(account, await this.resources.perform(account, this.writes.delete, named));
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CampaignWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CAMPAIGN_OPERATIONS, { account_id: account.id });
    const done = await this.resources.performBatch(account, CAMPAIGNS, this.writes.batch, batch);
    return done.map(await this.delivery.ofWritten(account, done.items));
  }
}
