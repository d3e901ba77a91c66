import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { CardStore } from '../card-content/card-store.service.js';
import { cardIdOf } from '../card-content/card-uri.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import type { ListAllCards } from './cards.dto.js';

/** Lists and reads cards of every kind. */
@Injectable()
export class AllCardsService {
  constructor(private readonly store: CardStore) {}

  /** Returns cards in the order of the URIs, omitting URIs that match no card. */
  async list(account: ActingAccount, { card_uris, with_deleted }: ListAllCards): Promise<CardWithMedia[]> {
    const ids = card_uris.map(cardIdOf);
    const cards = this.store.of(account).whereIn('id', ids).asAnswer();
    if (with_deleted) cards.withDeleted();
    const found = new Map((await cards.getMany()).map((card) => [card.id, card]));
    const inOrder = ids.flatMap((id) => found.get(id) ?? []);
    return inOrder.map(await this.store.seen(account, inOrder));
  }

  async get(account: ActingAccount, id: string, query: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query));
  }
}
