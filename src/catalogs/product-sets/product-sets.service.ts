import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Bulkhead } from '../../common/db/query/bulkhead.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Clock } from '../../common/time/clock.js';
import { setIsFiltered, setNotFound, tooManySets } from '../catalogs.errors.js';
import { ProductSet } from '../entities/product-set.entity.js';
import type { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { ProductCatalogsService } from '../product-catalogs/product-catalogs.service.js';
import type { FilledSet } from './product-set.presenter.js';
import type { CreateProductSet, UpdateProductSet } from './product-sets.dto.js';
import { existingKeys, keysOfMatching } from './product-sets.statements.js';

/** Maximum number of sets of a catalog. */
const MAX_SETS = 100;
/** Maximum number of products that an answer names. */
const MAX_PRODUCTS = 1_000;
/** Timeout of the filters of a set, and of the wait for others of the same user: together below 5 s. */
const FILTERS_MS = 3_000;
const TURN_MS = 1_500;
/** Maximum number of reads of FILTERED sets of one user that wait. */
const MAX_WAITING = 20;

/** The product sets of catalogs. */
@Injectable()
export class ProductSetsService {
  private readonly scans = new Bulkhead({
    atOnce: 1,
    waiting: MAX_WAITING,
    timeoutMs: TURN_MS,
    refusals: {
      tooMany: 'Too many reads of product sets wait.',
      tooLong: 'Other reads of product sets took too long.',
    },
  });

  constructor(
    private readonly catalogs: ProductCatalogsService,
    private readonly clock: Clock,
  ) {}

  /** The sets of a catalog, the newest first. Products are those of MANUAL sets only: filters would look at all products. */
  async list(db: EntityManager, userId: string, catalogId: string, query: CatalogUser): Promise<FilledSet[]> {
    await this.catalogs.get(db, userId, catalogId, query);
    const sets = await rows(db, ProductSet)
      .where('catalogId', catalogId)
      .orderBy('id', 'DESC')
      .limit(MAX_SETS)
      .getMany();
    const keys = [...new Set(sets.flatMap(({ productKeys }) => productKeys))];
    const existing = await existingKeys(db, catalogId, keys);
    return sets.map((set) => {
      const own = new Set(set.productKeys);
      return { set, productKeys: set.type === 'FILTERED' ? null : existing.filter((key) => own.has(key)) };
    });
  }

  /** A set with its products: those of a FILTERED set are sought now; 503 if that takes too long. */
  async get(
    db: EntityManager,
    userId: string,
    { catalogId, id }: { catalogId: string; id: string },
    query: CatalogUser,
  ): Promise<FilledSet> {
    await this.catalogs.get(db, userId, catalogId, query);
    const set = await setsOf(db, catalogId, id).getOne();
    if (!set) throw setNotFound(id);
    if (set.type === 'MANUAL') return named(db, set);
    const productKeys = await this.scans.run(userId, () =>
      keysOfMatching(db, { catalogId, userId }, set.filters, { limit: MAX_PRODUCTS, timeoutMs: FILTERS_MS }),
    );
    return { set, productKeys };
  }

  /** Creates a set. */
  async create(db: EntityManager, userId: string, catalogId: string, params: CreateProductSet): Promise<FilledSet> {
    const created = await this.catalogs.changing(db, userId, catalogId, params, async (tx) => {
      if ((await rows(tx, ProductSet).where('catalogId', catalogId).getCount()) >= MAX_SETS)
        throw tooManySets(MAX_SETS);
      const productKeys = await knownKeys(tx, catalogId, params.product_keys ?? []);
      const now = this.clock.now();
      const set: Row<ProductSet> = {
        id: newNumber(now),
        catalogId,
        name: params.name,
        description: params.description ?? null,
        type: params.type,
        productKeys,
        filters: params.filters ?? [],
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      };
      await write(tx, [insert(ProductSet, [set])]);
      return set;
    });
    return named(db, created);
  }

  /** Changes a MANUAL set; 400 for another. */
  async update(
    db: EntityManager,
    userId: string,
    { catalogId, id }: { catalogId: string; id: string },
    params: UpdateProductSet,
  ): Promise<FilledSet> {
    const changed = await this.catalogs.changing(db, userId, catalogId, params, async (tx) => {
      const set = await setsOf(tx, catalogId, id).getOne();
      if (!set) throw setNotFound(id);
      if (set.type === 'FILTERED') throw setIsFiltered(id);
      const { name, description, product_keys: keys } = params;
      const productKeys = keys && (await knownKeys(tx, catalogId, keys));
      const updatedAt = nextAfterStored(this.clock.now().toISOString());
      const [stored] = await setsOf(tx, catalogId, id).update({ name, description, productKeys, updatedAt });
      return stored;
    });
    return named(db, changed);
  }

  /** Deletes a set permanently. Its products stay. */
  async delete(
    db: EntityManager,
    userId: string,
    { catalogId, id }: { catalogId: string; id: string },
    query: CatalogUser,
  ): Promise<FilledSet> {
    const deleted = await this.catalogs.changing(db, userId, catalogId, query, async (tx) => {
      const set = await setsOf(tx, catalogId, id).getOne();
      if (!set) throw setNotFound(id);
      await setsOf(tx, catalogId, id).delete();
      return set;
    });
    return named(db, deleted);
  }
}

/** A set with its products, if the user named them. */
async function named(db: EntityManager, set: Row<ProductSet>): Promise<FilledSet> {
  return {
    set,
    productKeys: set.type === 'FILTERED' ? null : await existingKeys(db, set.catalogId, set.productKeys),
  };
}

const setsOf = (db: EntityManager, catalogId: string, id: string) =>
  rows(db, ProductSet).where('id', id).where('catalogId', catalogId);

/** The keys, each once; 400 for those of which there is no product. */
async function knownKeys(tx: EntityManager, catalogId: string, keys: readonly string[]): Promise<string[]> {
  const distinct = [...new Set(keys)];
  const known = new Set(await existingKeys(tx, catalogId, distinct));
  const unknown = distinct.filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw invalid(
      'product_keys',
      `Expected keys of products of the catalog, got ${unknown.join(', ')} for product_keys`,
      {
        value: unknown,
      },
    );
  return distinct;
}
