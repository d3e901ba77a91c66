import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { AccountCounts } from '../../accounts/accounts/account-counts.entity.js';
import { ChangeLog } from '../../accounts/change-log/change-log.service.js';
import { Batch, type BatchResult } from '../../common/batch/batch.js';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { ApiError } from '../../common/errors/api-error.js';
import { notFound, tooManyCampaigns } from '../../common/errors/catalogue.js';
import { among, one, startingWith } from '../../common/list/filters.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page, type Page } from '../../common/list/page.js';
import { isAbleToFund } from '../funding-instruments/funding-instrument.rules.js';
import {
  FundingInstrumentsService,
  unknownFunding,
  type Funding,
} from '../funding-instruments/funding-instruments.service.js';
import { CampaignEdits, countActiveCampaigns } from './campaign-edits.js';
import { Campaign } from './campaign.entity.js';
import type { CampaignWithDelivery } from './campaign.presenter.js';
import { deletedCampaign, draftCampaign, patchCampaign } from './campaign.rules.js';
import { CAMPAIGN_OPERATIONS, CreateCampaign, UpdateCampaign, type ListCampaigns } from './campaigns.dto.js';
import { deliveryStateOf } from './delivery-state.js';

type CampaignRow = Row<Campaign>;
type Fundings = Map<string, Funding>;

const LARGEST_BATCH = 40;

/** The funding that a rule was checked against is not what is stored any more. */
class StaleFunding extends Error {}
const FRESH_TRIES = 5;

@Injectable()
export class CampaignsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly funding: FundingInstrumentsService,
    private readonly changes: ChangeLog,
  ) {}

  /** Part 3, 4.6. */
  async list(account: ActingAccount, query: ListCampaigns): Promise<Page<CampaignWithDelivery>> {
    const campaigns = this.of(account);
    among(campaigns, 'id', query.campaign_ids);
    among(campaigns, 'fundingInstrumentId', query.funding_instrument_ids);
    startingWith(campaigns, 'name', query.q);
    if (!query.with_draft) campaigns.also(`r."entityStatus" <> 'DRAFT'`);
    const found = await page(campaigns, query);
    return found.map(await this.standing(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CampaignWithDelivery> {
    return this.withStanding(account, await one(this.of(account), id, () => unknownCampaign(account, id), query));
  }

  async create(account: ActingAccount, params: CreateCampaign): Promise<CampaignWithDelivery> {
    const campaign = await this.untilFresh(async () => {
      const edits = new CampaignEdits();
      const fundings = await this.funding.byId(account, [params.funding_instrument_id]);
      const drafted = edits.add(this.draft(account, params, fundings));
      await this.save(this.db.manager, account, edits, fundings);
      return drafted;
    });
    return this.withStanding(account, campaign);
  }

  async update(account: ActingAccount, id: string, params: UpdateCampaign): Promise<CampaignWithDelivery> {
    const campaign = await this.editing(account, [id], (edits, fundings) =>
      this.patch(account, edits, id, params, fundings),
    );
    return this.withStanding(account, campaign);
  }

  /** Part 3, 4.6: irreversible; of several at once, one is answered and the others find nothing. */
  async delete(account: ActingAccount, id: string): Promise<CampaignWithDelivery> {
    const campaign = await this.editing(account, [id], (edits) => this.remove(account, edits, id));
    return this.withStanding(account, campaign);
  }

  /** Part 3, 4.6: up to 40 operations, all or none; what they need is read once, what they change is stored once. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CampaignWithDelivery>> {
    const batch = Batch.read(body, LARGEST_BATCH, CAMPAIGN_OPERATIONS, { account_id: account.id });
    const funding = batch.params('Create').map((params) => params.funding_instrument_id);
    const named = [...batch.params('Update'), ...batch.params('Delete')].map((params) => params.campaign_id);
    const plan = (edits: CampaignEdits, fundings: Fundings) =>
      batch.plan<CampaignRow>({
        Create: (params) => edits.add(this.draft(account, params, fundings)),
        Update: (params) => this.patch(account, edits, params.campaign_id, params, fundings),
        Delete: (params) => this.remove(account, edits, params.campaign_id),
      });
    try {
      const planned = await this.editing(account, named, plan, funding);
      return planned.map(await this.standing(account, planned.items));
    } catch (error) {
      // The limit concerns the operations that would have made a campaign active.
      if (error instanceof ApiError && error.code === 'TOO_MANY_CAMPAIGNS') batch.refuse(error, activates);
      throw error;
    }
  }

  /** Edits the named campaigns under a lock; without any, a single statement needs none. */
  private editing<R>(
    account: ActingAccount,
    ids: string[],
    plan: (edits: CampaignEdits, fundings: Fundings) => R,
    funding: string[] = [],
  ): Promise<R> {
    const work = async (db: EntityManager) => {
      const stored = ids.length > 0 ? await this.locked(db, account, ids) : new Map<string, CampaignRow>();
      const fundings = await this.funding.byId(
        account,
        [...funding, ...[...stored.values()].map((each) => each.fundingInstrumentId)],
        db,
      );
      const edits = new CampaignEdits(stored);
      const planned = plan(edits, fundings);
      await this.save(db, account, edits, fundings);
      return planned;
    };
    return this.untilFresh(() => (ids.length > 0 ? this.db.transaction(work) : work(this.db.manager)));
  }

  /** In the order of their ids, so that two requests never wait for each other. */
  private async locked(db: EntityManager, account: ActingAccount, ids: string[]): Promise<Map<string, CampaignRow>> {
    const named = rows(db, Campaign).is('accountId', account.id);
    const found = await run<CampaignRow>(
      db,
      among(named, 'id', [...new Set(ids)]).statement(' ORDER BY r.id FOR UPDATE'),
    );
    return new Map(found.map((campaign) => [campaign.id, campaign]));
  }

  /** Stores campaigns, history, events and the counter of active ones in one statement, or throws why not. */
  private async save(
    db: EntityManager,
    account: ActingAccount,
    edits: CampaignEdits,
    fundings: Fundings,
  ): Promise<void> {
    if (edits.changes.length === 0) return;
    const more = edits.activated();
    const guards = [
      this.funding.unchanged(fundings.values()),
      ...(more === 0 ? [] : [countActiveCampaigns(account.id, more)]),
    ];
    const [fresh, room = true] = await this.changes.store(db, account, edits.parts(), edits.changes, guards);
    if (!fresh) throw new StaleFunding();
    if (!room) throw tooManyCampaigns(await this.limit(db, account));
  }

  private async limit(db: EntityManager, account: ActingAccount): Promise<number> {
    const [counts] = await run<Row<AccountCounts>>(db, rows(db, AccountCounts).is('accountId', account.id).statement());
    return counts.activeCampaignLimit;
  }

  private async untilFresh<R>(work: () => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await retrying(work);
      } catch (error) {
        if (!(error instanceof StaleFunding) || attempt >= FRESH_TRIES) throw error;
        this.funding.forget();
      }
    }
  }

  private draft(account: ActingAccount, params: CreateCampaign, fundings: Fundings): CampaignRow {
    const funding = fundings.get(params.funding_instrument_id);
    if (!funding) throw unknownFunding(account, params.funding_instrument_id);
    return draftCampaign(account, params, funding, this.clock.now());
  }

  private patch(
    account: ActingAccount,
    edits: CampaignEdits,
    id: string,
    params: UpdateCampaign,
    fundings: Fundings,
  ): CampaignRow {
    const campaign = edits.find(id);
    if (!campaign) throw unknownCampaign(account, id);
    return edits.replace(
      campaign,
      patchCampaign(campaign, params, fundings.get(campaign.fundingInstrumentId), this.clock.now()),
    );
  }

  private remove(account: ActingAccount, edits: CampaignEdits, id: string): CampaignRow {
    const campaign = edits.find(id);
    if (!campaign) throw unknownCampaign(account, id);
    return edits.replace(campaign, deletedCampaign(campaign, this.clock.now()));
  }

  private async withStanding(account: ActingAccount, campaign: CampaignRow): Promise<CampaignWithDelivery> {
    return (await this.standing(account, [campaign]))(campaign);
  }

  /** How campaigns stand depends on their funding, which is looked up for all of them at once. */
  private async standing(
    account: ActingAccount,
    campaigns: CampaignRow[],
  ): Promise<(campaign: CampaignRow) => CampaignWithDelivery> {
    // Neighbours mostly share their funding, and to compare ids is quicker than to hash them.
    const ids = campaigns.map((campaign) => campaign.fundingInstrumentId).filter((id, i, all) => id !== all[i - 1]);
    const fundings = await this.funding.byId(account, ids);
    const now = this.clock.now();
    const approval = account.approvalStatus;
    const funded = new Set([...fundings.values()].filter((each) => isAbleToFund(each, now)).map(({ id }) => id));
    let last = { id: '', funded: false };
    return (campaign) => {
      const id = campaign.fundingInstrumentId;
      if (id !== last.id) last = { id, funded: funded.has(id) };
      return { campaign, delivery: deliveryStateOf(campaign, { funded: last.funded, approval, now }) };
    };
  }

  private of(account: ActingAccount) {
    return rows(this.db.manager, Campaign).is('accountId', account.id);
  }
}

const unknownCampaign = (account: ActingAccount, id: string) => notFound('Campaign', 'campaign_id', id, account.id);

function activates(type: string, params: object): boolean {
  const { entity_status: status } = params as { entity_status?: string | null };
  return type === 'Create' ? (status ?? 'ACTIVE') === 'ACTIVE' : type === 'Update' && status === 'ACTIVE';
}
