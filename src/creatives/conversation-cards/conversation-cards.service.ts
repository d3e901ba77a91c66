import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { Config } from '../../config/config.js';
import type { CardContext } from '../card-content/card-media.rules.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import { CARDS, type Card } from '../entities/card.entity.js';
import {
  mediaKeysOfConversation,
  newConversationCard,
  patchOfConversation,
  problemsOfConversationPatch,
  problemsOfNewConversation,
  type ConversationKind,
  type ConversationOwner,
  type SentConversation,
} from './conversation-card.rules.js';
import type { ListConversationCards } from './conversation-cards.dto.js';

/** Cards with an image or video that invite users to post one of several hashtags. */
@Injectable()
export class ConversationCardsService {
  constructor(
    private readonly store: CardStore,
    private readonly resources: Resources,
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
    request: Parsed<SentConversation & { name: string }>,
  ): Promise<CardWithMedia> {
    const card = await this.resources.change(account, CARDS, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfNewConversation(kind, request, context));
      return unit.create(newConversationCard(account, kind, params));
    });
    return this.store.seenOne(account, card);
  }

  async update(
    account: ActingAccount,
    kind: ConversationKind,
    id: string,
    request: Parsed<SentConversation>,
  ): Promise<CardWithMedia> {
    const updated = await this.resources.changeLocked(account, CARDS, [request], async (unit) => {
      const card = await unit.lockOne(id, { narrow: ofKind(kind) });
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfConversationPatch(request, context, card));
      return unit.update(id, patchOfConversation(card, params));
    });
    return this.store.seenOne(account, updated);
  }

  async delete(account: ActingAccount, kind: ConversationKind, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.resources.delete(account, CARDS, id, ofKind(kind)));
  }

  /** Features are required only if the operator enables the check. */
  private async contextOf(
    unit: UnitOfWork<Card>,
    request: Parsed<SentConversation>,
  ): Promise<CardContext<ConversationOwner>> {
    const { account, library } = await this.store.context(unit, mediaKeysOfConversation(request));
    const { id, features } = account;
    return { account: this.config.conversationCardFeatures ? { id, features } : { id }, library };
  }
}
