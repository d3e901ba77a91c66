import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../../common/db/postgres/type-parsers.js';
import type { Row } from '../../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../../common/http/answers/responses.js';
import type { CuratedCategory } from '../../entities/curated-category.entity.js';

export class CuratedCategoryView {
  /** What it is called. */
  @ApiProperty({ type: String, example: 'Basketball' }) name: string;
  /** What it is about. */
  @ApiProperty() description: string;
  /** ISO 3166-1 alpha-2: where it can be targeted, and nowhere else. */
  @ApiProperty({ type: String, isArray: true, example: ['US', 'CA'] }) country_codes: string[];
  /** The users whose videos belong to it. */
  @ApiProperty({ ...DECIMAL_ID, isArray: true }) publisher_user_ids: string[];
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When it was made. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** When it was changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** How many of its videos carried ads in the last 30 days. */
  @ApiProperty({ type: 'integer' }) videos_monetized_in_last_thirty_days: number;
}

/** It does not say whether it is deleted. */
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
