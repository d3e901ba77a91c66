import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { Product } from '../entities/product.entity.js';

/** Keys of groups begin with `g:` or `p:`. A place that may be absent would not be a bound of the index. */
const AFTER_ALL = 'q';

/**
 * The first product of each group, and all products without one, after a place in the order of groups, from the last: two
 * probes of the index for each, however large the groups are. It is planned each time, as `storedProducts` is.
 */
export function firstOfGroups(
  db: EntityManager,
  catalogId: string,
  { before = AFTER_ALL, limit }: { before?: string; limit: number },
): Promise<Row<Product>[]> {
  const { table, select } = tableOf(db, Product);
  const next = (condition: string) =>
    `(SELECT g."groupKey" FROM ${table} g WHERE g."catalogId" = $1 ${condition} ORDER BY g."groupKey" DESC LIMIT 1)`;
  return run<Row<Product>>(
    db,
    {
      text: `WITH RECURSIVE groups AS (
          SELECT ${next('AND g."groupKey" < $2')} AS key, 1 AS n
          UNION ALL SELECT ${next('AND g."groupKey" < groups.key')}, n + 1 FROM groups WHERE key IS NOT NULL AND n < $3::int
        ) SELECT ${select} FROM groups CROSS JOIN LATERAL (
          SELECT * FROM ${table} f WHERE f."catalogId" = $1 AND f."groupKey" = groups.key ORDER BY f."productKey" LIMIT 1
        ) r ORDER BY r."groupKey" DESC`,
      values: [catalogId, before, limit],
    },
    { large: limit > 20, planned: 'each time' },
  );
}

/** What a change of a product depends on. */
export type ReplacedProduct = Pick<Row<Product>, 'productKey' | 'merchantId' | 'attributes' | 'bytes' | 'createdAt'>;

/**
 * The products of a catalog with these ids of the shop. It is planned each time: a plan for an empty table reads all products
 * of the catalog while a feed fills it.
 */
export const storedProducts = (
  db: EntityManager,
  catalogId: string,
  merchantIds: readonly string[],
): Promise<ReplacedProduct[]> =>
  run<ReplacedProduct>(
    db,
    {
      text: `SELECT r."productKey", r."merchantId", r.attributes, r.bytes, r."createdAt" FROM ${tableOf(db, Product).table} r
        WHERE r."catalogId" = $1 AND r."merchantId" = ANY($2)`,
      values: [catalogId, merchantIds],
    },
    { large: true, planned: 'each time' },
  );
