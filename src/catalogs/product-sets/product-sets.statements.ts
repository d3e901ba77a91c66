import { setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { binding, run, type Bind, type Statement } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { NoAnswer } from '../../common/errors/unavailable.js';
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

/** How long a statement over a slice of the products should take: others run between two of them. */
const SLICE_MS = 20;
const SLICE_ROWS = { min: 100, first: 200, max: 5_000 };

const numberCondition = ({ attribute, operator, value }: ProductFilter, bind: Bind): string =>
  `${COLUMNS[attribute]} ${NUMERIC[operator]} ${bind(numberOf(attribute, value))}::bigint`;

/** On columns in lower case. A product without a value matches NOT_CONTAINS only. */
function textCondition({ attribute, operator, value }: ProductFilter, bind: Bind): string {
  const column = COLUMNS[attribute];
  const sought = `lower(${bind(value)}::text)`;
  if (operator === 'CONTAINS') return `strpos(${column}, ${sought}) > 0`;
  if (operator === 'NOT_CONTAINS') return `strpos(COALESCE(${column}, ''), ${sought}) = 0`;
  return `${column} = ${sought}`;
}

/** The matching products of the next slice, and its last key. Texts are compared after numbers: they are slow. */
function sliceOf(
  table: string,
  { catalogId, before, size }: { catalogId: string; before?: string; size: number },
  filters: readonly ProductFilter[],
): Statement {
  const { bind, values } = binding();
  const columnsOf = (some: readonly ProductFilter[]) => [...new Set(some.map(({ attribute }) => COLUMNS[attribute]))];
  const place = before === undefined ? '' : ` AND "productKey" < ${bind(before)}`;
  const [numbers, texts] = [true, false].map((are) => filters.filter(({ attribute }) => isNumber(attribute) === are));
  // OFFSET 0 keeps each text in lower case once per product, not once per filter
  const text = `WITH slice AS MATERIALIZED (SELECT ${['"productKey"', ...columnsOf(filters)].join(', ')} FROM ${table} WHERE "catalogId" = ${bind(catalogId)}${place} ORDER BY "productKey" DESC LIMIT ${size}),
    lowered AS (SELECT ${['"productKey"', ...columnsOf(texts).map((column) => `lower(${column}) AS ${column}`)].join(', ')} FROM slice WHERE ${['TRUE', ...numbers.map((filter) => numberCondition(filter, bind))].join(' AND ')} OFFSET 0)
    SELECT (SELECT count(*)::int FROM slice) AS count, (SELECT min("productKey") FROM slice) AS last, ARRAY(SELECT "productKey" FROM lowered WHERE ${['TRUE', ...texts.map((filter) => textCondition(filter, bind))].join(' AND ')} ORDER BY "productKey" DESC) AS keys`;
  return { text, values };
}

/**
 * The keys of the products of a catalog that match all filters, the newest first. It may look at all products, in slices;
 * it rejects with `NoAnswer` after `timeoutMs`.
 */
export async function keysOfMatching(
  db: EntityManager,
  { catalogId, userId }: { catalogId: string; userId: string },
  filters: readonly ProductFilter[],
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<string[]> {
  const end = performance.now() + timeoutMs;
  const { table } = tableOf(db, Product);
  const found: string[] = [];
  let before: string | undefined;
  let size = SLICE_ROWS.first;
  for (;;) {
    const start = performance.now();
    const statement = sliceOf(table, { catalogId, before, size }, filters);
    // each set of conditions is another text
    const [{ count, last, keys }] = await run<{ count: number; last: string | null; keys: string[] }>(db, statement, {
      long: userId,
      planned: 'each time',
    });
    found.push(...keys);
    if (last === null || count < size || found.length >= limit) return found.slice(0, limit);
    const now = performance.now();
    if (now >= end) throw new NoAnswer('The filters of a product set took too long.');
    const fitting = Math.round((size * SLICE_MS) / (now - start));
    size = Math.min(Math.max(fitting, SLICE_ROWS.min), SLICE_ROWS.max);
    before = last;
    // the embedded store answers before other requests are looked at
    await turn();
  }
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
    { large: true, planned: 'each time' },
  );
  return found.map(({ key }) => key);
}
