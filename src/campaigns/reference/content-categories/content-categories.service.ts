import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/http/page.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import type { ContentCategory } from './content-category.entity.js';
import { CONTENT_CATEGORIES } from './content-category.reference.js';

const iabCategoriesOf = madeOnce(
  (all: readonly Row<ContentCategory>[]): ReadonlySet<string> =>
    new Set(all.flatMap(({ iabCategories }) => iabCategories)),
);

@Injectable()
export class ContentCategoriesService {
  constructor(private readonly data: ReferenceData) {}

  /** All of them, and always how many. */
  async list(): Promise<Page<Row<ContentCategory>>> {
    const all = await this.all();
    return new Page([...all], null, all.length);
  }

  all(db?: EntityManager): Promise<readonly Row<ContentCategory>[]> {
    return this.data.all(CONTENT_CATEGORIES, db);
  }

  /** The IAB categories that content categories are made of: those that targeting of type IAB_CATEGORY can name. */
  async iabCategories(db?: EntityManager): Promise<ReadonlySet<string>> {
    return iabCategoriesOf(await this.all(db));
  }
}
