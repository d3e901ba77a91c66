import type { EntityManager } from 'typeorm';
import { mediaTypeOf } from '../../creatives/media-files/media-key.js';
import type { CardType } from '../../creatives/entities/card.entity.js';
import { isInStream } from '../media-creatives/media-creative.rules.js';
import { moves } from '../promoted-posts/suitability.rules.js';
import { cardTypes, shownCreatives, type ShownCreative } from './servable-items.statements.js';

/** What a line item shows. */
export interface PromotedThing {
  id: string;
  kind: 'PROMOTED_POST' | 'PROMOTED_ACCOUNT' | 'MEDIA_CREATIVE';
  postId: string | null;
  isVideo: boolean;
}

/** What these line items show, in the order of the ids. Line items that show nothing are missing. */
export async function promotedThings(
  db: EntityManager,
  accountId: string,
  lineItemIds: readonly string[],
): Promise<Map<string, PromotedThing[]>> {
  const creatives = await shownCreatives(db, accountId, lineItemIds);
  const cards = await cardTypes(db, [...new Set(creatives.flatMap(({ cardId }) => cardId ?? []))]);
  const things = new Map<string, PromotedThing[]>();
  for (const creative of creatives) {
    const { lineItemId, id, kind, postId } = creative;
    const thing = { id, kind, postId, isVideo: isVideo(creative, cards) };
    const others = things.get(lineItemId);
    if (others) others.push(thing);
    else things.set(lineItemId, [thing]);
  }
  return things;
}

/** As for the objectives that show videos: a card replaces the media of a post. */
function isVideo({ mediaKeys, cardId, creativeType }: ShownCreative, cards: ReadonlyMap<string, CardType>): boolean {
  if (creativeType !== null) return isInStream(creativeType);
  return moves({ cardType: cards.get(cardId ?? '') ?? null, mediaTypes: mediaKeys?.map(mediaTypeOf) ?? [] });
}
