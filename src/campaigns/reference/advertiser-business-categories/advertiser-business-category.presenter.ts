import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

export class AdvertiserBusinessCategoryView {
  /** Its id. */
  @ApiProperty({ type: String, example: '1jm' }) id: string;
  /** What it is called. */
  @ApiProperty({ type: String, example: 'Health & Pharma' }) name: string;
  /** The IAB categories it is made of: what `categories` of a line item says for it. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB7'] }) iab_categories: string[];
}

export const presentAdvertiserBusinessCategory = ({
  id,
  name,
  iabCategories,
}: Row<AdvertiserBusinessCategory>): AdvertiserBusinessCategoryView => ({ id, name, iab_categories: iabCategories });
