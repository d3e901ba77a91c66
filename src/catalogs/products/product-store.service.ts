import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, replace, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { storageQuotaExceeded } from '../../common/errors/catalogue.js';
import { Clock } from '../../common/time/clock.js';
import { Config } from '../../config/config.js';
import { ProductCatalog } from '../entities/product-catalog.entity.js';
import { Product, type ProductAttributes } from '../entities/product.entity.js';
import { storedProducts, type ReplacedProduct } from './products.statements.js';
import { bytesOf, groupKeyOf, priceOf } from './product.rules.js';

/** What happened to a valid product. */
export interface StoredProduct {
  productKey: string;
  status: 'CREATE_SUCCESS' | 'UPDATE_SUCCESS' | 'NO_CHANGE';
}

/** A valid product that would exceed a quota. */
export interface RefusedProduct {
  productKey: null;
  status: 'ERROR';
  error: ApiError;
}

/** Stores products. The caller holds the lock of the catalog. */
@Injectable()
export class ProductStore {
  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Creates products, and replaces those with the same ids, which do not repeat, in three statements. Throws 403 if the
   * catalog would exceed a quota.
   */
  async upsert(
    tx: EntityManager,
    catalog: Row<ProductCatalog>,
    products: readonly ProductAttributes[],
  ): Promise<StoredProduct[]> {
    const results = await this.upsertFitting(tx, catalog, products, (more, bytes) => {
      const refusal = this.refusalOf(catalog, more, bytes);
      if (refusal) throw refusal;
    });
    return results as StoredProduct[];
  }

  /** The same, but products that would exceed a quota are left out. */
  upsertSome(
    tx: EntityManager,
    catalog: Row<ProductCatalog>,
    products: readonly ProductAttributes[],
  ): Promise<(StoredProduct | RefusedProduct)[]> {
    return this.upsertFitting(tx, catalog, products);
  }

  private async upsertFitting(
    tx: EntityManager,
    catalog: Row<ProductCatalog>,
    products: readonly ProductAttributes[],
    assertAllFit?: (more: number, bytes: number) => void,
  ): Promise<(StoredProduct | RefusedProduct)[]> {
    if (products.length === 0) return [];
    const now = this.clock.now();
    const known = await storedProducts(
      tx,
      catalog.id,
      products.map(({ id }) => String(id)),
    );
    const byId = new Map(known.map((each) => [each.merchantId, each]));
    const [created, replaced]: Row<Product>[][] = [[], []];
    let [more, bytes] = [0, 0];
    const results = products.map((attributes): StoredProduct | RefusedProduct => {
      const before = byId.get(String(attributes.id));
      if (before && isDeepStrictEqual(before.attributes, attributes))
        return { productKey: before.productKey, status: 'NO_CHANGE' };
      const product = rowOf(catalog.id, attributes, { before, now });
      const [added, grown] = [before ? 0 : 1, product.bytes - (before?.bytes ?? 0)];
      const error = assertAllFit ? undefined : this.refusalOf(catalog, more + added, bytes + grown, { added, grown });
      if (error) return { productKey: null, status: 'ERROR', error };
      more += added;
      bytes += grown;
      (before ? replaced : created).push(product);
      return { productKey: product.productKey, status: before ? 'UPDATE_SUCCESS' : 'CREATE_SUCCESS' };
    });
    if (created.length + replaced.length === 0) return results;
    assertAllFit?.(more, bytes);
    // a key that another replica has taken meanwhile is rejected, and the transaction runs again
    await write(tx, [insert(Product, created), replace(Product, replaced)]);
    await this.count(tx, catalog, more, bytes);
    return results;
  }

  /** Deletes products and returns the keys of those that existed. */
  async delete(tx: EntityManager, catalog: Row<ProductCatalog>, keys: readonly string[]): Promise<Set<string>> {
    const products = () => rows(tx, Product).where('catalogId', catalog.id).whereIn('productKey', keys);
    const found = await products().limit(keys.length).getMany();
    if (found.length === 0) return new Set();
    await products().delete();
    await this.count(tx, catalog, -found.length, -found.reduce((sum, each) => sum + each.bytes, 0));
    return new Set(found.map(({ productKey }) => productKey));
  }

  /** The error if a catalog that grows so much would exceed a quota. What does not grow fits: `one` is the last of several. */
  private refusalOf(
    { userId, productCount, productBytes }: Row<ProductCatalog>,
    more: number,
    bytes: number,
    one = { added: more, grown: bytes },
  ): ApiError | undefined {
    const { CATALOG_PRODUCTS: most, CATALOG_BYTES: mostBytes } = this.config.storageQuotas;
    if (most > 0 && one.added > 0 && productCount + more > most)
      return storageQuotaExceeded(
        `User ${userId} stores ${productCount} of at most ${most} products, and this request adds ${more}`,
        'MAX_PRODUCTS_PER_CATALOG is the limit; delete products, or ask the operator to raise it',
      );
    if (mostBytes > 0 && one.grown > 0 && productBytes + bytes > mostBytes)
      return storageQuotaExceeded(
        `User ${userId} stores ${productBytes} of at most ${mostBytes} bytes of products, and this request adds ${bytes}`,
        'MAX_CATALOG_BYTES_PER_USER is the limit; delete products, or ask the operator to raise it',
      );
    return undefined;
  }

  private async count(tx: EntityManager, catalog: Row<ProductCatalog>, more: number, bytes: number): Promise<void> {
    catalog.productCount += more;
    catalog.productBytes += bytes;
    await rows(tx, ProductCatalog)
      .where('id', catalog.id)
      .update({
        productCount: catalog.productCount,
        productBytes: catalog.productBytes,
        updatedAt: nextAfterStored(this.clock.now().toISOString()),
      });
  }
}

function rowOf(
  catalogId: string,
  attributes: ProductAttributes,
  { before, now }: { before?: ReplacedProduct; now: Date },
): Row<Product> {
  const productKey = before?.productKey ?? newNumber(now);
  const group = groupKeyOf(catalogId, attributes);
  const textOf = (name: string) => (attributes[name] as string | undefined) ?? null;
  const sale = textOf('sale_price');
  return {
    catalogId,
    productKey,
    merchantId: String(attributes.id),
    groupKey: group === undefined ? `p:${productKey}` : `g:${group}`,
    attributes,
    bytes: bytesOf(attributes),
    priceMicro: priceOf(String(attributes.price))!.micro,
    salePriceMicro: sale === null ? null : priceOf(sale)!.micro,
    inventory: (attributes.inventory as number | undefined) ?? null,
    productType: textOf('product_type'),
    googleProductCategory: textOf('google_product_category'),
    customLabel0: textOf('custom_label_0'),
    customLabel1: textOf('custom_label_1'),
    customLabel2: textOf('custom_label_2'),
    customLabel3: textOf('custom_label_3'),
    customLabel4: textOf('custom_label_4'),
    createdAt: before?.createdAt ?? now.toISOString(),
    updatedAt: now.toISOString(),
  };
}
