import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { pageOf, countLeading } from '../../../common/list/page-of.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import type { ListIabCategories } from '../reference.dto.js';
import { IAB_CATEGORIES, type IabCategory } from './iab-category.entity.js';

const idsOnce = madeOnce((all: readonly Row<IabCategory>[]): ReadonlySet<string> => new Set(all.map(({ id }) => id)));

/** The ids of the subcategories, by the id of their parent. */
const partsOnce = madeOnce((all: readonly Row<IabCategory>[]): ReadonlyMap<string, string[]> => {
  const parts = new Map<string, string[]>();
  for (const { id, parentId } of all) {
    if (parentId === null) continue;
    const known = parts.get(parentId);
    if (known) known.push(id);
    else parts.set(parentId, [id]);
  }
  return parts;
});

@Injectable()
export class IabCategoriesService {
  constructor(private readonly data: ReferenceData) {}

  /** Lists the categories in the order of the standard. */
  async list(query: ListIabCategories) {
    const all = await this.all();
    return pageOf(all, query, {
      listing: [IAB_CATEGORIES.name],
      key: ({ position }) => position,
      // The last category of the previous page may have been replaced since.
      after: (last) => countLeading(all, ({ position }) => position > last),
    });
  }

  all(db?: EntityManager): Promise<readonly Row<IabCategory>[]> {
    return this.data.all(IAB_CATEGORIES, db);
  }

  /** Returns a function from a category to its subcategories. It returns none for a category without parts. */
  async parts(): Promise<(id: string) => readonly string[]> {
    const parts = partsOnce(await this.all());
    return (id) => parts.get(id) ?? [];
  }

  /** Whether all of these are IAB categories. */
  async exist(ids: Iterable<string>): Promise<boolean> {
    return (await this.unknown(ids)).length === 0;
  }

  /** The ids of all IAB categories. */
  async ids(db?: EntityManager): Promise<ReadonlySet<string>> {
    return idsOnce(await this.all(db));
  }

  /** The ids in this list that are not IAB categories. */
  async unknown(ids: Iterable<string>): Promise<string[]> {
    const known = await this.ids();
    return [...ids].filter((id) => !known.has(id));
  }
}
