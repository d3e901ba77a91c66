import { OneOf } from '../../../common/http/params/fields.js';
import { PRODUCT_TYPES, type ProductType } from '../../entities/line-item.tables.js';

export class ListPlacements {
  /** Filters by product type. */
  @OneOf(PRODUCT_TYPES, { optional: true }) product_type?: ProductType;
}
