import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/http/answers/page.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import { CONTENT_CATEGORIES, type ContentCategory } from './content-category.entity.js';

const iabCategoriesOf = madeOnce(
  (all: readonly Row<ContentCategory>[]): ReadonlySet<string> =>
    new Set(all.flatMap(({ iabCategories }) => iabCategories)),
);

@Injectable()
export class ContentCategoriesService {
  constructor(private readonly data: ReferenceData) {}

  /** All content categories, with `total_count`. */
  async list(): Promise<Page<Row<ContentCategory>>> {
    const all = await this.all();
    return new Page([...all], null, all.length);
  }

  all(db?: EntityManager): Promise<readonly Row<ContentCategory>[]> {
    return this.data.all(CONTENT_CATEGORIES, db);
  }

  /** The IAB categories of all content categories: the values of targeting of type IAB_CATEGORY. */
  async iabCategories(db?: EntityManager): Promise<ReadonlySet<string>> {
    return iabCategoriesOf(await this.all(db));
  }
}
