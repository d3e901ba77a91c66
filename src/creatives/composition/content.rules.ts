import type { Row } from '../../common/db/query/rows.js';
import type { Card, CardType } from '../entities/card.entity.js';
import { mediaTypeOf } from '../media-files/media-key.js';
import type { MediaType } from '../entities/media.entity.js';
import type { Post } from '../entities/post.entity.js';
import { entitiesOf, type TextEntities } from './post-text.rules.js';

/** What a post shows below its text, and its links. This determines the objectives that can promote it. */
export interface ShownContent {
  /** A card replaces media; null without a card or after its deletion. */
  cardType: CardType | null;
  mediaTypes: readonly MediaType[];
  /** Number of links in the text. */
  links: number;
}

const contentOf = (cardType: CardType | null, mediaKeys: readonly string[], links: number): ShownContent => ({
  cardType,
  mediaTypes: cardType === null ? mediaKeys.map(mediaTypeOf) : [],
  links,
});

/** Content of a published post, with its card unless deleted. */
export const contentOfPost = ({ mediaKeys, entities }: Row<Post>, card: Row<Card> | undefined): ShownContent =>
  contentOf(card?.cardType ?? null, mediaKeys, (entities as TextEntities).urls.length);

/** Content of a composition that is not published yet. */
export const contentOfComposition = (
  { text, mediaKeys }: { text: string; mediaKeys: readonly string[] },
  card: Row<Card> | undefined,
): ShownContent => contentOf(card?.cardType ?? null, mediaKeys, entitiesOf(text, []).urls.length);
