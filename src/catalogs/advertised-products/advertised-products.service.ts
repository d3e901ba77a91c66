import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { ProductCatalog } from '../entities/product-catalog.entity.js';
import { ProductSet } from '../entities/product-set.entity.js';
import { ProductSetsService } from '../product-sets/product-sets.service.js';
import { availableProducts, type AdvertisedProduct } from './available-products.statements.js';
import type { OwnProductSets } from './own-product-sets.js';

/** What other domains may know of catalogs: those of one user, as the API shows them to that user alone. */
@Injectable()
export class AdvertisedProducts {
  constructor(private readonly sets: ProductSetsService) {}

  /**
   * Products of a set that can be ordered: of those that the API shows as the set to its user. Undefined if the set is
   * not one of this user. Rejects with `NoAnswer` if the filters of the set take too long.
   */
  async available(
    db: EntityManager,
    userId: string,
    { catalogId, setId }: { catalogId: string; setId: string },
    limit: number,
  ): Promise<AdvertisedProduct[] | undefined> {
    const own = await this.ownSets(db, userId, [setId]);
    if (own.catalogId !== catalogId || !own.setIds.has(setId)) return undefined;
    const { productKeys } = await this.sets.get(db, userId, { catalogId, id: setId }, {});
    return productKeys?.length ? availableProducts(db, catalogId, productKeys, limit) : [];
  }

  /** The catalog of a user, and those of the sets that belong to it. */
  async ownSets(db: EntityManager, userId: string, setIds: readonly string[]): Promise<OwnProductSets> {
    const catalog = await rows(db, ProductCatalog).where('userId', userId).getOne();
    if (!catalog) return { setIds: new Set() };
    const sets = await rows(db, ProductSet)
      .where('catalogId', catalog.id)
      .whereIn('id', [...setIds])
      .getMany();
    return { catalogId: catalog.id, setIds: new Set(sets.map(({ id }) => id)) };
  }
}
