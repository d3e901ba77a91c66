import type { Row } from '../../common/db/query/rows.js';
import type { Card, CardType } from '../entities/card.entity.js';
import { mediaTypeOf } from '../media-files/media-key.js';
import type { MediaType } from '../entities/media.entity.js';
import type { Post } from '../entities/post.entity.js';
import { entitiesOf, type TextEntities } from './post-text.rules.js';

/** What a post shows below its text, and where its text leads: what decides for which objective it can be promoted. */
export interface ShownContent {
  /** A card takes the place of media; null where there is none, or none any more. */
  cardType: CardType | null;
  mediaTypes: readonly MediaType[];
  /** How many links its text has. */
  links: number;
}

const contentOf = (cardType: CardType | null, mediaKeys: readonly string[], links: number): ShownContent => ({
  cardType,
  mediaTypes: cardType === null ? mediaKeys.map(mediaTypeOf) : [],
  links,
});

/** Of a published post; its card, where it is there still. */
export const contentOfPost = ({ mediaKeys, entities }: Row<Post>, card: Row<Card> | undefined): ShownContent =>
  contentOf(card?.cardType ?? null, mediaKeys, (entities as TextEntities).urls.length);

/** Of something that is to be published. */
export const contentOfComposition = (
  { text, mediaKeys }: { text: string; mediaKeys: readonly string[] },
  card: Row<Card> | undefined,
): ShownContent => contentOf(card?.cardType ?? null, mediaKeys, entitiesOf(text, []).urls.length);
