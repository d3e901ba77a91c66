import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import { Clock } from '../../common/clock.js';
import { countersOf, limitCounter } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { Page } from '../../common/http/answers/page.js';
import { deliverableOf, deliveryStateOf, nearestItemOf } from '../delivery-state.js';
import { FundingInstrumentsService } from '../funding-instruments/funding-instruments.service.js';
import { nearestOfCampaign, nearestToServing } from '../statements/line-item.statements.js';
import { ACTIVE_CAMPAIGNS } from './campaign-limit.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';
import { CAMPAIGNS } from './campaign.resource.js';
import { CampaignWrites } from './campaign.writes.js';
import { CAMPAIGN_OPERATIONS, type CreateCampaign, type ListCampaigns, type UpdateCampaign } from './campaigns.dto.js';

const MAX_BATCH_SIZE = 40;

type CampaignRow = Row<Campaign>;
/** A campaign and the rank of its line item that is nearest to serving, read together. */
type WithNearest = Campaign & { nearest: number | null };

@Injectable()
export class CampaignsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly funding: FundingInstrumentsService,
    private readonly resources: Resources,
    private readonly writes: CampaignWrites,
  ) {}

  async list(account: ActingAccount, query: ListCampaigns): Promise<Page<CampaignWithDelivery>> {
    const now = this.clock.now();
    const campaigns = this.withNearest(account, now)
      .whereIn('id', query.campaign_ids)
      .whereIn('fundingInstrumentId', query.funding_instrument_ids)
      .whereStartsWith('name', query.q);
    if (!query.with_draft) campaigns.whereNot('entityStatus', 'DRAFT');
    const found = await page<Campaign, WithNearest>(campaigns, query);
    return found.map(await this.delivery(account, found.items, now));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CampaignWithDelivery> {
    const now = this.clock.now();
    const found = await one(this.withNearest(account, now), id, CAMPAIGNS.notFoundError(account), query);
    return (await this.delivery(account, [found], now))(found);
  }

  async create(account: ActingAccount, request: Parsed<CreateCampaign>): Promise<CampaignWithDelivery> {
    return this.withDelivery(account, await this.resources.perform(account, this.writes.create, request));
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateCampaign>): Promise<CampaignWithDelivery> {
    const named = request.with({ campaign_id: id });
    return this.withDelivery(account, await this.resources.perform(account, this.writes.update, named));
  }

  /** Irreversible. Of several concurrent deletions, one succeeds and the others return 404. */
  async delete(account: ActingAccount, id: string): Promise<CampaignWithDelivery> {
    const named = Parsed.whole({ campaign_id: id });
    return this.withDelivery(account, await this.resources.perform(account, this.writes.delete, named));
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CampaignWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CAMPAIGN_OPERATIONS, { account_id: account.id });
    const done = await this.resources.performBatch(account, CAMPAIGNS, this.writes.batch, batch);
    return done.map(await this.deliveryAfterWrite(account, done.items));
  }

  /** The number of active campaigns of an account, and its limit. */
  async activeLimit(accountId: string): Promise<{ active: number; limit: number }> {
    const counters = await countersOf(this.db.manager, [accountId]);
    const counter = counters.find(({ kind }) => kind === ACTIVE_CAMPAIGNS.kind);
    return { active: counter?.value ?? 0, limit: counter?.limit ?? ACTIVE_CAMPAIGNS.limit };
  }

  /** Sets the limit of active campaigns of an account. Active campaigns remain active. */
  async limitActive(accountId: string, limit: number): Promise<void> {
    await write(
      this.db.manager,
      [limitCounter({ ownerId: accountId, kind: ACTIVE_CAMPAIGNS.kind, limit })],
      [exists(Account, accountId, () => accountNotFound(accountId))],
    );
  }

  private withNearest(account: ActingAccount, now: Date): Rows<WithNearest> {
    const nearest = nearestOfCampaign(now);
    return this.resources.of(account, CAMPAIGNS).addSelect<'nearest', number | null>('nearest', nearest);
  }

  private async withDelivery(account: ActingAccount, campaign: CampaignRow): Promise<CampaignWithDelivery> {
    return (await this.deliveryAfterWrite(account, [campaign]))(campaign);
  }

  /** The delivery of campaigns that were written, whose nearest line items are read for all of them at once. */
  private async deliveryAfterWrite(account: ActingAccount, campaigns: readonly CampaignRow[]) {
    const now = this.clock.now();
    const complete = campaigns.filter((campaign) => campaign.complete).map(({ id }) => id);
    const nearest = await nearestToServing(this.db.manager, complete, now);
    const deliver = await this.delivery(account, campaigns, now);
    return (campaign: CampaignRow) => deliver({ ...campaign, nearest: nearest.get(campaign.id) ?? null });
  }

  /**
   * Whether campaigns can serve depends on their funding and on one of their line items, which is read for the current
   * moment because flights begin and end without a write.
   */
  private async delivery(
    account: ActingAccount,
    campaigns: readonly CampaignRow[],
    now: Date,
  ): Promise<(campaign: Row<WithNearest>) => CampaignWithDelivery> {
    // Adjacent campaigns mostly share their funding, and comparing ids is faster than hashing them.
    const ids = campaigns.map((campaign) => campaign.fundingInstrumentId).filter((id, i, all) => id !== all[i - 1]);
    const approval = account.approvalStatus;
    const funded = await this.funding.able(account, ids, now);
    let last = { id: '', funded: false };
    return (campaign) => {
      const id = campaign.fundingInstrumentId;
      if (id !== last.id) last = { id, funded: funded.has(id) };
      const nearest = campaign.nearest === null ? undefined : nearestItemOf(campaign.nearest);
      const deliverable = deliverableOf(campaign, nearest, now);
      return { campaign, delivery: deliveryStateOf(deliverable, { funded: last.funded, approval }) };
    };
  }
}
