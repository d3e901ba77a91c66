import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Product, ProductAttributes } from '../entities/product.entity.js';
import { groupKeyOf } from './product.rules.js';

const PRODUCT_STATUSES = closedSet('ProductStatus', ['CREATE_SUCCESS', 'UPDATE_SUCCESS', 'ERROR', 'NO_CHANGE']);
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

/** What happened to one product of a batch. */
export interface ProductResult {
  /** Null if there is none to read. */
  id: string | null;
  productKey: string | null;
  status: ProductStatus;
  errors: readonly ApiError[];
  /** Sentences. */
  warnings: readonly string[];
}

const OPTIONAL = { type: String, nullable: true } as const;

/** A product of a catalog. */
export class ProductView {
  /** The key that the service gave it. */
  @ApiProperty(DECIMAL_ID) @Unescaped() product_key: string;
  /** The id that the shop gave it. */
  @ApiProperty({ type: String }) id: string;
  /** The title. */
  @ApiProperty({ type: String }) title: string;
  /** The description. */
  @ApiProperty({ type: String }) description: string;
  /** Whether it can be bought. */
  @ApiProperty({ type: String }) availability: string;
  /** Whether it is new. */
  @ApiProperty({ type: String }) condition: string;
  /** The price, with its currency. */
  @ApiProperty({ type: String }) price: string;
  /** The page of the product. */
  @ApiProperty({ type: String }) link: string;
  /** The image. */
  @ApiProperty({ type: String }) image_link: string;
  /** The brand. */
  @ApiProperty(OPTIONAL) brand: string | null;
  /** The global trade item number. */
  @ApiProperty(OPTIONAL) gtin: string | null;
  /** The part number of the manufacturer. */
  @ApiProperty(OPTIONAL) mpn: string | null;
  /** The page of the product for phones. */
  @ApiProperty(OPTIONAL) mobile_link: string | null;
  /** Further images, comma-separated. */
  @ApiProperty(OPTIONAL) additional_image_link: string | null;
  /** The category in the taxonomy of Google. */
  @ApiProperty(OPTIONAL) google_product_category: string | null;
  /** The category in that of the shop. */
  @ApiProperty(OPTIONAL) product_type: string | null;
  /** How many can be bought. */
  @ApiProperty({ type: 'integer', nullable: true }) inventory: number | null;
  /** The price in a sale. */
  @ApiProperty(OPTIONAL) sale_price: string | null;
  /** When the sale is. */
  @ApiProperty(OPTIONAL) sale_price_effective_date: string | null;
  /** The id that the shop gave to its group. */
  @ApiProperty(OPTIONAL) item_group_id: string | null;
  /** The key of its group; null for a product without one. */
  @ApiProperty(OPTIONAL) item_group_key: string | null;
  /** For whom it is. */
  @ApiProperty(OPTIONAL) gender: string | null;
  /** The color. */
  @ApiProperty(OPTIONAL) color: string | null;
  /** The size. */
  @ApiProperty(OPTIONAL) size: string | null;
  /** For which age it is. */
  @ApiProperty(OPTIONAL) age_group: string | null;
  /** A label for filters. */
  @ApiProperty(OPTIONAL) custom_label_0: string | null;
  /** A label for filters. */
  @ApiProperty(OPTIONAL) custom_label_1: string | null;
  /** A label for filters. */
  @ApiProperty(OPTIONAL) custom_label_2: string | null;
  /** A label for filters. */
  @ApiProperty(OPTIONAL) custom_label_3: string | null;
  /** A label for filters. */
  @ApiProperty(OPTIONAL) custom_label_4: string | null;
}

const NAMES = [
  ...(['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link', 'brand'] as const),
  ...(['gtin', 'mpn', 'mobile_link', 'additional_image_link', 'google_product_category', 'product_type'] as const),
  ...(['inventory', 'sale_price', 'sale_price_effective_date', 'item_group_id', 'gender', 'color', 'size'] as const),
  ...(['age_group', 'custom_label_0', 'custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4'] as const),
];

export function presentProduct({ catalogId, productKey, attributes }: Row<Product>): ProductView {
  const view: ProductAttributes & Record<string, string | number | null> = { product_key: productKey };
  for (const name of NAMES) (view as Record<string, unknown>)[name] = attributes[name] ?? null;
  (view as Record<string, unknown>).item_group_key = groupKeyOf(catalogId, attributes) ?? null;
  return view as unknown as ProductView;
}

/** What is wrong with a product of a batch. */
export class ProductProblemView {
  /** The code of the error. */
  @ApiProperty({ example: 'INVALID_PARAMETER' }) code: string;
  /** What is wrong. */
  @ApiProperty() message: string;
  /** The attribute. */
  @ApiProperty({ type: String, nullable: true }) parameter: string | null;
}

/** What happened to one product of a batch. */
export class ProductResultView {
  /** The id that the shop gave it; null if it has none that can be read. */
  @ApiProperty(OPTIONAL) id: string | null;
  /** The key that the service gave it; null if it is not stored. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() product_key: string | null;
  /** What happened. */
  @ApiProperty(enumSchema(PRODUCT_STATUSES)) @Unescaped() status: ProductStatus;
  /** Why it was not stored. */
  @ApiProperty({ type: ProductProblemView, isArray: true }) errors: ProductProblemView[];
  /** What was ignored. */
  @ApiProperty({ type: String, isArray: true }) warnings: string[];
}

/** What happened to the products of a batch. */
@ApiExtraModels(ProductProblemView, ProductResultView)
export class ProductResultsView {
  /** The products, in the order of the request. */
  @ApiProperty({ type: ProductResultView, isArray: true }) products_response: ProductResultView[];
}

export const presentResults = (results: readonly ProductResult[]): ProductResultsView => ({
  products_response: results.map(({ id, productKey, status, errors, warnings }) => ({
    id,
    product_key: productKey,
    status,
    errors: errors.map(({ code, message, detail }) => ({
      code: String(code),
      message,
      parameter: detail.parameter ?? null,
    })),
    warnings: [...warnings],
  })),
});

/** A product that was deleted, or not found. */
export class DeletedProductView {
  /** The key of the deleted product; null for one that was not found. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) product_key: string | null;
  /** The key of which there is no product; null for a deleted one. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) failed_product_key: string | null;
  /** What happened. */
  @ApiProperty() message: string;
}

/** Deleted products. */
@ApiExtraModels(DeletedProductView)
export class DeletedProductsView {
  /** One for each key of the request. */
  @ApiProperty({ type: DeletedProductView, isArray: true }) delete_products: DeletedProductView[];
}

export const presentDeleted = (keys: readonly string[], deleted: ReadonlySet<string>): DeletedProductsView => ({
  delete_products: keys.map((key) =>
    deleted.has(key)
      ? { product_key: key, failed_product_key: null, message: 'The product was deleted' }
      : { product_key: null, failed_product_key: key, message: `Product ${key} was not found` },
  ),
});
