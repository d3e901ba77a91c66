import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { PollCardView, presentPollCard } from './poll-card.presenter.js';
import { CreatePollCard, ListPollCards } from './poll-cards.dto.js';
import { PollCardsService } from './poll-cards.service.js';

@AccountController('cards/poll', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class PollCardsController {
  constructor(private readonly cards: PollCardsService) {}

  /** Lists the account's poll cards, filtered and paged. */
  @Get()
  @ReturnsPage(PollCardView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPollCards) {
    return (await this.cards.list(account, query)).map(presentPollCard);
  }

  /** Returns one poll card. */
  @Get(':card_id')
  @Returns(PollCardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentPollCard(await this.cards.get(account, id, query));
  }

  /** Creates a poll card. The poll starts immediately and cannot be changed. */
  @Post()
  @Returns(PollCardView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreatePollCard) request: Parsed<CreatePollCard>,
  ) {
    return presentPollCard(await this.cards.create(account, request));
  }

  /** Deletes a poll card permanently. Posts that show it do not change. */
  @Delete(':card_id')
  @Returns(PollCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentPollCard(await this.cards.delete(account, id));
  }
}
