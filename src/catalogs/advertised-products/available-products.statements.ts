import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { Product } from '../entities/product.entity.js';

/** A product as ads show it. */
export interface AdvertisedProduct {
  title: string;
  /** With its currency; the sale price, if it always applies. */
  price: string;
  link: string;
}

/** The availabilities of products that can be ordered. */
const AVAILABLE = ['in stock', 'available for order', 'preorder'];

/** Those of the products that can be ordered, the newest first. */
export const availableProducts = (
  db: EntityManager,
  catalogId: string,
  keys: readonly string[],
  limit: number,
): Promise<AdvertisedProduct[]> =>
  run<AdvertisedProduct>(
    db,
    {
      text: `SELECT r.attributes->>'title' AS title, r.attributes->>'link' AS link,
          COALESCE(CASE WHEN r.attributes->>'sale_price_effective_date' IS NULL THEN r.attributes->>'sale_price' END, r.attributes->>'price') AS price
        FROM ${tableOf(db, Product).table} r
        WHERE r."catalogId" = $1 AND r."productKey" = ANY($2) AND r.attributes->>'availability' = ANY($3) ORDER BY r."productKey" DESC LIMIT $4`,
      values: [catalogId, keys, AVAILABLE, limit],
    },
    { large: true, planned: 'each time' },
  );
