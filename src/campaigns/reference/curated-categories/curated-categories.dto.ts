import { Ids, Int, Text } from '../../../common/http/params/fields.js';
import { ListQuery } from '../../../common/list/list-query.js';
import { CountryCodes } from '../reference-fields.js';
import { CuratedCategory } from '../../entities/curated-category.entity.js';

export class ListCuratedCategories extends ListQuery(CuratedCategory) {
  /** Only what can be targeted in one of these countries, by their codes of ISO 3166-1 alpha-2. */
  @CountryCodes({ optional: true, example: ['US'], shown: 'US' }) country_codes?: string[];
}

/** What an operator says of a new curated category. */
export class NewCuratedCategory {
  /** What it is called. */
  @Text({ visible: true, max: 255, trimmed: true }) name: string;
  /** What it is about. */
  @Text({ max: 1000, trimmed: true }) description: string;
  /** Where it can be targeted. */
  @CountryCodes({ shown: 'US' }) country_codes: string[];
  /** The users who publish in it; all of them have to be publishers. */
  @Ids({ decimal: true, optional: true }) publisher_user_ids?: string[];
  /** How many of their videos carried ads in the last 30 days. */
  @Int({ optional: true, min: 0, max: 2 ** 31 - 1, default: 0 }) videos_monetized_in_last_thirty_days?: number;
}
