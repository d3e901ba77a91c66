import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import { CardStore } from '../card-content/card-store.service.js';
import type { CardWithMedia } from '../card-content/card.presenter.js';
import { newPollCard, problemsOfNewPoll } from './poll-card.rules.js';
import type { CreatePollCard, ListPollCards } from './poll-cards.dto.js';

@Injectable()
export class PollCardsService {
  constructor(private readonly store: CardStore) {}

  async list(account: ActingAccount, query: ListPollCards): Promise<Page<CardWithMedia>> {
    const cards = this.store.of(account, 'POLL').whereIn('id', query.card_ids).whereStartsWith('name', query.q);
    const found = await page(cards, query);
    return found.map(await this.store.seen(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.get(account, id, query, 'POLL'));
  }

  /** The clock starts now. */
  async create(account: ActingAccount, params: CreatePollCard): Promise<CardWithMedia> {
    const card = await this.store.create(account, mediaKeysOf(Parsed.whole(params)), (library, now) =>
      newPollCard(account, params, library, now),
    );
    return this.store.seenOne(account, card);
  }

  /** What is wrong with those parameters of a new poll that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreatePollCard>): Promise<ApiError[]> {
    return problemsOfNewPoll(account, parsed, await this.store.library(account, mediaKeysOf(parsed)));
  }

  async delete(account: ActingAccount, id: string): Promise<CardWithMedia> {
    return this.store.seenOne(account, await this.store.delete(account, 'POLL', id));
  }
}

const mediaKeysOf = (parsed: Parsed<CreatePollCard>): string[] => [parsed.known('media_key')?.media_key || []].flat();
