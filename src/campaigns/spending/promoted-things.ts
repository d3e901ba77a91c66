import type { EntityManager } from 'typeorm';
import { mediaTypeOf } from '../../creatives/media-files/media-key.js';
import { isInStream } from '../media-creatives/media-creative.rules.js';
import { moves } from '../promoted-posts/suitability.rules.js';
import { shownCards, shownCreatives, type ShownCard, type ShownCreative } from './servable-items.statements.js';

/** What a line item shows. */
export interface PromotedThing {
  id: string;
  kind: 'PROMOTED_POST' | 'PROMOTED_ACCOUNT' | 'MEDIA_CREATIVE';
  postId: string | null;
  isVideo: boolean;
  /** The lead forms to which its card leads. */
  leadFormIds: readonly string[];
}

/** What these line items show, in the order of the ids. Line items that show nothing are missing. */
export async function promotedThings(
  db: EntityManager,
  accountId: string,
  lineItemIds: readonly string[],
): Promise<Map<string, PromotedThing[]>> {
  const creatives = await shownCreatives(db, accountId, lineItemIds);
  const cards = await shownCards(db, [...new Set(creatives.flatMap(({ cardId }) => cardId ?? []))]);
  const things = new Map<string, PromotedThing[]>();
  for (const creative of creatives) {
    const { lineItemId, id, kind, postId } = creative;
    const card = cards.get(creative.cardId ?? '');
    const thing = { id, kind, postId, isVideo: isVideo(creative, card), leadFormIds: card?.leadFormIds ?? [] };
    const others = things.get(lineItemId);
    if (others) others.push(thing);
    else things.set(lineItemId, [thing]);
  }
  return things;
}

/** As for the objectives that show videos: a card replaces the media of a post. */
function isVideo({ mediaKeys, creativeType }: ShownCreative, card: ShownCard | undefined): boolean {
  if (creativeType !== null) return isInStream(creativeType);
  return moves({ cardType: card?.cardType ?? null, mediaTypes: mediaKeys?.map(mediaTypeOf) ?? [] });
}
