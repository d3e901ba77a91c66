import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import { CARDS } from '../entities/card.entity.js';
import { newDynamicProductCard, patchOfDynamicProductCard } from './dynamic-product-card.rules.js';
import type {
  CreateDynamicProductCard,
  ListDynamicProductCards,
  UpdateDynamicProductCard,
} from './dynamic-product-cards.dto.js';

/** Cards that show products of the set that a line item advertises. */
@Injectable()
export class DynamicProductCardsService {
  constructor(
    private readonly store: CardStore,
    private readonly resources: Resources,
  ) {}

  async list(account: ActingAccount, query: ListDynamicProductCards): Promise<Page<CardWithMedia>> {
    const cards = this.store
      .of(account, 'DYNAMIC_PRODUCTS')
      .whereIn('id', query.card_ids)
      .whereStartsWith('name', query.q);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, 'DYNAMIC_PRODUCTS'));
  }

  async create(account: ActingAccount, request: Parsed<CreateDynamicProductCard>): Promise<CardWithMedia> {
    const card = await this.resources.change(account, CARDS, [request], (unit) =>
      Promise.resolve(unit.create(newDynamicProductCard(account, request.paramsUnless([])))),
    );
    return this.store.seenOne(account, card);
  }

  async update(account: ActingAccount, id: string, request: Parsed<UpdateDynamicProductCard>): Promise<CardWithMedia> {
    const updated = await this.resources.changeLocked(account, CARDS, [request], async (unit) => {
      const card = await unit.lockOne(id, { narrow: ofKind('DYNAMIC_PRODUCTS') });
      return unit.update(id, patchOfDynamicProductCard(card, request.paramsUnless([])));
    });
    return this.store.seenOne(account, updated);
  }

  async delete(account: ActingAccount, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.resources.delete(account, CARDS, id, ofKind('DYNAMIC_PRODUCTS')));
  }
}
