import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params, ParsedBody } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { DynamicProductCardView, presentDynamicProductCard } from './dynamic-product-card.presenter.js';
import {
  CreateDynamicProductCard,
  ListDynamicProductCards,
  UpdateDynamicProductCard,
} from './dynamic-product-cards.dto.js';
import { DynamicProductCardsService } from './dynamic-product-cards.service.js';

@AccountController('dynamic_product_cards', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class DynamicProductCardsController {
  constructor(private readonly cards: DynamicProductCardsService) {}

  /** Lists the account's dynamic product cards, filtered and paged. */
  @Get()
  @ReturnsPage(DynamicProductCardView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListDynamicProductCards) {
    return (await this.cards.list(account, query)).map(presentDynamicProductCard);
  }

  /** Returns one dynamic product card. */
  @Get(':card_id')
  @Returns(DynamicProductCardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentDynamicProductCard(await this.cards.get(account, id, query));
  }

  /** Creates a card that shows products of the set that a line item advertises. */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(DynamicProductCardView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedBody(CreateDynamicProductCard) request: Parsed<CreateDynamicProductCard>,
  ) {
    return presentDynamicProductCard(await this.cards.create(account, request));
  }

  /** Updates a dynamic product card. */
  @Put(':card_id')
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(DynamicProductCardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @ParsedBody(UpdateDynamicProductCard) request: Parsed<UpdateDynamicProductCard>,
  ) {
    return presentDynamicProductCard(await this.cards.update(account, id, request));
  }

  /** Deletes a dynamic product card permanently. Posts that show it do not change. */
  @Delete(':card_id')
  @Returns(DynamicProductCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentDynamicProductCard(await this.cards.delete(account, id));
  }
}
