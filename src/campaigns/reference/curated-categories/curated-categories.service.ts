import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { rows, type Row } from '../../../common/db/query/rows.js';
import { notFound } from '../../../common/errors/catalogue.js';
import type { OneQuery } from '../../../common/list/list-query.js';
import { one } from '../../../common/list/one.js';
import { page } from '../../../common/list/page.js';
import { CuratedCategory } from '../../entities/curated-category.entity.js';
import type { ListCuratedCategories, NewCuratedCategory } from './curated-categories.dto.js';
import { CuratedCategoryWrites } from './curated-category.writes.js';

type Made = Row<CuratedCategory>;

@Injectable()
export class CuratedCategoriesService {
  constructor(
    private readonly db: DataSource,
    private readonly writes: CuratedCategoryWrites,
  ) {}

  /** Every page has `total_count`. */
  list(query: ListCuratedCategories) {
    const found = this.all().arrayOverlaps('countryCodes', query.country_codes);
    return page(found, { ...query, with_total_count: true });
  }

  /** The category for an account. Throws 404 if it does not exist. */
  read(account: { id: string }, id: string, query: OneQuery): Promise<Made> {
    const unknown = () => notFound('Curated Category', 'curated_category_id', id, account.id);
    return one(this.all(), id, unknown, query);
  }

  /** The category with this id; undefined if it does not exist or is deleted. */
  get(id: string, db?: EntityManager): Promise<Made | undefined> {
    return this.all(db).where('id', id).getOne();
  }

  /** Creates all categories or none. The users they name must be publishers. */
  create(categories: readonly NewCuratedCategory[]): Promise<Made[]> {
    return this.writes.create(categories);
  }

  /** Deletes a category; undefined if it does not exist. Existing targeting keeps it. */
  delete(id: string): Promise<Made | undefined> {
    return this.writes.delete(id);
  }

  private all(db = this.db.manager) {
    return rows(db, CuratedCategory);
  }
}
