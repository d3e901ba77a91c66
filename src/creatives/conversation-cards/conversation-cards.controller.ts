import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import {
  ImageConversationCardView,
  presentImageConversationCard,
  presentVideoConversationCard,
  VideoConversationCardView,
} from './conversation-card.presenter.js';
import {
  CreateImageConversationCard,
  CreateVideoConversationCard,
  ListConversationCards,
  UpdateImageConversationCard,
  UpdateVideoConversationCard,
} from './conversation-cards.dto.js';
import { ConversationCardsService } from './conversation-cards.service.js';

@AccountController('cards/image_conversation', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class ImageConversationCardsController {
  constructor(private readonly cards: ConversationCardsService) {}

  /** Lists the account's image conversation cards, filtered and paged. */
  @Get()
  @ReturnsPage(ImageConversationCardView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListConversationCards) {
    return (await this.cards.list(account, 'IMAGE_CONVERSATION', query)).map(presentImageConversationCard);
  }

  /** Returns one image conversation card. */
  @Get(':card_id')
  @Returns(ImageConversationCardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentImageConversationCard(await this.cards.get(account, 'IMAGE_CONVERSATION', id, query));
  }

  /** Creates a card with an image that invites users to post one of up to four hashtags. */
  @Post()
  @Returns(ImageConversationCardView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateImageConversationCard) request: Parsed<CreateImageConversationCard>,
  ) {
    return presentImageConversationCard(await this.cards.create(account, 'IMAGE_CONVERSATION', request));
  }

  /** Updates the fields sent. An empty value unsets a field. Unsetting a hashtag also unsets its post text. */
  @Put(':card_id')
  @Returns(ImageConversationCardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @ParsedParams(UpdateImageConversationCard) request: Parsed<UpdateImageConversationCard>,
  ) {
    return presentImageConversationCard(await this.cards.update(account, 'IMAGE_CONVERSATION', id, request));
  }

  /** Deletes a card permanently. Posts that show it do not change. */
  @Delete(':card_id')
  @Returns(ImageConversationCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentImageConversationCard(await this.cards.delete(account, 'IMAGE_CONVERSATION', id));
  }
}

@AccountController('cards/video_conversation', { tag: 'Cards', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class VideoConversationCardsController {
  constructor(private readonly cards: ConversationCardsService) {}

  /** Lists the account's video conversation cards, filtered and paged. */
  @Get()
  @ReturnsPage(VideoConversationCardView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListConversationCards) {
    return (await this.cards.list(account, 'VIDEO_CONVERSATION', query)).map(presentVideoConversationCard);
  }

  /** Returns one video conversation card. */
  @Get(':card_id')
  @Returns(VideoConversationCardView)
  async get(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string, @Params() query: OneQuery) {
    return presentVideoConversationCard(await this.cards.get(account, 'VIDEO_CONVERSATION', id, query));
  }

  /** Creates a card with a video that invites users to post one of up to four hashtags. */
  @Post()
  @Returns(VideoConversationCardView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateVideoConversationCard) request: Parsed<CreateVideoConversationCard>,
  ) {
    return presentVideoConversationCard(await this.cards.create(account, 'VIDEO_CONVERSATION', request));
  }

  /** Updates the fields sent. An empty value unsets a field. Unsetting a hashtag also unsets its post text. */
  @Put(':card_id')
  @Returns(VideoConversationCardView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('card_id') id: string,
    @ParsedParams(UpdateVideoConversationCard) request: Parsed<UpdateVideoConversationCard>,
  ) {
    return presentVideoConversationCard(await this.cards.update(account, 'VIDEO_CONVERSATION', id, request));
  }

  /** Deletes a card permanently. Posts that show it do not change. */
  @Delete(':card_id')
  @Returns(VideoConversationCardView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('card_id') id: string) {
    return presentVideoConversationCard(await this.cards.delete(account, 'VIDEO_CONVERSATION', id));
  }
}
