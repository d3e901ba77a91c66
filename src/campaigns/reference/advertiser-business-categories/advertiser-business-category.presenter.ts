import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

export class AdvertiserBusinessCategoryView {
  /** The category's id. */
  @ApiProperty({ type: String, example: '1jm' }) id: string;
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Health & Pharma' }) name: string;
  /** The IAB categories of this category. A line item lists them in `categories`. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB7'] }) iab_categories: string[];
}

export const presentAdvertiserBusinessCategory = ({
  id,
  name,
  iabCategories,
}: Row<AdvertiserBusinessCategory>): AdvertiserBusinessCategoryView => ({ id, name, iab_categories: iabCategories });
