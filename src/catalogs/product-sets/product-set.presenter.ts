import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import {
  FILTER_ATTRIBUTES,
  FILTER_OPERATORS,
  SET_TYPES,
  type FilterAttribute,
  type FilterOperator,
  type ProductSet,
  type SetType,
} from '../entities/product-set.entity.js';

const PROCESSING_STATUSES = closedSet('ProductSetProcessing', ['DONE', 'PROCESSING', 'FAILED']);
type ProcessingStatus = (typeof PROCESSING_STATUSES)[number];

/** A set with the keys of its products; null where they are not read. */
export interface FilledSet {
  set: Row<ProductSet>;
  productKeys: string[] | null;
}

/** A condition on the products of a set. */
export class ProductFilterView {
  /** What is compared. */
  @ApiProperty(enumSchema(FILTER_ATTRIBUTES)) @Unescaped() attribute: FilterAttribute;
  /** How. */
  @ApiProperty(enumSchema(FILTER_OPERATORS)) @Unescaped() operator: FilterOperator;
  /** With what. */
  @ApiProperty() value: string;
}

/** Some products of a catalog. */
@ApiExtraModels(ProductFilterView)
export class ProductSetView {
  /** The id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id: string;
  /** The name. */
  @ApiProperty() name: string;
  /** The description. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** Whether the user names the products. */
  @ApiProperty(enumSchema(SET_TYPES)) @Unescaped() type: SetType;
  /** The conditions of a FILTERED set, all of which hold. */
  @ApiProperty({ type: ProductFilterView, isArray: true }) filters: ProductFilterView[];
  /** The keys of its products, the newest first, at most 1,000. Of FILTERED sets only in the answer for one set, else null. */
  @ApiProperty({ type: String, isArray: true, nullable: true }) product_ids: string[] | null;
  /** Always DONE: filters are evaluated when one set is read. */
  @ApiProperty(enumSchema(PROCESSING_STATUSES)) @Unescaped() processing_status: ProcessingStatus;
}

export const presentProductSet = ({ set, productKeys }: FilledSet): ProductSetView => ({
  id: set.id,
  name: set.name,
  description: set.description,
  type: set.type,
  filters: set.filters,
  product_ids: productKeys,
  processing_status: 'DONE',
});
