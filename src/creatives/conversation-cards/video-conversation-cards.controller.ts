import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { ChecksStored } from '../../common/http/checks-stored.js';
import { Params } from '../../common/http/params.js';
import type { Parsed } from '../../common/http/parsed.js';
import { ReturnsOne, ReturnsPage } from '../../common/http/responses.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { VideoConversationCardView, presentVideoConversationCard } from './conversation-card.presenter.js';
import type { SentConversation } from './conversation-card.rules.js';
import {
  CreateVideoConversationCard,
  ListConversationCards,
  UpdateVideoConversationCard,
} from './conversation-cards.dto.js';
import { ConversationCardsService } from './conversation-cards.service.js';

@AccountController('cards/video_conversation', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class VideoConversationCardsController {
  constructor(private readonly cards: ConversationCardsService) {}

  /** The account's video conversation cards, filtered and paged. */
  @Get()
  @ReturnsPage(VideoConversationCardView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListConversationCards) {
    return (await this.cards.list(account, 'VIDEO_CONVERSATION', query)).map(presentVideoConversationCard);
  }

  /** One video conversation card. */
  @Get(':card_id')
  @ReturnsOne(VideoConversationCardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentVideoConversationCard(await this.cards.get(account, 'VIDEO_CONVERSATION', id, query));
  }

  /** Makes a card with a video that asks people to post one of up to four hashtags. */
  @Post()
  @ChecksStored(ConversationCardsService, (cards, parsed: Parsed<SentConversation>, { account }) =>
    cards.problemsOfNew(account!, 'VIDEO_CONVERSATION', parsed),
  )
  @ReturnsOne(VideoConversationCardView, 201)
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateVideoConversationCard) {
    return presentVideoConversationCard(await this.cards.create(account, 'VIDEO_CONVERSATION', params));
  }

  /** Changes a card: what is sent, and nothing else; an empty value unsets. A hashtag that is unset takes its post with it. */
  @Put(':card_id')
  @ChecksStored(ConversationCardsService, (cards, parsed: Parsed<SentConversation>, { account, params }) =>
    cards.problemsOfPatch(account!, 'VIDEO_CONVERSATION', (params as { card_id: string }).card_id, parsed),
  )
  @ReturnsOne(VideoConversationCardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @Params() params: UpdateVideoConversationCard,
  ) {
    return presentVideoConversationCard(await this.cards.update(account, 'VIDEO_CONVERSATION', id, params));
  }

  /** Deletes a card for good; posts that show it stay as they are. */
  @Delete(':card_id')
  @ReturnsOne(VideoConversationCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentVideoConversationCard(await this.cards.delete(account, 'VIDEO_CONVERSATION', id));
  }
}
