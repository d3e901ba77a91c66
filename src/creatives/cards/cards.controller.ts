import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Params, ParsedBody } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { ANY_CARD_VIEWS, presentAnyCard } from './any-card.presenter.js';
import { CardView, presentCard } from '../card-content/card.presenter.js';
import { CreateCard, ListAllCards, ListCards, UpdateCard } from './cards.dto.js';
import { CardsService } from './cards.service.js';

@AccountController('cards/all', { tag: 'Cards', reads: CREATIVES_READ })
export class AllCardsController {
  constructor(private readonly cards: CardsService) {}

  /** Lists cards of every kind by URI, each with the fields of its kind. This list has no pages. */
  @Get()
  @ReturnsList(ANY_CARD_VIEWS)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAllCards) {
    return (await this.cards.listAll(account, query)).map(presentAnyCard);
  }

  /** Returns one card of any kind, with the fields of its kind. */
  @Get(':card_id')
  @Returns(ANY_CARD_VIEWS)
  async getAnyCard(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentAnyCard(await this.cards.getAny(account, id, query));
  }
}

@AccountController('cards', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class CardsController {
  constructor(private readonly cards: CardsService) {}

  /** Lists the account's cards made of components, filtered and paged. Can include cards of other kinds. */
  @Get()
  @ReturnsPage(ANY_CARD_VIEWS)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListCards) {
    return (await this.cards.list(account, query)).map(presentAnyCard);
  }

  /** Returns one card made of components. */
  @Get(':card_id')
  @Returns(CardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentCard(await this.cards.get(account, id, query));
  }

  /** Creates a card from components or slides. */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(CardView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @ParsedBody(CreateCard) request: Parsed<CreateCard>) {
    return presentCard(await this.cards.create(account, request));
  }

  /** Updates a card. Each field sent replaces the stored value. The card can keep media that it already shows. */
  @Put(':card_id')
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(CardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @ParsedBody(UpdateCard) request: Parsed<UpdateCard>,
  ) {
    return presentCard(await this.cards.update(account, id, request));
  }

  /** Deletes a card permanently. Posts that show it do not change. */
  @Delete(':card_id')
  @Returns(CardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentCard(await this.cards.delete(account, id));
  }
}
