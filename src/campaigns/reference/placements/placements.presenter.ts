import { ApiProperty } from '@nestjs/swagger';
import { enumSchema } from '../../../common/http/params/fields.js';
import { PLACEMENTS, PRODUCT_TYPES, type ProductType } from '../../entities/line-item.tables.js';
import type { PlacementCombinations } from './placements.js';

export class PlacementsView {
  /** The product type. */
  @ApiProperty(enumSchema(PRODUCT_TYPES)) product_type: ProductType;
  /** The combinations of placements that a line item of this product type can have. */
  @ApiProperty({ type: 'array', items: { type: 'array', items: enumSchema(PLACEMENTS) } })
  placements: readonly (readonly string[])[];
}

export const presentPlacements = ({ productType, placements }: PlacementCombinations): PlacementsView => ({
  product_type: productType,
  placements,
});
