import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { exportRows, type ExportSection } from '../auth/user-export.js';
import { rows } from '../common/db/query/rows.js';
import { inPages } from '../common/list/in-pages.js';
import { ProductCatalog } from './entities/product-catalog.entity.js';
import { ProductSet } from './entities/product-set.entity.js';
import { Product } from './entities/product.entity.js';
import { ScheduledFeed } from './entities/scheduled-feed.entity.js';

/** Exports the product catalog of a user. */
@Injectable()
export class CatalogsExport {
  constructor(private readonly db: DataSource) {}

  sections(userId: string): ExportSection[] {
    const catalogs = () => rows(this.db.manager, ProductCatalog).where('userId', userId);
    return [
      ['product_catalogs', exportRows(inPages(this.db, catalogs, 'id'), ['id', 'name', 'createdAt', 'updatedAt'])],
      ['products', this.products(userId)],
      [
        'product_sets',
        exportRows(
          inPages(
            this.db,
            () => rows(this.db.manager, ProductSet).whereInSubquery('catalogId', catalogs(), 'id'),
            'id',
          ),
          ['id', 'catalogId', 'name', 'description', 'type', 'productKeys', 'filters', 'createdAt', 'updatedAt'],
        ),
      ],
      [
        'scheduled_feeds',
        exportRows(
          inPages(this.db, () => rows(this.db.manager, ScheduledFeed).where('userId', userId), 'id'),
          [
            ...(['id', 'catalogId', 'feedUrl', 'feedFormat', 'frequency', 'repeat', 'startTime', 'timeZone'] as const),
            ...(['createdAt', 'updatedAt'] as const),
          ],
        ),
      ],
    ];
  }

  private async *products(userId: string): AsyncGenerator<object> {
    const { manager } = this.db;
    for (const { id } of await rows(manager, ProductCatalog).where('userId', userId).getMany()) {
      const ofCatalog = () => rows(manager, Product).where('catalogId', id);
      yield* exportRows(inPages(this.db, ofCatalog, 'productKey'), [
        ...(['catalogId', 'productKey', 'attributes', 'createdAt', 'updatedAt'] as const),
      ]);
    }
  }
}
