import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import type { BatchResult } from '../../common/http/answers/batch-result.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { LineItemDelivery } from './line-item-delivery.service.js';
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

/** Lists, creates, updates and deletes line items, each with its delivery. */
@Injectable()
export class LineItemsService {
  constructor(
    private readonly resources: Resources,
    private readonly parents: ParentLineItems,
    private readonly delivery: LineItemDelivery,
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
    return found.map(await this.delivery.of(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<LineItemWithDelivery> {
    const items = this.parents.of(account, query?.with_deleted);
    const item = await one(items, id, LINE_ITEMS.notFoundError(account), query);
    return (await this.delivery.of(account, [item]))(item);
  }

  /** At most 100 per campaign, and 256 active ones per account. */
  async create(account: ActingAccount, request: Parsed<CreateLineItem>): Promise<LineItemWithDelivery> {
    return this.delivery.written(account, await this.resources.perform(account, this.writes.create, request));
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateLineItem>): Promise<LineItemWithDelivery> {
    const named = request.with({ line_item_id: id });
    return this.delivery.written(account, await this.resources.perform(account, this.writes.update, named));
  }

  /** Irreversible. Its promoted posts, targeting and other creatives remain unchanged. */
  async delete(account: ActingAccount, id: string): Promise<LineItemWithDelivery> {
    const named = Parsed.whole({ line_item_id: id });
    return this.delivery.written(account, await this.resources.perform(account, this.writes.delete, named));
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
    return done.map(await this.delivery.ofWritten(account, done.items));
  }
}
