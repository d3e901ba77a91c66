import { Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, Int, OneOf, Text } from '../../common/http/params/fields.js';
import { countOrContinue } from '../../common/list/list-query.js';
import { PRODUCT_TYPES, type ProductType } from '../entities/line-item.tables.js';
import { Currency } from '../money.js';

export class ListBiddingRules {
  /** Filters by currency, as an ISO 4217 code. */
  @Currency({ optional: true }) currency?: string;
}

/** IAB categories support these parameters only. */
@Rule(['cursor', 'with_total_count'], countOrContinue)
export class ListIabCategories {
  /** Maximum number of items per page. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the previous page. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
  /**
   * Whether the response contains `total_count`. Not allowed together with `cursor`; limited to 200 such requests per
   * 15 minutes.
   */
  @Bool({ optional: true, default: false }) with_total_count?: boolean;
}

export class ListPlacements {
  /** Filters by product type. */
  @OneOf(PRODUCT_TYPES, { optional: true }) product_type?: ProductType;
}
