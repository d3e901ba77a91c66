import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { cardIdOf } from '../card-content/card-content.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { CARDS, CARD_KINDS, type Card } from '../entities/card.entity.js';
import {
  formIdsOfCard,
  mediaKeysOfCard,
  newCard,
  patchOfCard,
  problemsOfCardPatch,
  problemsOfNewCard,
} from './card.rules.js';
import type { CreateCard, ListAllCards, ListCards, UpdateCard } from './cards.dto.js';

/** Lists, creates, updates and deletes cards made of components; lists and reads cards of every kind. */
@Injectable()
export class CardsService {
  constructor(
    private readonly store: CardStore,
    private readonly resources: Resources,
  ) {}

  /** Lists cards made of components, or cards of every kind with legacy cards. */
  async list(account: ActingAccount, query: ListCards): Promise<Page<CardWithMedia>> {
    const cards = this.store
      .of(account, query.include_legacy_cards ? undefined : 'COMPONENTS')
      .whereIn('id', query.card_id)
      .whereIn('id', query.card_uris?.map(cardIdOf))
      .whereIn('cardType', query.card_types)
      .whereStartsWith('name', query.q);
    // the index of names has the kinds first
    if (query.include_legacy_cards && query.q !== undefined) cards.whereIn('kind', CARD_KINDS);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, 'COMPONENTS'));
  }

  /** Returns cards of every kind in the order of the URIs, omitting URIs that match no card. */
  async listAll(account: ActingAccount, { card_uris, with_deleted }: ListAllCards): Promise<CardWithMedia[]> {
    const ids = card_uris.map(cardIdOf);
    const cards = this.store.of(account).whereIn('id', ids).asAnswer();
    if (with_deleted) cards.withDeleted();
    const found = new Map((await cards.getMany()).map((card) => [card.id, card]));
    const inOrder = ids.flatMap((id) => found.get(id) ?? []);
    return inOrder.map(await this.store.seen(account, inOrder));
  }

  /** Returns a card of any kind. */
  async getAny(account: ActingAccount, id: string, query: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query));
  }

  async create(account: ActingAccount, request: Parsed<CreateCard>): Promise<CardWithMedia> {
    const card = await this.resources.change(account, CARDS, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      return unit.create(newCard(account, request.paramsUnless(problemsOfNewCard(request, context))));
    });
    return this.store.seenOne(account, card);
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateCard>): Promise<CardWithMedia> {
    const updated = await this.resources.changeLocked(account, CARDS, [request], async (unit) => {
      const card = await unit.lockOne(id, { narrow: ofKind('COMPONENTS') });
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfCardPatch(request, context, card));
      return unit.update(id, patchOfCard(card, params));
    });
    return this.store.seenOne(account, updated);
  }

  private contextOf(unit: UnitOfWork<Card>, request: Parsed<UpdateCard>) {
    const sent = request.known('components', 'slides');
    return this.store.context(unit, mediaKeysOfCard(sent), formIdsOfCard(sent));
  }

  async delete(account: ActingAccount, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.resources.delete(account, CARDS, id, ofKind('COMPONENTS')));
  }
}
