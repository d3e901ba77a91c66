import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../../common/db/postgres/type-parsers.js';
import type { Row } from '../../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../../common/http/answers/responses.js';
import type { CuratedCategory } from '../../entities/curated-category.entity.js';

export class CuratedCategoryView {
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Basketball' }) name: string;
  /** The category's description. */
  @ApiProperty() description: string;
  /** The only countries where the category can be targeted, as ISO 3166-1 alpha-2 codes. */
  @ApiProperty({ type: String, isArray: true, example: ['US', 'CA'] }) country_codes: string[];
  /** The users whose videos belong to the category. */
  @ApiProperty({ ...DECIMAL_ID, isArray: true }) publisher_user_ids: string[];
  /** The category's id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** Creation time. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** Time of the last update. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Number of the category's videos that carried ads in the last 30 days. */
  @ApiProperty({ type: 'integer' }) videos_monetized_in_last_thirty_days: number;
}

/** The view does not contain a deleted flag. */
export const presentCuratedCategory = (category: Row<CuratedCategory>): CuratedCategoryView => ({
  name: category.name,
  description: category.description,
  country_codes: category.countryCodes,
  publisher_user_ids: category.publisherUserIds,
  id: category.id,
  created_at: wireTime(category.createdAt),
  updated_at: wireTime(category.updatedAt),
  videos_monetized_in_last_thirty_days: category.videosMonetizedInLastThirtyDays,
});
