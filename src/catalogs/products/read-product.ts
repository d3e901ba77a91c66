import { invalid } from '../../common/errors/catalogue.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { declaredFields } from '../../common/http/params/dto-metadata.js';
import { readParams } from '../../common/http/params/params.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { isObject } from '../../common/values/is-object.js';
import type { ProductAttributes } from '../entities/product.entity.js';
import { SentProduct } from './products.dto.js';

/** A product as it was sent: its attributes, or what is wrong with them. */
export interface ReadProduct {
  /** Null if there is none to read. */
  id: string | null;
  /** Absent if there are errors. */
  attributes?: ProductAttributes;
  errors: readonly ApiError[];
  /** Sentences about what was ignored. */
  warnings: string[];
}

/** Maximum number of warnings about one product. */
const MAX_WARNINGS = 5;
const MAX_NAME_LENGTH = 64;

const KNOWN: ReadonlySet<string> = new Set([
  ...declaredFields(SentProduct.prototype).map(({ name }) => name),
  'product_key',
]);

/** Reads a product of a batch, or the known attributes of a row of a feed. Unknown attributes are ignored with a warning. */
export function readProduct(given: unknown, index: number): ReadProduct {
  if (!isObject(given)) return { id: null, errors: [notAnObject(given, `products[${index}]`)], warnings: [] };
  const { params, refused, echo } = readParams(SentProduct, given);
  const { id = null } = echo as { id?: string | null };
  const warnings = warningsAbout(given);
  return params
    ? { id, attributes: attributesOf(params), errors: [], warnings }
    : { id, errors: refused.errors, warnings };
}

/** X marks `product_key` as required, and generates it: it is ignored without a warning. */
function warningsAbout(given: Record<string, unknown>): string[] {
  return Object.keys(given)
    .filter((name) => !KNOWN.has(name))
    .slice(0, MAX_WARNINGS)
    .map((name) => `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()} is not an attribute of products and was ignored`);
}

function attributesOf(product: SentProduct): ProductAttributes {
  const present = Object.entries(product).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    present
      .filter(([, value]) => !Array.isArray(value) || value.length > 0)
      .map(([name, value]) => [name, Array.isArray(value) ? joined(value as string[]) : (value as string | number)]),
  );
}

/** The URLs, comma-separated: commas of them are encoded. */
const joined = (urls: string[]) => urls.map((url) => url.replaceAll(',', '%2C')).join(',');

const notAnObject = (given: unknown, place: string) =>
  invalid(place, `Expected an object, got ${quotedValue(given)} for ${place}`, { value: given });

const repeated = (id: string) =>
  invalid('id', `The id ${quotedValue(id)} repeats in this request: all products with it are ignored`, { value: id });

/** Reads products that are stored together. All with the same id have an error. */
export function readProducts(given: readonly unknown[]): ReadProduct[] {
  const read = given.map(readProduct);
  const seen = new Map<string, number>();
  for (const { id } of read) if (id !== null) seen.set(id, (seen.get(id) ?? 0) + 1);
  return read.map((each) =>
    each.id !== null && seen.get(each.id)! > 1
      ? { id: each.id, errors: [repeated(each.id), ...each.errors], warnings: each.warnings }
      : each,
  );
}
