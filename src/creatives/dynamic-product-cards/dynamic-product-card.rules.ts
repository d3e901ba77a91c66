import { isDeepStrictEqual } from 'node:util';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import type { DynamicProductContent } from '../card-content/card-content.js';
import type { Card } from '../entities/card.entity.js';
import type { CreateDynamicProductCard, UpdateDynamicProductCard } from './dynamic-product-cards.dto.js';

/** X has no names of these cards; lists sort by names. */
const DEFAULT_NAME = 'Dynamic products';

/** A new card without products: they depend on the line item that promotes a post with the card. */
export const newDynamicProductCard = (
  account: { id: string },
  { url, creative_type = 'CAROUSEL', name = DEFAULT_NAME }: CreateDynamicProductCard,
): NewColumns<Card> => ({
  accountId: account.id,
  kind: 'DYNAMIC_PRODUCTS',
  cardType: 'DYNAMIC_PRODUCTS',
  name,
  content: { url, creative_type } satisfies DynamicProductContent,
  mediaKeys: [],
  endsAt: null,
});

/** The columns of a card that an update changes. */
export function patchOfDynamicProductCard(card: Row<Card>, params: UpdateDynamicProductCard): Partial<Row<Card>> {
  const stored = card.content as DynamicProductContent;
  const { url = stored.url, creative_type = stored.creative_type, name } = params;
  const content: DynamicProductContent = { url, creative_type };
  return { name, ...(!isDeepStrictEqual(content, stored) && { content }) };
}
