import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { ContentCategory } from './content-category.entity.js';

export class ContentCategoryView {
  /** What it is called. */
  @ApiProperty({ type: String, example: 'Comedy' }) name: string;
  /** Its id, by which publishers name it. */
  @ApiProperty({ type: String, example: 'sk' }) id: string;
  /** The IAB categories it is made of: the values of targeting of type IAB_CATEGORY. */
  @ApiProperty({ type: String, isArray: true, example: ['IAB1-4'] }) iab_categories: string[];
  /** How many publishers showed videos of it in the last 30 days. */
  @ApiProperty({ type: 'integer' }) publishers_in_last_thirty_days: number;
  /** How many of their videos carried ads in the last 30 days. */
  @ApiProperty({ type: 'integer' }) videos_monetized_in_last_thirty_days: number;
}

export const presentContentCategory = (category: Row<ContentCategory>): ContentCategoryView => ({
  name: category.name,
  id: category.id,
  iab_categories: category.iabCategories,
  publishers_in_last_thirty_days: category.publishersInLastThirtyDays,
  videos_monetized_in_last_thirty_days: category.videosMonetizedInLastThirtyDays,
});
