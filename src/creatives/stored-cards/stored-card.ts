import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ContentProblem } from '../../common/entity/snapshots.js';
import { readParams } from '../../common/http/params/params.js';
import { isObject } from '../../common/values/is-object.js';
import { fieldsOfChoices, ORDINALS, type ConversationContent, type PollContent } from '../card-content/card-content.js';
import { newCard } from '../cards/card.rules.js';
import { CreateCard } from '../cards/cards.dto.js';
import { conversationFieldsOf, newConversationCard } from '../conversation-cards/conversation-card.rules.js';
import {
  CreateImageConversationCard,
  CreateVideoConversationCard,
} from '../conversation-cards/conversation-cards.dto.js';
import { newDynamicProductCard } from '../dynamic-product-cards/dynamic-product-card.rules.js';
import { CreateDynamicProductCard } from '../dynamic-product-cards/dynamic-product-cards.dto.js';
import type { Card, CardKind } from '../entities/card.entity.js';
import { newPollCard } from '../poll-cards/poll-card.rules.js';
import { CreatePollCard } from '../poll-cards/poll-cards.dto.js';

type Content = Record<string, unknown>;

/** The request that creates a card of a kind, and the card that it creates. */
interface Creation {
  request: (content: Content) => Content;
  create: (params: Content) => NewColumns<Card> | ContentProblem;
}

/** A card is what the request creates that has the values of its content. */
const creationBy = <T extends object>(
  dto: Type<T>,
  request: Creation['request'],
  build: (params: T) => NewColumns<Card>,
): Creation => ({
  request,
  create: (given) => {
    const { params, refused } = readParams(dto, given);
    if (!refused) return build(params);
    const [{ message, detail }] = refused.errors;
    return { column: detail.parameter === 'name' ? 'name' : 'content', message, value: detail.value };
  },
});

const ACCOUNT = { id: '' };

const conversation = (content: Content): Content => {
  const ctas = (Array.isArray(content.ctas) ? content.ctas : []).slice(0, ORDINALS.length).filter(isObject);
  return conversationFieldsOf({ ...content, ctas } as unknown as ConversationContent);
};

const poll = ({ choices, ...content }: Content): Content => ({
  ...content,
  ...fieldsOfChoices((Array.isArray(choices) ? (choices as PollContent['choices']) : []).slice(0, ORDINALS.length)),
});

const CREATIONS: Record<CardKind, Creation> = {
  COMPONENTS: creationBy(
    CreateCard,
    ({ components, slides }) => ({ components, slides }),
    (params) => newCard(ACCOUNT, params),
  ),
  IMAGE_CONVERSATION: creationBy(CreateImageConversationCard, conversation, (params) =>
    newConversationCard(ACCOUNT, 'IMAGE_CONVERSATION', params),
  ),
  VIDEO_CONVERSATION: creationBy(CreateVideoConversationCard, conversation, (params) =>
    newConversationCard(ACCOUNT, 'VIDEO_CONVERSATION', params),
  ),
  POLL: creationBy(CreatePollCard, poll, (params) => newPollCard(ACCOUNT, params, new Date(0))),
  DYNAMIC_PRODUCTS: creationBy(
    CreateDynamicProductCard,
    ({ url, creative_type }) => ({ url, creative_type }),
    (params) => newDynamicProductCard(ACCOUNT, params),
  ),
};

/** Why a card is not what a request of the API creates; undefined if it is. Only its kind is known to be one. */
export function storedCardProblem(card: Row<Card>): ContentProblem | undefined {
  const { request, create } = CREATIONS[card.kind];
  const content = card.content as Content;
  if (card.kind === 'COMPONENTS' && content.components == null && content.slides == null)
    return { column: 'content', message: 'Expected components or slides' };
  const created = create({ ...request(content), name: card.name });
  if ('column' in created) return created;
  for (const column of ['content', 'cardType', 'mediaKeys'] as const)
    if (!isDeepStrictEqual(created[column], card[column])) {
      const [expected, got] = [JSON.stringify(created[column]), JSON.stringify(card[column])];
      return { column, message: `Expected ${expected} for a card with this content, got ${got}` };
    }
  if ((created.endsAt === null) === (card.endsAt === null)) return undefined;
  return {
    column: 'endsAt',
    message: `Expected ${created.endsAt === null ? 'null' : 'a time'}, because the card is of the kind ${card.kind}`,
  };
}
