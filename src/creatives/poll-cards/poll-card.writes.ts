import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineDelete, defineWrite } from '../../accounts/resources/define-write.js';
import type { CardContext } from '../card-content/card-media.rules.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { Card } from '../entities/card.entity.js';
import { CARDS } from '../card-content/card.resource.js';
import { newPollCard, problemsOfNewPoll } from './poll-card.rules.js';
import type { CreatePollCard } from './poll-cards.dto.js';

/** Creates and deletes poll cards. */
@Injectable()
export class PollCardWrites {
  constructor(private readonly store: CardStore) {}

  readonly create = defineWrite<Card, CreatePollCard, CardContext<ActingAccount>>(CARDS, {
    context: (scope, [request]) => this.store.context(scope, [request.value('media_key') || []].flat()),
    problems: problemsOfNewPoll,
    apply: (unitOfWork, params, { account }) => unitOfWork.create(newPollCard(account, params, unitOfWork.now)),
  });

  readonly delete = { ...defineDelete(CARDS, 'card_id'), narrow: ofKind('POLL') };
}
