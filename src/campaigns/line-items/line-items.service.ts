import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Batch } from '../../common/batch/batch.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { CAMPAIGNS } from '../entities/campaign.entity.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { LineItemContextReader, type LineItemContexts } from './line-item-context.service.js';
import { LineItemDelivery, type WrittenLineItem } from './line-item-delivery.service.js';
import { newLineItem, patchOfLineItem, problemsOfNewLineItem, problemsOfLineItemPatch } from './line-item.changes.js';
import type { LineItemWithDelivery } from './line-item.presenter.js';
import {
  LINE_ITEM_OPERATIONS,
  type CreateLineItem,
  type ListLineItems,
  type UpdateLineItem,
  type UpdateLineItemOperation,
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
    private readonly contexts: LineItemContextReader,
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
    const written = await this.resources.change(account, LINE_ITEMS, [request], async (unit) =>
      createLineItem(unit, request, await this.contexts.read(unit, [request])),
    );
    return this.delivery.written(account, written);
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateLineItem>): Promise<LineItemWithDelivery> {
    const update = request.with({ line_item_id: id });
    return this.delivery.written(account, await this.updateLocked(account, id, [update], () => update));
  }

  /** Updates a line item with what depends on its stored columns. */
  async updateFrom(
    account: ActingAccount,
    id: string,
    paramsFor: (item: Row<LineItem>) => UpdateLineItem,
  ): Promise<Row<LineItem>> {
    const { item } = await this.updateLocked(account, id, [], (unit) =>
      Parsed.complete({ ...paramsFor(unit.find(id)), line_item_id: id }),
    );
    return item;
  }

  /** Irreversible. Its promoted posts, targeting and other creatives remain unchanged. */
  async delete(account: ActingAccount, id: string): Promise<LineItemWithDelivery> {
    const written = await this.resources.changeLocked(account, LINE_ITEMS, [], async (unit) => {
      await lockLineItems(unit, [id]);
      return deleteLineItem(unit, id, await this.contexts.read(unit, []));
    });
    return this.delivery.written(account, written);
  }

  /** Up to 40 operations, all or none. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<LineItemWithDelivery>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, LINE_ITEM_OPERATIONS, { account_id: account.id });
    const done = await this.resources.change(account, LINE_ITEMS, batch, async (unit) => {
      await lockLineItems(unit, [...batch.values('Update', 'line_item_id'), ...batch.values('Delete', 'line_item_id')]);
      const contexts = await this.contexts.read(unit, batch.requests('Create'), batch.requests('Update'));
      return unit.each(batch, {
        Create: (request) => createLineItem(unit, request, contexts),
        Update: (request) => updateLineItem(unit, request, contexts),
        Delete: (request) => deleteLineItem(unit, request.required('line_item_id'), contexts),
      });
    });
    return done.map(await this.delivery.ofWritten(account, done.items));
  }

  private updateLocked(
    account: ActingAccount,
    id: string,
    sent: readonly Parsed<UpdateLineItemOperation>[],
    updateFor: (unit: UnitOfWork<LineItem>) => Parsed<UpdateLineItemOperation>,
  ): Promise<WrittenLineItem> {
    return this.resources.changeLocked(account, LINE_ITEMS, sent, async (unit) => {
      await lockLineItems(unit, [id]);
      const update = updateFor(unit);
      return updateLineItem(unit, update, await this.contexts.read(unit, [], [update]));
    });
  }
}

/** Line items of deleted campaigns cannot be changed. */
const lockLineItems = (unit: UnitOfWork<LineItem>, ids: string[]) =>
  unit.lock(ids, { mode: 'pessimistic_write', narrow: (items) => items.whereTrue('campaignDeleted', false) });

function createLineItem(
  unit: UnitOfWork<LineItem>,
  request: Parsed<CreateLineItem>,
  { of, completeCategories, confirm }: LineItemContexts,
): WrittenLineItem {
  const id = request.value('campaign_id');
  const { account, campaign, ...rest } = of(id);
  const problems = [
    ...unknownReference(CAMPAIGNS, account, id, campaign),
    ...problemsOfNewLineItem(request, { account, campaign, ...rest }),
  ];
  if (problems.length > 0 || !request.isComplete) confirm();
  const params = request.paramsUnless(problems);
  const item = unit.create(newLineItem(params, { account, campaign: campaign!, ...rest }, completeCategories));
  // Later operations of a batch are validated against it.
  campaign!.objective ??= item.objective;
  campaign!.productType ??= item.productType;
  return { item, campaign: campaign! };
}

function updateLineItem(
  unit: UnitOfWork<LineItem>,
  request: Parsed<UpdateLineItemOperation>,
  { campaigns, of, completeCategories }: LineItemContexts,
): WrittenLineItem {
  const before = unit.find(request.required('line_item_id'));
  const context = of(before.campaignId);
  const params = request.paramsUnless(problemsOfLineItemPatch(request, context, before));
  const item = unit.update(before.id, patchOfLineItem(params, context, before, completeCategories));
  return { item, campaign: campaigns.get(item.campaignId)! };
}

function deleteLineItem(unit: UnitOfWork<LineItem>, id: string, { campaigns }: LineItemContexts): WrittenLineItem {
  const item = unit.delete(id);
  return { item, campaign: campaigns.get(item.campaignId)! };
}
