import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { CardStore } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import type { ConversationKind, SentConversation } from './conversation-card.rules.js';
import { ConversationCardWrites } from './conversation-card.writes.js';
import type { ListConversationCards } from './conversation-cards.dto.js';

/** Cards with an image or video that invite users to post one of several hashtags. */
@Injectable()
export class ConversationCardsService {
  constructor(
    private readonly store: CardStore,
    private readonly resources: Resources,
    private readonly writes: ConversationCardWrites,
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
    return this.store.seenOne(account, await this.resources.perform(account, this.writes.of[kind].create, request));
  }

  async update(
    account: ActingAccount,
    kind: ConversationKind,
    id: string,
    request: Parsed<SentConversation>,
  ): Promise<CardWithMedia> {
    const named = request.with({ card_id: id });
    return this.store.seenOne(account, await this.resources.perform(account, this.writes.of[kind].update, named));
  }

  async delete(account: ActingAccount, kind: ConversationKind, id: string): Promise<CardWithMedia> {
    const named = Parsed.whole({ card_id: id });
    return this.store.seenOne(account, await this.resources.perform(account, this.writes.of[kind].delete, named));
  }
}
