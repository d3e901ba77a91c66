import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { ReturnsOne, ReturnsPage } from '../../common/http/answers/responses.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { VideoConversationCardView, presentVideoConversationCard } from './conversation-card.presenter.js';
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
  @ReturnsOne(VideoConversationCardView, 201)
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateVideoConversationCard) request: Parsed<CreateVideoConversationCard>,
  ) {
    return presentVideoConversationCard(await this.cards.create(account, 'VIDEO_CONVERSATION', request));
  }

  /** Changes a card: what is sent, and nothing else; an empty value unsets. A hashtag that is unset takes its post with it. */
  @Put(':card_id')
  @ReturnsOne(VideoConversationCardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @ParsedParams(UpdateVideoConversationCard) request: Parsed<UpdateVideoConversationCard>,
  ) {
    return presentVideoConversationCard(await this.cards.update(account, 'VIDEO_CONVERSATION', id, request));
  }

  /** Deletes a card for good; posts that show it stay as they are. */
  @Delete(':card_id')
  @ReturnsOne(VideoConversationCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentVideoConversationCard(await this.cards.delete(account, 'VIDEO_CONVERSATION', id));
  }
}
