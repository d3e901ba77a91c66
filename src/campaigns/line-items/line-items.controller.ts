import { Body, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { Parsed } from '../../common/http/params/parsed.js';
import { noteIgnored, Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { LineItemView, presentLineItem, type LineItemWithDelivery } from './line-item.presenter.js';
import { CreateLineItem, LINE_ITEM_OPERATIONS, ListLineItems, UpdateLineItem } from './line-items.dto.js';
import { LineItemsService } from './line-items.service.js';

@AccountController('line_items', {
  tag: 'Line items',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
  quota: 'CORE_READS',
})
export class LineItemsController {
  constructor(private readonly items: LineItemsService) {}

  /** Lists the account's line items, with filters and pagination. */
  @Get()
  @ReturnsPage(LineItemView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListLineItems) {
    return (await this.items.list(account, query)).map(presentLineItem);
  }

  /** Returns a line item. */
  @Get(':line_item_id')
  @Returns(LineItemView)
  async get(@CurrentAccount() account: ActingAccount, @Param('line_item_id') id: string, @Params() query: OneQuery) {
    return presentLineItem(await this.items.get(account, id, query));
  }

  /** Creates a line item in a campaign. */
  @Post()
  @Returns(LineItemView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateLineItem) request: Parsed<CreateLineItem>,
  ) {
    return presentLineItem(await this.items.create(account, request));
  }

  /** Updates a line item. Changes only the fields sent. An empty value unsets an optional field. */
  @Put(':line_item_id')
  @Returns(LineItemView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('line_item_id') id: string,
    @ParsedParams(UpdateLineItem) request: Parsed<UpdateLineItem>,
    @Req() { query }: FastifyRequest,
  ) {
    const updated = await this.items.update(account, id, request);
    if (isBidIgnored(updated, request.params)) noteIgnored(query, BID_IGNORED);
    return presentLineItem(updated);
  }

  /** Activates a line item, as an update with `entity_status=ACTIVE` does. */
  @Put(':line_item_id/activate')
  @Returns(LineItemView)
  async activate(@CurrentAccount() account: ActingAccount, @Param('line_item_id') id: string) {
    return presentLineItem(await this.items.update(account, id, ACTIVATION));
  }

  /** Deletes a line item permanently. Repeating the call returns 404. */
  @Delete(':line_item_id')
  @Returns(LineItemView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('line_item_id') id: string) {
    return presentLineItem(await this.items.delete(account, id));
  }
}

const ACTIVATION = Parsed.complete<UpdateLineItem>({ entity_status: 'ACTIVE' });
const BID_IGNORED = 'bid_amount_local_micro was ignored: the bid_strategy of the line item is AUTO.';

/** Whether a request contains a bid for a line item whose bids are set automatically. */
const isBidIgnored = ({ item }: LineItemWithDelivery, { bid_amount_local_micro: bid }: UpdateLineItem): boolean =>
  item.bidStrategy === 'AUTO' && (bid ?? null) !== null;

@BatchController('line_items', { tag: 'Line items', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class LineItemBatchController {
  constructor(private readonly items: LineItemsService) {}

  /** Creates, updates and deletes up to 40 line items. Either all operations succeed or none. */
  @Post()
  @HttpCode(200)
  @TakesBatch(LINE_ITEM_OPERATIONS)
  @ReturnsList(LineItemView, { batch: true })
  async run(@CurrentAccount() account: ActingAccount, @Body() operations: unknown) {
    return (await this.items.batch(account, operations)).map(presentLineItem);
  }
}
