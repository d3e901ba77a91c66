import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import { Config } from '../../config.js';
import { CardStore } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import {
  mediaKeysSent,
  newConversationCard,
  patchOfConversation,
  problemsOfConversationPatch,
  problemsOfNewConversation,
  type ConversationKind,
  type ConversationOwner,
  type SentConversation,
} from './conversation-card.rules.js';
import type { ListConversationCards } from './conversation-cards.dto.js';

/** Cards with an image or with a video that ask people to post one of some hashtags. */
@Injectable()
export class ConversationCardsService {
  constructor(
    private readonly store: CardStore,
    private readonly config: Config,
  ) {}

  async list(
    account: ActingAccount,
    kind: ConversationKind,
    query: ListConversationCards,
  ): Promise<Page<CardWithMedia>> {
    const cards = this.store.of(account, kind).whereIn('id', query.card_ids).whereStartsWith('name', query.q);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, kind: ConversationKind, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, kind));
  }

  async create(
    account: ActingAccount,
    kind: ConversationKind,
    params: SentConversation & { name: string },
  ): Promise<CardWithMedia> {
    const card = await this.store.create(account, mediaKeysSent(Parsed.whole(params)), (library) =>
      newConversationCard(this.ownerOf(account), kind, params, library),
    );
    return this.store.seenOne(account, card);
  }

  /** What is wrong with those parameters of a new card that could be read, where others could not. */
  async problemsOfNew(
    account: ActingAccount,
    kind: ConversationKind,
    parsed: Parsed<SentConversation>,
  ): Promise<ApiError[]> {
    const library = await this.store.library(account, mediaKeysSent(parsed));
    return problemsOfNewConversation(this.ownerOf(account), kind, parsed, library);
  }

  async update(
    account: ActingAccount,
    kind: ConversationKind,
    id: string,
    params: SentConversation,
  ): Promise<CardWithMedia> {
    const keys = mediaKeysSent(Parsed.whole(params));
    const card = await this.store.update(account, kind, id, keys, (before, library) =>
      patchOfConversation(this.ownerOf(account), before, params, library),
    );
    return this.store.seenOne(account, card);
  }

  /** The same for an update, that there is no such card included. */
  async problemsOfPatch(
    account: ActingAccount,
    kind: ConversationKind,
    id: string,
    parsed: Parsed<SentConversation>,
  ): Promise<ApiError[]> {
    const card = await this.store.get(account, id, undefined, kind);
    const library = await this.store.library(account, mediaKeysSent(parsed));
    return problemsOfConversationPatch(this.ownerOf(account), card, parsed, library);
  }

  async delete(account: ActingAccount, kind: ConversationKind, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.delete(account, kind, id));
  }

  /** The features are asked for only where the operator wants it. */
  private ownerOf({ id, features }: ActingAccount): ConversationOwner {
    return this.config.conversationCardFeatures ? { id, features } : { id };
  }
}
