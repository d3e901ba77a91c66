import { Injectable } from '@nestjs/common';
import { defineDelete, defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Config } from '../../config/config.js';
import type { CardContext } from '../card-content/card-media.rules.js';
import { CardStore, ofKind } from '../card-content/card-store.service.js';
import type { Card } from '../entities/card.entity.js';
import { CARDS } from '../card-content/card.resource.js';
import {
  mediaKeysSent,
  newConversationCard,
  patchOfConversation,
  problemsOfConversationPatch,
  problemsOfNewConversation,
  type ConversationKind,
  type ConversationOwner,
  type SentConversation,
} from './conversation-card.rules.js';

type Context = CardContext<ConversationOwner>;

/** Creates, updates and deletes conversation cards. */
@Injectable()
export class ConversationCardWrites {
  constructor(
    private readonly store: CardStore,
    private readonly config: Config,
  ) {}

  /** Writes of image cards and of video cards. */
  readonly of = {
    IMAGE_CONVERSATION: this.writesOf('IMAGE_CONVERSATION'),
    VIDEO_CONVERSATION: this.writesOf('VIDEO_CONVERSATION'),
  };

  private writesOf(kind: ConversationKind) {
    const context = (scope: WriteScope<Card>, [request]: readonly Parsed<SentConversation>[]) =>
      this.context(scope, request);
    return {
      create: defineWrite<Card, SentConversation & { name: string }, Context>(CARDS, {
        context,
        problems: (request, found) => problemsOfNewConversation(kind, request, found),
        apply: (unitOfWork, params, { account }) => unitOfWork.create(newConversationCard(account, kind, params)),
      }),
      update: defineWrite<Card, SentConversation & { card_id: string }, Context>(CARDS, {
        target: 'card_id',
        narrow: ofKind(kind),
        context,
        problems: problemsOfConversationPatch,
        apply: (unitOfWork, params, _, card) => unitOfWork.update(card.id, patchOfConversation(card, params)),
      }),
      delete: { ...defineDelete(CARDS, 'card_id'), narrow: ofKind(kind) },
    };
  }

  /** Features are required only if the operator enables the check. */
  private async context(scope: WriteScope<Card>, request: Parsed<SentConversation>): Promise<Context> {
    const { account, library } = await this.store.context(scope, mediaKeysSent(request));
    const { id, features } = account;
    return { account: this.config.conversationCardFeatures ? { id, features } : { id }, library };
  }
}
