import { ApiProperty } from '@nestjs/swagger';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import {
  PRODUCT_CREATIVE_TYPES,
  type DynamicProductContent,
  type ProductCreativeType,
} from '../card-content/card-content.js';
import { CardFieldsView, presentCardFields, type CardWithMedia } from '../card-content/card.presenter.js';
import { only } from '../card-content/component.presenter.js';

/** A card that shows products of the set that a line item advertises. */
export class DynamicProductCardView extends CardFieldsView {
  /** The card's id, repeated under the name of the path parameter. */
  @ApiProperty(DECIMAL_ID) @Unescaped() card_id: string;
  /** Card type. */
  @ApiProperty(only('DYNAMIC_PRODUCTS')) card_type: 'DYNAMIC_PRODUCTS';
  /** The URL whose query the links of products have. */
  @ApiProperty() url: string;
  /** How the card shows products. */
  @ApiProperty(enumSchema(PRODUCT_CREATIVE_TYPES)) @Unescaped() creative_type: ProductCreativeType;
}

export function presentDynamicProductCard({ card }: CardWithMedia): DynamicProductCardView {
  const { url, creative_type } = card.content as DynamicProductContent;
  return presentCardFields(card, { card_id: card.id, card_type: 'DYNAMIC_PRODUCTS' as const, url, creative_type });
}
