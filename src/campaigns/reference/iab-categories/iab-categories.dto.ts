import { Rule } from '../../../common/http/params/dto-metadata.js';
import { Bool, Text, Int } from '../../../common/http/params/fields.js';
import { countOrContinue } from '../../../common/list/list-query.js';

/** These and no more. */
@Rule(['cursor', 'with_total_count'], countOrContinue)
export class ListIabCategories {
  /** How many items a page has at most. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the page before. */
  @Text({ optional: true, max: 2000 }) cursor?: string;
  /** Whether the answer has a `total_count`. Not together with `cursor`; 200 such requests per 15 minutes. */
  @Bool({ optional: true, default: false }) with_total_count?: boolean;
}
