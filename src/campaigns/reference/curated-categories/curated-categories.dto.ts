import { Ids, Int, Text } from '../../../common/http/params/fields.js';
import { ListQuery } from '../../../common/list/list-query.js';
import { CountryCodes } from '../reference-fields.js';
import { CuratedCategory } from '../../entities/curated-category.entity.js';

export class ListCuratedCategories extends ListQuery(CuratedCategory) {
  /** Filters by the countries where a category can be targeted, as ISO 3166-1 alpha-2 codes. One match is enough. */
  @CountryCodes({ optional: true, example: ['US'], shown: 'US' }) country_codes?: string[];
}

/** The fields of a new curated category, as an operator provides them. */
export class NewCuratedCategory {
  /** The category's name. */
  @Text({ visible: true, max: 255, trimmed: true }) name: string;
  /** The category's description. */
  @Text({ max: 1000, trimmed: true }) description: string;
  /** The countries where the category can be targeted. */
  @CountryCodes({ shown: 'US' }) country_codes: string[];
  /** The users who publish in the category. All of them must be publishers. */
  @Ids({ decimal: true, optional: true }) publisher_user_ids?: string[];
  /** Number of the category's videos that carried ads in the last 30 days. */
  @Int({ optional: true, min: 0, max: 2 ** 31 - 1, default: 0 }) videos_monetized_in_last_thirty_days?: number;
}
