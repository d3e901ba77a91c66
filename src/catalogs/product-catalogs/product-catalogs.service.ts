import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { ConflictRetry, retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { enqueue } from '../../common/jobs/enqueue.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { Clock } from '../../common/time/clock.js';
import { catalogExists, catalogNotFound, catalogUserNotFound } from '../catalogs.errors.js';
import { ProductCatalog } from '../entities/product-catalog.entity.js';
import { ProductSet } from '../entities/product-set.entity.js';
import { Product } from '../entities/product.entity.js';
import { ScheduledFeed } from '../entities/scheduled-feed.entity.js';
import type { CatalogUser, CreateProductCatalog, UpdateProductCatalog } from './product-catalogs.dto.js';

/** Rows of one statement of the removal. */
const BATCH = 1_000;

/** A catalog was deleted. Its products are removed after it, however many there are. */
const CATALOG_DELETED = defineJob<{ catalogId: string }>('catalog-deleted', { timeoutSeconds: 3_600, retries: 16 });

/** The product catalogs of users. Each belongs to one user, whose requests alone reach it. */
@Injectable()
export class ProductCatalogsService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(CATALOG_DELETED, async ({ catalogId }, { signal }) => {
      const products = rows(this.dataSource.manager, Product).where('catalogId', catalogId);
      await deleteInBatches(products, { batch: BATCH, signal });
      signal.throwIfAborted();
    });
  }

  /** The catalog of the user in a list: one, or none. */
  list(db: EntityManager, userId: string, query: CatalogUser): Promise<Row<ProductCatalog>[]> {
    assertOwn(userId, query);
    return rows(db, ProductCatalog).where('userId', userId).getMany();
  }

  /** A catalog of the user; 404 for others. */
  async get(db: EntityManager, userId: string, id: string, query: CatalogUser = {}): Promise<Row<ProductCatalog>> {
    assertOwn(userId, query);
    const found = await rows(db, ProductCatalog).where('id', id).where('userId', userId).getOne();
    if (!found) throw catalogNotFound(id);
    return found;
  }

  /** Creates the catalog of the user; 400 if there is one. */
  create(db: EntityManager, userId: string, params: CreateProductCatalog): Promise<Row<ProductCatalog>> {
    assertOwn(userId, params);
    return retrying(async () => {
      const now = this.clock.now();
      const time = now.toISOString();
      const catalog: Row<ProductCatalog> = {
        id: newNumber(now),
        userId,
        name: params.name,
        productCount: 0,
        productBytes: 0,
        createdAt: time,
        updatedAt: time,
      };
      await write(db, [insertOrIgnore(ProductCatalog, [catalog])]);
      const stored = await rows(db, ProductCatalog).where('userId', userId).getOne();
      // the id was taken, or the other catalog was deleted meanwhile
      if (!stored) throw new ConflictRetry();
      if (stored.id !== catalog.id) throw catalogExists(stored.id);
      return stored;
    });
  }

  /** Renames a catalog. */
  async update(
    db: EntityManager,
    userId: string,
    id: string,
    params: UpdateProductCatalog,
  ): Promise<Row<ProductCatalog>> {
    assertOwn(userId, params);
    const [changed] = await rows(db, ProductCatalog)
      .where('id', id)
      .where('userId', userId)
      .update({ name: params.name, updatedAt: nextAfterStored(this.clock.now().toISOString()) });
    if (!changed) throw catalogNotFound(id);
    return changed;
  }

  /** Deletes a catalog. A job removes its products. */
  delete(db: EntityManager, userId: string, id: string, query: CatalogUser = {}): Promise<Row<ProductCatalog>> {
    return this.changing(db, userId, id, query, async (tx, catalog) => {
      await this.remove(tx, catalog);
      return catalog;
    });
  }

  /** Deletes the catalog of a deleted user. */
  async deleteOf(userId: string): Promise<void> {
    for (const catalog of await rows(this.dataSource.manager, ProductCatalog).where('userId', userId).getMany())
      await this.dataSource.manager.transaction((tx) => this.remove(tx, catalog));
  }

  /**
   * Does work on a locked catalog of the user, in one transaction: the changes of a catalog follow each other, and nothing
   * is stored in a deleted one.
   */
  changing<R>(
    db: EntityManager,
    userId: string,
    id: string,
    query: CatalogUser,
    work: (tx: EntityManager, catalog: Row<ProductCatalog>) => Promise<R>,
  ): Promise<R> {
    assertOwn(userId, query);
    return retrying(() =>
      inTransactionFor(db, id, async (tx) => {
        const catalog = await rows(tx, ProductCatalog)
          .where('id', id)
          .where('userId', userId)
          .setLock('for_no_key_update')
          .getOne();
        if (!catalog) throw catalogNotFound(id);
        return work(tx, catalog);
      }),
    );
  }

  private async remove(tx: EntityManager, { id }: Row<ProductCatalog>): Promise<void> {
    await rows(tx, ProductCatalog).where('id', id).delete();
    await rows(tx, ProductSet).where('catalogId', id).delete();
    await rows(tx, ScheduledFeed).where('catalogId', id).delete();
    await enqueue(tx, CATALOG_DELETED, { catalogId: id });
  }
}

function assertOwn(userId: string, { user_id: named }: CatalogUser): void {
  if (named !== undefined && named !== userId) throw catalogUserNotFound(named);
}
