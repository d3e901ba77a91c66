import type { EntityManager } from 'typeorm';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { Product } from '../entities/product.entity.js';
import type { FilterAttribute, FilterOperator, ProductFilter } from '../entities/product-set.entity.js';
import { isNumber, numberOf } from './product-set.rules.js';

const COLUMNS: Record<FilterAttribute, string> = {
  price: '"priceMicro"',
  sale_price: '"salePriceMicro"',
  inventory: 'inventory',
  product_type: '"productType"',
  google_product_category: '"googleProductCategory"',
  custom_label_0: '"customLabel0"',
  custom_label_1: '"customLabel1"',
  custom_label_2: '"customLabel2"',
  custom_label_3: '"customLabel3"',
  custom_label_4: '"customLabel4"',
};

const NUMERIC: Partial<Record<FilterOperator, string>> = { GREATER_THAN: '>', EQUAL_TO: '=', LESS_THAN: '<' };

/** A product without a value matches NOT_CONTAINS only. */
function conditionOf({ attribute, operator, value }: ProductFilter, bind: Bind): string {
  const column = `r.${COLUMNS[attribute]}`;
  if (isNumber(attribute)) return `${column} ${NUMERIC[operator]} ${bind(numberOf(attribute, value))}::bigint`;
  const sought = `lower(${bind(value)}::text)`;
  if (operator === 'CONTAINS') return `strpos(lower(${column}), ${sought}) > 0`;
  if (operator === 'NOT_CONTAINS') return `strpos(lower(COALESCE(${column}, '')), ${sought}) = 0`;
  return `lower(${column}) = ${sought}`;
}

/**
 * The keys of the products of a catalog that match all filters, the newest first. It may look at all products, so the reads
 * of a user wait for each other.
 */
export async function keysOfMatching(
  db: EntityManager,
  { catalogId, userId }: { catalogId: string; userId: string },
  filters: readonly ProductFilter[],
  limit: number,
): Promise<string[]> {
  const { bind, values } = binding();
  const conditions = [`r."catalogId" = ${bind(catalogId)}`, ...filters.map((filter) => conditionOf(filter, bind))];
  const found = await run<{ key: string }>(
    db,
    {
      text: `SELECT r."productKey" AS key FROM ${tableOf(db, Product).table} r WHERE ${conditions.join(' AND ')} ORDER BY r."productKey" DESC LIMIT ${limit}`,
      values,
    },
    // each set of conditions is another text
    { long: userId, planned: 'each time' },
  );
  return found.map(({ key }) => key);
}

/** Those of the keys of which there is a product, the newest first. */
export async function existingKeys(db: EntityManager, catalogId: string, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const found = await run<{ key: string }>(
    db,
    {
      text: `SELECT r."productKey" AS key FROM ${tableOf(db, Product).table} r WHERE r."catalogId" = $1 AND r."productKey" = ANY($2) ORDER BY r."productKey" DESC`,
      values: [catalogId, keys],
    },
    { large: true },
  );
  return found.map(({ key }) => key);
}
