import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import { Clock } from '../../common/clock.js';
import type { Row } from '../../common/db/query/rows.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/answers/page.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { CAMPAIGNS } from '../campaigns/campaign.resource.js';
import { deliveryStateOf, flightAt, isExhausted, type Deliverable } from '../delivery-state.js';
import { FundingInstrumentsService } from '../funding-instruments/funding-instruments.service.js';
import type { LineItem } from '../entities/line-item.entity.js';
import type { LineItemWithDelivery } from './line-item.presenter.js';
import { LINE_ITEMS } from './line-item.resource.js';
import { LineItemWrites, type WrittenLineItem } from './line-item.writes.js';
import {
  LINE_ITEM_OPERATIONS,
  type CreateLineItem,
  type ListLineItems,
  type UpdateLineItem,
} from './line-items.dto.js';
import { ParentLineItems } from './parent-line-items.service.js';

const MAX_BATCH_SIZE = 40;

type LineItemRow = Row<LineItem>;
type CampaignRow = Row<Campaign>;

@Injectable()
export class LineItemsService {
  constructor(
    private readonly clock: Clock,
    private readonly funding: FundingInstrumentsService,
    private readonly resources: Resources,
    private readonly parents: ParentLineItems,
    private readonly writes: LineItemWrites,
  ) {}

  async list(account: ActingAccount, query: ListLineItems): Promise<Page<LineItemWithDelivery>> {
    const items = this.parents
      .of(account, query.with_deleted)
      .whereIn('id', query.line_item_ids)
      .whereIn('campaignId', query.campaign_ids)
      .whereIn('fundingInstrumentId', query.funding_instrument_ids)
      .whereStartsWith('name', query.q);
    if (!query.with_draft) items.whereNot('entityStatus', 'DRAFT');
    const found = await page(items, query);
    return found.map(await this.delivery(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<LineItemWithDelivery> {
    const items = this.parents.of(account, query?.with_deleted);
    const item = await one(items, id, LINE_ITEMS.notFoundError(account), query);
    return (await this.delivery(account, [item]))(item);
  }

  /** At most 100 per campaign, and 256 active ones per account. */
  async create(account: ActingAccount, request: Parsed<CreateLineItem>): Promise<LineItemWithDelivery> {
    return this.written(account, await this.resources.perform(account, this.writes.create, request));
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateLineItem>): Promise<LineItemWithDelivery> {
    const named = request.with({ line_item_id: id });
    return this.written(account, await this.resources.perform(account, this.writes.update, named));
  }

  /** Irreversible. Its promoted posts, targeting and other creatives remain unchanged. */
  async delete(account: ActingAccount, id: string): Promise<LineItemWithDelivery> {
    const named = Parsed.whole({ line_item_id: id });
    return this.written(account, await this.resources.perform(account, this.writes.delete, named));
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<LineItemWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, LINE_ITEM_OPERATIONS, { account_id: account.id });
    const done = await this.resources.performBatch<LineItem, typeof LINE_ITEM_OPERATIONS, WrittenLineItem>(
      account,
      LINE_ITEMS,
      this.writes.batch,
      batch,
    );
    const present = await this.deliveryOf(account, done.items);
    return done.map(({ item }) => present(item));
  }

  private async written(account: ActingAccount, written: WrittenLineItem): Promise<LineItemWithDelivery> {
    return (await this.deliveryOf(account, [written]))(written.item);
  }

  private deliveryOf(account: ActingAccount, written: readonly WrittenLineItem[]) {
    const campaigns = new Map(written.map(({ campaign }) => [campaign.id, campaign]));
    return this.delivery(
      account,
      written.map(({ item }) => item),
      campaigns,
    );
  }

  private async campaignsOf(account: ActingAccount, items: LineItemRow[]): Promise<Map<string, CampaignRow>> {
    const ids = [...new Set(items.map(({ campaignId }) => campaignId))];
    const found = await this.resources.of(account, CAMPAIGNS).withDeleted().whereIn('id', ids).getMany();
    return new Map(found.map((campaign) => [campaign.id, campaign]));
  }

  /**
   * Whether line items can serve depends on their campaigns and on funding. Both are read for all line items at once.
   */
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
      const conditions = { campaign, funded: funded.has(item.fundingInstrumentId), approval };
      const delivery = deliveryStateOf(deliverable(item, now), conditions);
      return { item, delivery, budgetOptimization: campaign.budgetOptimization };
    };
  }
}

const deliverable = (item: LineItemRow, now: Date): Deliverable => ({
  ...flightAt(item, now),
  entityStatus: item.entityStatus,
  deletedAt: item.deletedAt,
  complete: item.creatives > 0,
  exhausted: isExhausted(item),
});
