import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Resources, type Plan } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import { type BatchResult } from '../../common/http/batch-result.js';
import { Clock } from '../../common/clock.js';
import { count, countersOf, limitCounter } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import { FundingInstrumentsService, type Funding } from '../funding-instruments/funding-instruments.service.js';
import { ACTIVE_LINE_ITEMS } from '../line-items/line-item.limits.js';
import {
  amountsOf,
  lockedActive,
  lockItems,
  nearestToServing,
  markCampaignDeleted,
} from '../line-items/line-item.statements.js';
import { ACTIVE_CAMPAIGNS } from './campaign-limit.js';
import type { Campaign } from './campaign.entity.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';
import { CAMPAIGNS } from './campaign.resource.js';
import { newCampaign, patchOf, problemsOfNew, problemsOfPatch, type AmountsByCampaign } from './campaign.rules.js';
import { CAMPAIGN_OPERATIONS, type CreateCampaign, type ListCampaigns, type UpdateCampaign } from './campaigns.dto.js';
import { deliverableOf, deliveryStateOf } from '../delivery-state.js';

const MAX_BATCH_SIZE = 40;

type CampaignRow = Row<Campaign>;
type Fundings = ReadonlyMap<string, Funding>;

@Injectable()
export class CampaignsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly funding: FundingInstrumentsService,
    private readonly resources: Resources,
  ) {}

  async list(account: ActingAccount, query: ListCampaigns): Promise<Page<CampaignWithDelivery>> {
    const campaigns = this.resources
      .of(account, CAMPAIGNS)
      .whereIn('id', query.campaign_ids)
      .whereIn('fundingInstrumentId', query.funding_instrument_ids)
      .whereStartsWith('name', query.q);
    if (!query.with_draft) campaigns.whereNot('entityStatus', 'DRAFT');
    const found = await page(campaigns, query);
    return found.map(await this.delivery(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CampaignWithDelivery> {
    const campaigns = this.resources.of(account, CAMPAIGNS);
    return this.withDelivery(account, await one(campaigns, id, CAMPAIGNS.notFoundError(account), query));
  }

  async create(account: ActingAccount, params: CreateCampaign): Promise<CampaignWithDelivery> {
    const campaign = await this.edit(account, [], [params.funding_instrument_id], (unitOfWork, fundings) =>
      unitOfWork.create(newCampaign(account, params, fundings, unitOfWork.now)),
    );
    return this.withDelivery(account, campaign);
  }

  /** What is wrong with those parameters of a new campaign that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateCampaign>): Promise<ApiError[]> {
    const named = parsed.known('funding_instrument_id');
    const fundings = await this.funding.byId(account, named ? [named.funding_instrument_id] : []);
    return problemsOfNew(account, parsed, fundings, this.clock.now());
  }

  async update(account: ActingAccount, id: string, params: UpdateCampaign): Promise<CampaignWithDelivery> {
    const campaign = await this.resources.edit(account, CAMPAIGNS, [id], async (unitOfWork, db) => {
      const fundings = await this.fundingOf(account, unitOfWork, [], db);
      const amounts = await this.itemAmounts(unitOfWork, [params], db);
      return unitOfWork.update(id, (before) => patchOf(before, params, fundings, amounts));
    });
    return this.withDelivery(account, campaign);
  }

  /** The same for an update, that there is no such campaign included. */
  async problemsOfPatch(account: ActingAccount, id: string, parsed: Parsed<UpdateCampaign>): Promise<ApiError[]> {
    const campaign = await one(this.resources.of(account, CAMPAIGNS), id, CAMPAIGNS.notFoundError(account));
    const fundings = await this.funding.byId(account, [campaign.fundingInstrumentId]);
    return problemsOfPatch(campaign, parsed, fundings, await amountsOf(this.db.manager, [id]));
  }

  /** Irreversible; of several at once, one is answered and the others find nothing. */
  async delete(account: ActingAccount, id: string): Promise<CampaignWithDelivery> {
    const remove = async (unitOfWork: UnitOfWork<Campaign>, db: EntityManager) => {
      const campaign = unitOfWork.delete(id);
      await this.releaseLineItems(account, unitOfWork, [id], db);
      return campaign;
    };
    const first = (db: EntityManager) => lockItems(db, account.id, [id]);
    const campaign = await this.resources.edit(account, CAMPAIGNS, [id], remove, { lock: 'pessimistic_write', first });
    return this.withDelivery(account, campaign);
  }

  /** Up to 40 operations, all or none; what they need is read once, what they change is stored once. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CampaignWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CAMPAIGN_OPERATIONS, { account_id: account.id });
    const named = batch.values('Create', 'funding_instrument_id');
    const deleted = batch.values('Delete', 'campaign_id');
    const ids = [...batch.values('Update', 'campaign_id'), ...deleted];
    const first = (db: EntityManager) => lockItems(db, account.id, deleted);
    const plan = async (
      unitOfWork: UnitOfWork<Campaign>,
      db: EntityManager,
    ): Promise<Plan<typeof CAMPAIGN_OPERATIONS, Campaign>> => {
      const fundings = await this.fundingOf(account, unitOfWork, named, db);
      const amounts = await this.itemAmounts(unitOfWork, batch.params('Update'), db);
      await this.releaseLineItems(account, unitOfWork, deleted, db);
      return {
        steps: {
          Create: (params) => unitOfWork.create(newCampaign(account, params, fundings, unitOfWork.now)),
          Update: (params) =>
            unitOfWork.update(params.campaign_id, (before) => patchOf(before, params, fundings, amounts)),
          Delete: (params) => unitOfWork.delete(params.campaign_id),
        },
        checks: {
          Create: (parsed) => problemsOfNew(account, parsed, fundings, unitOfWork.now),
          Update: (parsed) => {
            const id = parsed.known('campaign_id')?.campaign_id;
            return id === undefined ? [] : problemsOfPatch(unitOfWork.find(id), parsed, fundings, amounts);
          },
        },
      };
    };
    const planned = await this.resources.batch(account, CAMPAIGNS, batch, ids, plan, { first });
    return planned.map(await this.delivery(account, planned.items));
  }

  /** How many campaigns of an account are active, and how many can be. */
  async activeLimit(accountId: string): Promise<{ active: number; limit: number }> {
    const counters = await countersOf(this.db.manager, [accountId]);
    const counter = counters.find(({ kind }) => kind === ACTIVE_CAMPAIGNS.kind);
    return { active: counter?.value ?? 0, limit: counter?.limit ?? ACTIVE_CAMPAIGNS.limit };
  }

  /** Sets how many campaigns of an account can be active; those that are active stay so. */
  async limitActive(accountId: string, limit: number): Promise<void> {
    await write(
      this.db.manager,
      [limitCounter({ ownerId: accountId, kind: ACTIVE_CAMPAIGNS.kind, limit })],
      [exists(Account, accountId, () => accountNotFound(accountId))],
    );
  }

  private edit(
    account: ActingAccount,
    ids: string[],
    named: string[],
    plan: (unitOfWork: UnitOfWork<Campaign>, fundings: Fundings) => CampaignRow,
  ): Promise<CampaignRow> {
    const work = async (unitOfWork: UnitOfWork<Campaign>, db: EntityManager) =>
      plan(unitOfWork, await this.fundingOf(account, unitOfWork, named, db));
    return this.resources.edit(account, CAMPAIGNS, ids, work);
  }

  /** The funding that the rules ask about, and that has to be unchanged where what they said is stored. */
  private async fundingOf(
    account: ActingAccount,
    unitOfWork: UnitOfWork<Campaign>,
    named: string[],
    db: EntityManager,
  ): Promise<Fundings> {
    const ids = [...named, ...[...unitOfWork.stored.values()].map((each) => each.fundingInstrumentId)];
    const fundings = await this.funding.byId(account, ids, db);
    unitOfWork.require(this.funding.unchanged(fundings.values()));
    return fundings;
  }

  /**
   * The amounts of the line items of campaigns whose budgets change. The campaigns are locked, and whoever writes a line item
   * locks or checks its campaign, so the amounts stay as they are.
   */
  private async itemAmounts(
    unitOfWork: UnitOfWork<Campaign>,
    sent: readonly UpdateCampaign[],
    db: EntityManager,
  ): Promise<AmountsByCampaign> {
    const isAboutBudgets = sent.some(changesBudgets);
    return isAboutBudgets ? amountsOf(db, [...unitOfWork.stored.keys()]) : new Map();
  }

  /** Line items of deleted campaigns stay as they are, but are no longer shown, and count for no limit. */
  private async releaseLineItems(
    account: ActingAccount,
    unitOfWork: UnitOfWork<Campaign>,
    ids: readonly string[],
    db: EntityManager,
  ): Promise<void> {
    const gone = ids.filter((id) => unitOfWork.stored.has(id));
    if (gone.length === 0) return;
    const active = await lockedActive(db, gone);
    unitOfWork.addWrite(
      markCampaignDeleted(gone),
      ...count([{ ...ACTIVE_LINE_ITEMS, ownerId: account.id, by: -active }]),
    );
  }

  private async withDelivery(account: ActingAccount, campaign: CampaignRow): Promise<CampaignWithDelivery> {
    return (await this.delivery(account, [campaign]))(campaign);
  }

  /**
   * Whether campaigns can serve depends on their funding and on one of their line items, which are looked up for all of them
   * at once: the line items at this moment, since flights begin and end without a write.
   */
  private async delivery(
    account: ActingAccount,
    campaigns: CampaignRow[],
  ): Promise<(campaign: CampaignRow) => CampaignWithDelivery> {
    // Neighbours mostly share their funding, and to compare ids is quicker than to hash them.
    const ids = campaigns.map((campaign) => campaign.fundingInstrumentId).filter((id, i, all) => id !== all[i - 1]);
    const now = this.clock.now();
    const approval = account.approvalStatus;
    const complete = campaigns.filter((campaign) => campaign.complete).map(({ id }) => id);
    const [funded, nearest] = await Promise.all([
      this.funding.able(account, ids, now),
      nearestToServing(this.db.manager, complete, now),
    ]);
    let last = { id: '', funded: false };
    return (campaign) => {
      const id = campaign.fundingInstrumentId;
      if (id !== last.id) last = { id, funded: funded.has(id) };
      const deliverable = deliverableOf(campaign, nearest.get(campaign.id));
      return { campaign, delivery: deliveryStateOf(deliverable, { funded: last.funded, approval, now }) };
    };
  }
}

const changesBudgets = (sent: UpdateCampaign): boolean =>
  sent.budget_optimization !== undefined ||
  sent.daily_budget_amount_local_micro !== undefined ||
  sent.total_budget_amount_local_micro !== undefined;
