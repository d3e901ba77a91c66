import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Page } from '../../common/http/answers/page.js';
import { readCursor, writeCursor } from '../../common/list/cursor.js';
import { Product } from '../entities/product.entity.js';
import { ProductCatalogsService } from '../product-catalogs/product-catalogs.service.js';
import type { ProductResult } from './product.presenter.js';
import { ProductStore } from './product-store.service.js';
import type { DeleteProducts, ListProducts, PutProducts } from './products.dto.js';
import { firstOfGroups } from './products.statements.js';
import { readProducts } from './read-product.js';

/** The products of a catalog. */
@Injectable()
export class ProductsService {
  constructor(
    private readonly catalogs: ProductCatalogsService,
    private readonly store: ProductStore,
  ) {}

  /** A page of the products: one of each group and all without one, or all products of a group. Newest first. */
  async list(db: EntityManager, userId: string, catalogId: string, query: ListProducts): Promise<Page<Row<Product>>> {
    const catalog = await this.catalogs.get(db, userId, catalogId, query);
    const { item_group_key: group, count, cursor } = query;
    const listing = ['products', catalog.id, group ?? null];
    const last = cursor === undefined ? undefined : String(readCursor(cursor, listing, 1)[0]);
    const read = () => {
      if (group === undefined) return firstOfGroups(db, catalog.id, { before: last, limit: count + 1 });
      const products = rows(db, Product).where('catalogId', catalog.id).where('groupKey', `g:${group}`);
      if (last !== undefined) products.whereLessThan('productKey', last);
      return products
        .orderBy('productKey', 'DESC')
        .limit(count + 1)
        .getMany();
    };
    const items = await read();
    const more = items.length > count;
    if (more) items.length = count;
    const place = group === undefined ? 'groupKey' : 'productKey';
    return new Page(items, more ? writeCursor([items[count - 1][place]], listing) : null);
  }

  /** Creates and replaces products, each with its own result. Those that are invalid do not affect the others. */
  async put(db: EntityManager, userId: string, catalogId: string, params: PutProducts): Promise<ProductResult[]> {
    const read = readProducts(params.products);
    const valid = read.flatMap(({ attributes }) => (attributes ? [attributes] : []));
    const stored = await this.catalogs.changing(db, userId, catalogId, params, (tx, catalog) =>
      this.store.upsert(tx, catalog, valid),
    );
    let next = 0;
    return read.map(({ id, attributes, errors, warnings }) => {
      const { productKey, status } = attributes ? stored[next++] : { productKey: null, status: 'ERROR' as const };
      return { id, productKey, status, errors, warnings };
    });
  }

  /** Deletes products permanently. Returns the keys of those that existed. */
  delete(db: EntityManager, userId: string, catalogId: string, params: DeleteProducts): Promise<Set<string>> {
    return this.catalogs.changing(db, userId, catalogId, params, (tx, catalog) =>
      this.store.delete(tx, catalog, [...new Set(params.product_keys)]),
    );
  }
}
