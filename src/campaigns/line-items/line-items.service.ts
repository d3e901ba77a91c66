import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resources/resource-definition.js';
import { Resources, type Which } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import { type BatchResult } from '../../common/http/batch-result.js';
import { Clock } from '../../common/clock.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { ColumnOf, Row, Rows } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import type { Campaign } from '../campaigns/campaign.entity.js';
import { CAMPAIGNS } from '../campaigns/campaign.resource.js';
import { deliveryStateOf, isExhausted, type Deliverable } from '../delivery-state.js';
import { countsAsShown, type ShownThing } from '../shown-things.js';
import { FundingInstrumentsService } from '../funding-instruments/funding-instruments.service.js';
import { targetChangedPlatforms, newPlatforms } from '../targeting-criteria/automatic-platforms.js';
import { newLineItem, patchOf, problemsOfNew, problemsOfPatch, type CompleteCategories } from './line-item.changes.js';
import type { LineItem } from './line-item.entity.js';
import { LineItemReference } from './line-item-reference.service.js';
import type { LineItemWithDelivery } from './line-item.presenter.js';
import { LINE_ITEMS } from './line-item.resource.js';
import type { Surroundings } from './line-item.rules.js';
import { CampaignCache } from './campaign-cache.js';
import {
  campaignsUnchanged,
  recomputeCampaign,
  decrementCreatives,
  extendCampaignFlight,
} from './line-item.statements.js';
import type { ProductType } from './line-item.tables.js';
import {
  LINE_ITEM_OPERATIONS,
  type CreateLineItem,
  type ListLineItems,
  type UpdateLineItem,
} from './line-items.dto.js';

const MAX_BATCH_SIZE = 40;

/** What belongs to a line item. */
type Belonging = Resource & { lineItemId: string };

type LineItemRow = Row<LineItem>;
type CampaignRow = Row<Campaign>;

/** What line items are judged on, and what becomes of those that are planned on it. */
interface Planning {
  campaigns: ReadonlyMap<string, CampaignRow>;
  /** What a line item of this campaign is judged on. */
  around: (campaignId?: string) => Surroundings;
  whole: CompleteCategories;
  /** What has to be so still where something new is stored. */
  required: Precondition[];
  /** The campaigns were remembered, and may be others by now. */
  fromMemory: boolean;
}

@Injectable()
export class LineItemsService {
  private readonly remembered = new CampaignCache();

  constructor(
    private readonly clock: Clock,
    private readonly funding: FundingInstrumentsService,
    private readonly promotableUsers: PromotableUsersService,
    private readonly resources: Resources,
    private readonly reference: LineItemReference,
  ) {}

  async list(account: ActingAccount, query: ListLineItems): Promise<Page<LineItemWithDelivery>> {
    const items = this.of(account, query.with_deleted)
      .whereIn('id', query.line_item_ids)
      .whereIn('campaignId', query.campaign_ids)
      .whereIn('fundingInstrumentId', query.funding_instrument_ids)
      .whereStartsWith('name', query.q);
    if (!query.with_draft) items.whereNot('entityStatus', 'DRAFT');
    const found = await page(items, query);
    return found.map(await this.delivery(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<LineItemWithDelivery> {
    const items = this.of(account, query?.with_deleted);
    const item = await one(items, id, LINE_ITEMS.notFoundError(account), query);
    return (await this.delivery(account, [item]))(item);
  }

  /** At most 100 of a campaign, and 256 active ones of the account. */
  async create(account: ActingAccount, params: CreateLineItem): Promise<LineItemWithDelivery> {
    return this.edit(account, [], [params.campaign_id], (unitOfWork, planning) =>
      this.made(account, unitOfWork, params, planning),
    );
  }

  /** What is wrong with those parameters of a new line item that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateLineItem>): Promise<ApiError[]> {
    const named = parsed.known('campaign_id')?.campaign_id;
    const planning = await this.planning(account, { named: named === undefined ? [] : [named] });
    return [...this.unknownCampaign(account, named, planning), ...problemsOfNew(parsed, planning.around(named))];
  }

  async update(account: ActingAccount, id: string, params: UpdateLineItem): Promise<LineItemWithDelivery> {
    return this.edit(account, [id], [], (unitOfWork, planning) => this.changed(unitOfWork, id, params, planning));
  }

  /** The same for an update, that there is no such line item included. */
  async problemsOfPatch(account: ActingAccount, id: string, parsed: Parsed<UpdateLineItem>): Promise<ApiError[]> {
    const item = await one(this.of(account), id, LINE_ITEMS.notFoundError(account));
    const { around } = await this.planning(account, { stored: [item.campaignId] });
    return problemsOfPatch(item, parsed, around(item.campaignId));
  }

  /** Irreversible; its promoted posts, targeting and other creatives stay as they are. */
  async delete(account: ActingAccount, id: string): Promise<LineItemWithDelivery> {
    return this.edit(account, [id], [], (unitOfWork) => unitOfWork.delete(id));
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<LineItemWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, LINE_ITEM_OPERATIONS, { account_id: account.id });
    const ids = [...batch.values('Update', 'line_item_id'), ...batch.values('Delete', 'line_item_id')];
    const named = batch.values('Create', 'campaign_id');
    const campaigns = new Map<string, CampaignRow>();
    const planned = await this.resources.batch(account, LINE_ITEMS, batch, held(ids), async (unitOfWork, db) => {
      const planning = await this.planned(account, unitOfWork, named, db);
      for (const campaign of planning.campaigns.values()) campaigns.set(campaign.id, campaign);
      return {
        steps: {
          Create: (params) => this.made(account, unitOfWork, params, planning),
          Update: (params) => this.changed(unitOfWork, params.line_item_id, params, planning),
          Delete: (params) => unitOfWork.delete(params.line_item_id),
        },
        checks: {
          Create: (parsed) => {
            const id = parsed.known('campaign_id')?.campaign_id;
            return [...this.unknownCampaign(account, id, planning), ...problemsOfNew(parsed, planning.around(id))];
          },
          Update: (parsed) => {
            const id = parsed.known('line_item_id')?.line_item_id;
            if (id === undefined) return [];
            const item = unitOfWork.find(id);
            return problemsOfPatch(item, parsed, planning.around(item.campaignId));
          },
        },
      };
    });
    return planned.map(await this.delivery(account, planned.items, campaigns));
  }

  /**
   * The line items with these ids that are there, their campaigns too: what belongs to one asks for it, and
   * has the storing statement see that it is still there (`lineItemIsAlive`).
   */
  async byId(account: { id: string }, ids: Iterable<string>, db?: EntityManager): Promise<Map<string, LineItemRow>> {
    const wanted = this.of(account, false, db).whereIn('id', [...new Set(ids)]);
    return new Map((await wanted.getMany()).map((item) => [item.id, item]));
  }

  /** The ids of all line items that lists show: what belongs to others is shown with deleted things only. */
  shown(account: { id: string }, db?: EntityManager): Rows<LineItem> {
    return this.of(account, false, db);
  }

  /** What belongs to line items, without that of deleted ones, unless deleted things are asked for. */
  ofShown<T extends { lineItemId: string }>(
    account: { id: string },
    belongings: Rows<T>,
    { with_deleted }: { with_deleted?: boolean } = {},
  ): Rows<T> {
    if (with_deleted) return belongings;
    return belongings.whereInSubquery('lineItemId' as ColumnOf<T>, this.shown(account, belongings.db), 'id');
  }

  /** Which products line items with these ids sell, deleted ones too; unknown ids are left out. */
  async productTypes(account: { id: string }, ids: readonly string[]): Promise<Set<ProductType>> {
    const found = await this.of(account, true)
      .withDeleted()
      .whereIn('id', [...new Set(ids)])
      .getMany();
    return new Set(found.map(({ productType }) => productType));
  }

  /**
   * Deletes what belongs to a line item that lists show. Where it is one of the things that count as something to show, the
   * line item shows less, and may be left with nothing.
   */
  deleteBelonging<T extends Belonging>(
    account: ActingAccount,
    definition: ResourceDefinition<T>,
    id: string,
    thing?: ShownThing,
  ): Promise<ResourceRow<T>> {
    const narrow = (belongings: Rows<T>) => this.ofShown(account, belongings.whereIn(...idIs<T>(id)));
    const plan = async (unitOfWork: UnitOfWork<T>, db: EntityManager) => {
      const gone = unitOfWork.delete(id);
      if (!thing) return gone;
      const { lineItemId } = gone as unknown as { lineItemId: string };
      const item = (await this.byId(account, [lineItemId], db)).get(lineItemId);
      // the line item was deleted since the thing was found: it is not shown any more either
      if (!item) throw definition.notFoundError(account)(id);
      if (countsAsShown(thing, item.objective)) await decrementCreatives(db, unitOfWork, [{ lineItemId, by: 1 }]);
      return gone;
    };
    return this.resources.edit(account, definition, narrow, plan, { lock: 'pessimistic_write' });
  }

  private async edit(
    account: ActingAccount,
    ids: string[],
    named: string[],
    plan: (unitOfWork: UnitOfWork<LineItem>, planning: Planning) => LineItemRow,
  ): Promise<LineItemWithDelivery> {
    const work = async (unitOfWork: UnitOfWork<LineItem>, db: EntityManager) => {
      const planning = await this.planned(account, unitOfWork, named, db, { remembered: true });
      try {
        return { item: plan(unitOfWork, planning), campaigns: planning.campaigns };
      } catch (error) {
        // it may be what was remembered that is wrong
        if (!planning.fromMemory) throw error;
        this.remembered.forget(named);
        throw new ConflictRetry();
      }
    };
    const { item, campaigns } = await this.resources.edit(account, LINE_ITEMS, held(ids), work, {
      lock: 'pessimistic_write',
    });
    return (await this.delivery(account, [item], campaigns))(item);
  }

  private made(
    account: ActingAccount,
    unitOfWork: UnitOfWork<LineItem>,
    params: CreateLineItem,
    { campaigns, around, whole }: Planning,
  ): LineItemRow {
    const campaign = campaigns.get(params.campaign_id);
    if (!campaign) throw CAMPAIGNS.notFoundError(account)(params.campaign_id);
    const surroundings = around(campaign.id);
    const item = unitOfWork.create(newLineItem(account, params, surroundings, whole));
    // those that follow in a batch are judged on it
    campaign.objective ??= item.objective;
    campaign.productType ??= item.productType;
    return item;
  }

  private changed(
    unitOfWork: UnitOfWork<LineItem>,
    id: string,
    params: UpdateLineItem,
    { around, whole }: Planning,
  ): LineItemRow {
    return unitOfWork.update(id, (item) => patchOf(item, params, around(item.campaignId), whole));
  }

  /** What the rules ask about, which has to be unchanged where what they said is stored, and what campaigns keep of it. */
  private async planned(
    account: ActingAccount,
    unitOfWork: UnitOfWork<LineItem>,
    named: string[],
    db: EntityManager,
    how: { remembered?: boolean } = {},
  ): Promise<Planning> {
    const stored = [...unitOfWork.stored.values()].map(({ campaignId }) => campaignId);
    const planning = await this.planning(account, { named, stored, ...how }, db);
    if (named.length > 0) {
      const judged = [...planning.campaigns.values()].map((campaign) => ({ ...campaign }));
      unitOfWork.beforeFlush(() => {
        const created = unitOfWork.created();
        const wider = extendCampaignFlight(judged, created);
        if (!wider.empty) this.remembered.forget(named);
        unitOfWork.require(
          campaignsUnchanged(judged, created, () => this.remembered.forget(named)),
          ...planning.required,
        );
        unitOfWork.addWrite(wider, ...newPlatforms(account, created, unitOfWork.now));
      });
    }
    if (stored.length > 0) {
      unitOfWork.afterFlush((tx) => recomputeCampaign(tx, stored));
      targetChangedPlatforms(account, unitOfWork);
    }
    return planning;
  }

  /**
   * What line items of these campaigns are judged on: new ones in those that are named, and stored ones. The campaigns are
   * locked where there is a transaction.
   */
  private async planning(
    account: ActingAccount,
    { named = [], stored = [], remembered = false }: { named?: string[]; stored?: string[]; remembered?: boolean },
    db?: EntityManager,
  ): Promise<Planning> {
    const ids = [...new Set([...named, ...stored])];
    const isTransaction = db?.queryRunner !== undefined;
    const known = remembered && !isTransaction ? this.remembered.get(account, ids) : undefined;
    const wanted = this.resources.of(account, CAMPAIGNS, db).whereIn('id', ids);
    const [found, advertiser] = await Promise.all([
      known ?? (isTransaction ? wanted.setLock('for_no_key_update').getMany() : wanted.getMany()),
      // a stored one has its own
      named.length > 0 ? this.promotableUsers.find(account, undefined, db) : undefined,
    ]);
    if (remembered && !isTransaction && !known) this.remembered.keep(found);
    const campaigns = new Map(found.map((campaign) => [campaign.id, campaign]));
    const bids = await this.reference.bids(
      found.map(({ currency }) => currency),
      db,
    );
    const categories = await this.reference.categories(db);
    const now = this.clock.now();
    const around = (id?: string): Surroundings => {
      const campaign = id === undefined ? undefined : campaigns.get(id);
      return {
        account,
        advertiser: advertiser?.userId ?? null,
        categories,
        now,
        ...(campaign && { campaign, bids: bids.get(campaign.currency) }),
      };
    };
    return {
      campaigns,
      around,
      whole: categories.whole,
      required: advertiser ? [this.promotableUsers.exist([advertiser])] : [],
      fromMemory: known !== undefined,
    };
  }

  private unknownCampaign(account: ActingAccount, id: string | undefined, { campaigns }: Planning): ApiError[] {
    return id === undefined || campaigns.has(id) ? [] : [CAMPAIGNS.notFoundError(account)(id)];
  }

  /** Those of deleted campaigns are only shown where deleted ones are. */
  private of(account: { id: string }, withDeleted = false, db?: EntityManager): Rows<LineItem> {
    const items = this.resources.of(account, LINE_ITEMS, db);
    return withDeleted ? items : items.whereTrue('campaignDeleted', false);
  }

  private async campaignsOf(account: ActingAccount, items: LineItemRow[]): Promise<Map<string, CampaignRow>> {
    const ids = [...new Set(items.map(({ campaignId }) => campaignId))];
    const found = await this.resources.of(account, CAMPAIGNS).withDeleted().whereIn('id', ids).getMany();
    return new Map(found.map((campaign) => [campaign.id, campaign]));
  }

  /** Whether line items can serve depends on their campaigns and on funding, which are looked up for all of them at once. */
  async delivery(
    account: ActingAccount,
    items: LineItemRow[],
    known?: ReadonlyMap<string, CampaignRow>,
  ): Promise<(item: LineItemRow) => LineItemWithDelivery> {
    const campaigns = known ?? (await this.campaignsOf(account, items));
    const now = this.clock.now();
    const approval = account.approvalStatus;
    const paying = new Set(items.map(({ fundingInstrumentId }) => fundingInstrumentId));
    const funded = await this.funding.able(account, paying, now);
    return (item) => {
      const campaign = campaigns.get(item.campaignId)!;
      const conditions = { campaign, funded: funded.has(item.fundingInstrumentId), approval, now };
      const delivery = deliveryStateOf(deliverable(item), conditions);
      return { item, delivery, budgetOptimization: campaign.budgetOptimization };
    };
  }
}

const deliverable = (item: LineItemRow): Deliverable => ({
  entityStatus: item.entityStatus,
  deletedAt: item.deletedAt,
  startTime: item.startTime,
  endTime: item.endTime,
  complete: item.creatives > 0,
  exhausted: isExhausted(item),
});

/** Line items to be changed, which those of deleted campaigns are not any more. */
const held = (ids: string[]): Which<LineItem> =>
  ids.length === 0 ? [] : (items) => items.whereIn('id', [...new Set(ids)]).whereTrue('campaignDeleted', false);

/** What narrows the belongings of line items to one: of a type that is not known here no column is known either. */
const idIs = <T extends Resource>(id: string) => ['id' as ColumnOf<T>, [id] as Row<T>[ColumnOf<T>][]] as const;
