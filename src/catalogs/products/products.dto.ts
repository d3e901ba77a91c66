import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  DECIMAL,
  enumSchema,
  Field,
  Int,
  jsonArray,
  list,
  listSchema,
  oneOf,
  Text,
  text,
  withCheck,
  type FieldRules,
  type Kind,
} from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { httpUrl, SecureUrl } from '../../creatives/web-url.js';
import { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { isTimeRange, priceOf } from './product.rules.js';

/** Maximum number of products that one request creates or changes. */
const MAX_PRODUCTS = 25;
/** Maximum number of products that one request deletes. */
const MAX_DELETED = 100;
const MAX_IMAGES = 10;
const MAX_IMAGE_URL_LENGTH = 2_048;

const AVAILABILITIES = closedSet('ProductAvailability', [
  'in stock',
  'available for order',
  'preorder',
  'out of stock',
  'discontinued',
]);
const CONDITIONS = closedSet('ProductCondition', ['new', 'used', 'refurbished']);
const GENDERS = closedSet('ProductGender', ['female', 'male', 'unisex']);
const AGE_GROUPS = closedSet('ProductAgeGroup', ['adult', 'all ages', 'teen', 'kids', 'toddler', 'infant', 'newborn']);

/** Feeds write words in any case, and with underscores. */
const Word = (allowed: readonly string[], rules: FieldRules = {}) => {
  const convert = (given: unknown) =>
    typeof given === 'string' ? given.trim().toLowerCase().replaceAll('_', ' ') : given;
  return Field({ ...oneOf(allowed), convert }, rules, enumSchema(allowed));
};

const price: Kind = withCheck(
  text({ min: 1, max: 32, trimmed: true }),
  'a price with a currency of ISO 4217, such as "60.00 USD"',
  (given) => priceOf(given) !== undefined,
);
const Price = (rules: FieldRules) => Field(price, rules, { type: String });

const image = httpUrl({ max: MAX_IMAGE_URL_LENGTH, trimmed: true });
const separated = list(image, { min: 0, max: MAX_IMAGES });
/** A text is split at its commas; the elements of an array may have some. */
const images: Kind = {
  ...separated,
  convert: (given) =>
    Array.isArray(given)
      ? [...new Set(given.slice(0, MAX_IMAGES * 10).map((each) => image.convert!(each)))]
      : separated.convert!(given),
};
const timeRange: Kind = withCheck(
  text({ min: 1, max: 80, trimmed: true }),
  'two times in order, such as 2026-11-01T00:00-08:00/2026-12-01T00:00-08:00',
  isTimeRange,
);

const OPTIONAL = (max: number) => ({ nullable: true, max, trimmed: true, orNumber: true }) as const;
/** A value of which there are many, or the id of one in another system. */
const Attribute = (max = 100) => Text(OPTIONAL(max));

const isIdentified = ({ brand, gtin, mpn }: Pick<SentProduct, 'brand' | 'gtin' | 'mpn'>) =>
  (brand ?? gtin ?? mpn) ? undefined : missing('brand', 'one of brand, gtin and mpn is required');

const hasStock = ({ availability, inventory }: Pick<SentProduct, 'availability' | 'inventory'>) =>
  availability === 'in stock' && inventory === 0
    ? invalid('inventory', 'inventory must be at least 1 for a product that is in stock', { value: inventory })
    : undefined;

const isCheaper = ({ price: regular, sale_price: sale }: Pick<SentProduct, 'price' | 'sale_price'>) => {
  const [before, now] = [priceOf(regular), sale === undefined || sale === null ? undefined : priceOf(sale)];
  if (!before || !now || (now.currency === before.currency && now.micro < before.micro)) return undefined;
  return invalid('sale_price', 'sale_price must be less than price, in the same currency', {
    value: sale,
    details: `price is ${regular}`,
  });
};

/** A product, as a batch and a row of a feed have it. */
@Rule(['brand', 'gtin', 'mpn'], isIdentified)
@Rule(['availability', 'inventory'], hasStock)
@Rule(['price', 'sale_price'], isCheaper)
export class SentProduct {
  /** The id that the shop gives it, unique in the catalog. */
  @Text({ max: 100, trimmed: true, visible: true, orNumber: true, example: 'shoe-42' }) id: string;
  /** The title. */
  @Text({ max: 150, trimmed: true, visible: true, example: 'Trail shoe' }) title: string;
  /** The description, as plain text. */
  @Text({ max: 5_000, trimmed: true, visible: true, example: 'A light shoe for trails.' }) description: string;
  /** Whether it can be bought. */
  @Word(AVAILABILITIES) availability: string;
  /** Whether it is new. */
  @Word(CONDITIONS) condition: string;
  /** The price, with its currency. */
  @Price({ example: '60.00 USD' }) price: string;
  /** The page of the product. */
  @SecureUrl({ example: 'https://shop.example/shoe-42' }) link: string;
  /** The image: JPG, GIF, WEBP or PNG, at least 500 × 500 pixels and at most 5 MB. It is not fetched. */
  @Field(image, { example: 'https://shop.example/shoe-42.jpg' }, { type: String, maxLength: MAX_IMAGE_URL_LENGTH })
  image_link: string;
  /** The brand. One of `brand`, `gtin` and `mpn` is required. */
  @Text({ ...OPTIONAL(100), example: 'Northwind' }) brand?: string | null;
  /** The global trade item number. */
  @Attribute(70) gtin?: string | null;
  /** The part number of the manufacturer. */
  @Attribute(100) mpn?: string | null;
  /** The page of the product for phones. */
  @SecureUrl({ nullable: true }) mobile_link?: string | null;
  /** Further images. */
  @Field(images, { nullable: true }, listSchema({ type: 'string' }, { max: MAX_IMAGES }))
  additional_image_link?: string[] | null;
  /** The category in the taxonomy of Google: its number or its path. */
  @Attribute(750) google_product_category?: string | null;
  /** The category in that of the shop. */
  @Attribute(750) product_type?: string | null;
  /** How many can be bought: at least 1 if it is in stock. */
  @Int({ nullable: true, min: 0, max: 2 ** 31 - 1 }) inventory?: number | null;
  /** The price in a sale: less than `price`. */
  @Price({ nullable: true, example: '45.00 USD' }) sale_price?: string | null;
  /** When the sale is: two times, separated by a slash. */
  @Field(timeRange, { nullable: true }, { type: String, maxLength: 80 }) sale_price_effective_date?: string | null;
  /** The id that the shop gives to all variants of a product. */
  @Attribute() item_group_id?: string | null;
  /** The key of the group; made of `item_group_id` if it is absent. */
  @Attribute() item_group_key?: string | null;
  /** For whom it is. */
  @Word(GENDERS, { nullable: true }) gender?: string | null;
  /** The color. */
  @Attribute(200) color?: string | null;
  /** The size. */
  @Attribute(200) size?: string | null;
  /** For which age it is. */
  @Word(AGE_GROUPS, { nullable: true }) age_group?: string | null;
  /** A label for filters of product sets. */
  @Attribute() custom_label_0?: string | null;
  /** A label for filters of product sets. */
  @Attribute() custom_label_1?: string | null;
  /** A label for filters of product sets. */
  @Attribute() custom_label_2?: string | null;
  /** A label for filters of product sets. */
  @Attribute() custom_label_3?: string | null;
  /** A label for filters of product sets. */
  @Attribute() custom_label_4?: string | null;
}

/** The elements are read one by one, so that each has its answer. */
const products = jsonArray({ constraints: () => [] }, { min: 1, max: MAX_PRODUCTS });

@ApiExtraModels(SentProduct)
@Example({
  products: [
    {
      id: 'shoe-42',
      title: 'Trail shoe',
      description: 'A light shoe for trails.',
      availability: 'in stock',
      condition: 'new',
      price: '60.00 USD',
      link: 'https://shop.example/shoe-42',
      image_link: 'https://shop.example/shoe-42.jpg',
      brand: 'Northwind',
      inventory: 12,
    },
  ],
})
export class PutProducts extends CatalogUser {
  /** The products: each is created, or replaces the one with its `id`. Those whose `id` repeats are ignored. */
  @Field(
    products,
    {},
    {
      type: 'array',
      minItems: 1,
      maxItems: MAX_PRODUCTS,
      items: { $ref: getSchemaPath(SentProduct), description: 'One product.' },
    },
  )
  products: unknown[];
}

@Example({ product_keys: ['{spare_product_key}'] })
export class DeleteProducts extends CatalogUser {
  /** The keys of the products. */
  @Field(
    jsonArray(text({ min: 1, max: 64, matching: DECIMAL }), { min: 1, max: MAX_DELETED }),
    {},
    {
      type: 'array',
      items: { type: 'string', pattern: DECIMAL.pattern.source },
      minItems: 1,
      maxItems: MAX_DELETED,
    },
  )
  product_keys: string[];
}

export class ListProducts extends CatalogUser {
  /** Lists all products of this group. Without it, the list has one product of each group. */
  @Text({ optional: true, max: 100 }) item_group_key?: string;
  /** Maximum number of items in a page. */
  @Int({ optional: true, min: 1, max: 100, default: 100 }) count: number = 100;
  /** The `next_cursor` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2_000 }) cursor?: string;
}
