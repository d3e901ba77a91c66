import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import { CARDS } from '../entities/card.entity.js';
import { newPollCard, problemsOfNewPoll } from './poll-card.rules.js';
import type { CreatePollCard, ListPollCards } from './poll-cards.dto.js';

@Injectable()
export class PollCardsService {
  constructor(
    private readonly store: CardStore,
    private readonly resources: Resources,
  ) {}

  async list(account: ActingAccount, query: ListPollCards): Promise<Page<CardWithMedia>> {
    const cards = this.store.of(account, 'POLL').whereIn('id', query.card_ids).whereStartsWith('name', query.q);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, 'POLL'));
  }

  /** Creates a poll that starts now. */
  async create(account: ActingAccount, request: Parsed<CreatePollCard>): Promise<CardWithMedia> {
    const card = await this.resources.change(account, CARDS, [request], async (unit) => {
      const context = await this.store.context(unit, [request.value('media_key') || []].flat());
      const params = request.paramsUnless(problemsOfNewPoll(request, context));
      return unit.create(newPollCard(account, params, unit.now));
    });
    return this.store.seenOne(account, card);
  }

  async delete(account: ActingAccount, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.resources.delete(account, CARDS, id, ofKind('POLL')));
  }
}
