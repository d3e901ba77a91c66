import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { ProductCatalog } from '../entities/product-catalog.entity.js';
import { ProductSet } from '../entities/product-set.entity.js';
import type { OwnProductSets } from './own-product-sets.js';

/** What other domains may know of catalogs: those of one user, as the API shows them to that user alone. */
@Injectable()
export class AdvertisedProducts {
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
