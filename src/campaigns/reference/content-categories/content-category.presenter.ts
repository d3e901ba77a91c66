import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { ContentCategory } from './content-category.entity.js';

export class ContentCategoryView {
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Comedy' }) name: string;
  /** The category's id. Publishers refer to it. */
  @ApiProperty({ type: String, example: 'sk' }) id: string;
  /** The IAB categories of this category. They are the targeting values of type IAB_CATEGORY. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB1-4'] }) iab_categories: string[];
  /** Number of publishers that showed videos of this category in the last 30 days. */
  @ApiProperty({ type: 'integer' }) publishers_in_last_thirty_days: number;
  /** Number of this category's videos that carried ads in the last 30 days. */
  @ApiProperty({ type: 'integer' }) videos_monetized_in_last_thirty_days: number;
}

export const presentContentCategory = (category: Row<ContentCategory>): ContentCategoryView => ({
  name: category.name,
  id: category.id,
  iab_categories: category.iabCategories,
  publishers_in_last_thirty_days: category.publishersInLastThirtyDays,
  videos_monetized_in_last_thirty_days: category.videosMonetizedInLastThirtyDays,
});
