import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Batch } from '../../common/batch/batch.js';
import { changeCounters } from '../../common/db/counters/counters.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import { ACTIVE_LINE_ITEMS } from '../entities/line-item-limits.statements.js';
import { FundingCache } from '../funding-instruments/funding-cache.service.js';
import { amountsOf, lockItems, lockedActive, markCampaignDeleted } from '../statements/line-item.statements.js';
import { CampaignDelivery, type WithNearest } from './campaign-delivery.service.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';
import {
  newCampaign,
  patchOfCampaign,
  problemsOfNewCampaign,
  problemsOfCampaignPatch,
  sendsBudget,
  type CampaignContext,
} from './campaign.rules.js';
import {
  CAMPAIGN_OPERATIONS,
  type CreateCampaign,
  type ListCampaigns,
  type UpdateCampaign,
  type UpdateCampaignOperation,
} from './campaigns.dto.js';

const MAX_BATCH_SIZE = 40;

/** Lists, creates, updates and deletes campaigns, each with its delivery. */
@Injectable()
export class CampaignsService {
  constructor(
    private readonly resources: Resources,
    private readonly delivery: CampaignDelivery,
    private readonly funding: FundingCache,
  ) {}

  async list(account: ActingAccount, query: ListCampaigns): Promise<Page<CampaignWithDelivery>> {
    const now = account.now();
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
    const now = account.now();
    const campaigns = this.delivery.withNearest(account, now);
    const found = await one(campaigns, id, CAMPAIGNS.notFoundError(account), query);
    return (await this.delivery.of(account, [found], now))(found);
  }

  async create(account: ActingAccount, request: Parsed<CreateCampaign>): Promise<CampaignWithDelivery> {
    const campaign = await this.resources.change(account, CAMPAIGNS, [request], async (unit) =>
      createCampaign(unit, request, await this.contextOf(unit, [request])),
    );
    return this.delivery.written(account, campaign);
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateCampaign>): Promise<CampaignWithDelivery> {
    const update = request.with({ campaign_id: id });
    const campaign = await this.resources.changeLocked(account, CAMPAIGNS, [update], async (unit) => {
      await unit.lock([id]);
      return updateCampaign(unit, update, await this.contextOf(unit, [update]));
    });
    return this.delivery.written(account, campaign);
  }

  /** Irreversible. Of several concurrent deletions, one succeeds and the others return 404. */
  async delete(account: ActingAccount, id: string): Promise<CampaignWithDelivery> {
    const campaign = await this.resources.changeLocked(account, CAMPAIGNS, [], async (unit) => {
      await this.lockToDelete(unit, [id]);
      return unit.delete(id);
    });
    return this.delivery.written(account, campaign);
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CampaignWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CAMPAIGN_OPERATIONS, { account_id: account.id });
    const done = await this.resources.change(account, CAMPAIGNS, batch, async (unit) => {
      await this.lockToDelete(unit, batch.values('Delete', 'campaign_id'), batch.values('Update', 'campaign_id'));
      const context = await this.contextOf(unit, [...batch.requests('Create'), ...batch.requests('Update')]);
      return unit.each(batch, {
        Create: (request) => createCampaign(unit, request, context),
        Update: (request) => updateCampaign(unit, request, context),
        Delete: (request) => unit.delete(request.required('campaign_id')),
      });
    });
    return done.map(await this.delivery.ofWritten(account, done.items));
  }

  /**
   * Reads what the rules need. Writes of line items lock or check their campaign, so the amounts of the line items of
   * locked campaigns do not change after they are read.
   */
  private async contextOf(
    unit: UnitOfWork<Campaign>,
    requests: readonly Parsed<Partial<CreateCampaign & UpdateCampaignOperation>>[],
  ): Promise<CampaignContext> {
    const { account, db, now } = unit;
    const named = requests.flatMap((request) => request.value('funding_instrument_id') ?? []);
    const changed = requests.flatMap((request) => unit.stored.get(request.value('campaign_id') ?? '') ?? []);
    const used = changed.map((campaign) => campaign.fundingInstrumentId);
    const fundings = await this.funding.byId(account, [...named, ...used], db);
    if (fundings.size > 0) unit.require(this.funding.unchanged(fundings.values()));
    const ids = requests.some(sendsBudget) ? changed.map(({ id }) => id) : [];
    const amounts = await amountsOf(db, account.id, ids);
    return { account, fundings, amounts, now };
  }

  /**
   * Locks campaigns to delete, and others to update. The line items of the deleted ones remain unchanged; they are no
   * longer listed and count toward no limit.
   */
  private async lockToDelete(unit: UnitOfWork<Campaign>, ids: string[], toUpdate: string[] = []): Promise<void> {
    const { account, db } = unit;
    if (unit.isLocking) await lockItems(db, account.id, ids);
    await unit.lock([...toUpdate, ...ids], { mode: 'pessimistic_write' });
    if (!unit.isLocking) return;
    const found = ids.filter((id) => unit.stored.has(id));
    if (found.length === 0) return;
    const active = await lockedActive(db, account.id, found);
    const released = { ...ACTIVE_LINE_ITEMS, ownerId: account.id, by: -active };
    unit.addWrite(markCampaignDeleted(account.id, found), ...changeCounters([released]));
  }
}

function createCampaign(
  unit: UnitOfWork<Campaign>,
  request: Parsed<CreateCampaign>,
  context: CampaignContext,
): Row<Campaign> {
  const params = request.paramsUnless(problemsOfNewCampaign(request, context));
  return unit.create(newCampaign(params, context));
}

function updateCampaign(
  unit: UnitOfWork<Campaign>,
  request: Parsed<UpdateCampaignOperation>,
  context: CampaignContext,
): Row<Campaign> {
  const campaign = unit.find(request.required('campaign_id'));
  const params = request.paramsUnless(problemsOfCampaignPatch(request, context, campaign));
  return unit.update(campaign.id, patchOfCampaign(params, campaign, context));
}
