import { Injectable } from '@nestjs/common';
import { defineDelete, defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { CardContext } from '../card-content/card-media.rules.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { Card } from '../entities/card.entity.js';
import { CARDS } from '../card-content/card.resource.js';
import { mediaKeysSent, newCard, patchOfCard, problemsOfCardPatch, problemsOfNewCard } from './card.rules.js';
import type { CreateCard, UpdateCard } from './cards.dto.js';

/** Creates, updates and deletes cards made of components. */
@Injectable()
export class CardWrites {
  constructor(private readonly store: CardStore) {}

  private readonly context = (
    scope: WriteScope<Card>,
    [request]: readonly Parsed<Pick<UpdateCard, 'components' | 'slides'>>[],
  ) => this.store.context(scope, mediaKeysSent(request.known('components', 'slides')));

  readonly create = defineWrite<Card, CreateCard, CardContext>(CARDS, {
    context: this.context,
    problems: problemsOfNewCard,
    apply: (unitOfWork, params, { account }) => unitOfWork.create(newCard(account, params)),
  });

  readonly update = defineWrite<Card, UpdateCard & { card_id: string }, CardContext>(CARDS, {
    target: 'card_id',
    narrow: ofKind('COMPONENTS'),
    context: this.context,
    problems: problemsOfCardPatch,
    apply: (unitOfWork, params, _, card) => unitOfWork.update(card.id, patchOfCard(card, params)),
  });

  readonly delete = { ...defineDelete(CARDS, 'card_id'), narrow: ofKind('COMPONENTS') };
}
