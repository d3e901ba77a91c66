import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import { CardStore } from '../card-content/card-store.service.js';
import { cardIdOf } from '../card-content/card-uri.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import { mediaKeysSent, newCard, patchOfCard, problemsOfCardPatch, problemsOfNewCard } from './card.rules.js';
import type { CreateCard, ListAllCards, ListCards, UpdateCard } from './cards.dto.js';

@Injectable()
export class CardsService {
  constructor(private readonly store: CardStore) {}

  /** Cards made of components; with legacy cards those of every kind. */
  async list(account: ActingAccount, query: ListCards): Promise<Page<CardWithMedia>> {
    const cards = this.store
      .of(account, query.include_legacy_cards ? undefined : 'COMPONENTS')
      .whereIn('id', query.card_id)
      .whereIn('id', query.card_uris?.map(cardIdOf))
      .whereIn('cardType', query.card_types)
      .whereStartsWith('name', query.q);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, 'COMPONENTS'));
  }

  /** Cards of every kind by their URIs, in the order of these; what nothing has for a URI is left out. */
  async listAll(account: ActingAccount, { card_uris, with_deleted }: ListAllCards): Promise<CardWithMedia[]> {
    const ids = card_uris.map(cardIdOf);
    const cards = this.store.of(account).whereIn('id', ids);
    if (with_deleted) cards.withDeleted();
    const found = new Map((await cards.getMany()).map((card) => [card.id, card]));
    const inOrder = ids.flatMap((id) => found.get(id) ?? []);
    return inOrder.map(await this.store.seen(account, inOrder));
  }

  async getAny(account: ActingAccount, id: string, query: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query));
  }

  async create(account: ActingAccount, params: CreateCard): Promise<CardWithMedia> {
    const card = await this.store.create(account, mediaKeysSent(params), (library) =>
      newCard(account, params, library),
    );
    return this.store.seenOne(account, card);
  }

  /** What is wrong with those parameters of a new card that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateCard>): Promise<ApiError[]> {
    const keys = mediaKeysSent(parsed.known('components', 'slides'));
    return problemsOfNewCard(account, parsed, await this.store.library(account, keys));
  }

  async update(account: ActingAccount, id: string, params: UpdateCard): Promise<CardWithMedia> {
    const card = await this.store.update(account, 'COMPONENTS', id, mediaKeysSent(params), (before, library) =>
      patchOfCard(before, params, library),
    );
    return this.store.seenOne(account, card);
  }

  /** The same for an update, that there is no such card included. */
  async problemsOfPatch(account: ActingAccount, id: string, parsed: Parsed<UpdateCard>): Promise<ApiError[]> {
    const card = await this.store.get(account, id, undefined, 'COMPONENTS');
    const keys = mediaKeysSent(parsed.known('components', 'slides'));
    return problemsOfCardPatch(card, parsed, await this.store.library(account, keys));
  }

  async delete(account: ActingAccount, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.delete(account, 'COMPONENTS', id));
  }
}
