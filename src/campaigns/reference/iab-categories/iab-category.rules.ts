import type { Row } from '../../../common/db/query/rows.js';
import type { IabCategory } from './iab-category.entity.js';

/** The ids of these categories. */
export const idsOf = (all: readonly Row<IabCategory>[]): ReadonlySet<string> => new Set(all.map(({ id }) => id));

/** The ids of the subcategories, by the id of their parent. */
export function partsOf(all: readonly Row<IabCategory>[]): ReadonlyMap<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const { id, parentId } of all) {
    if (parentId === null) continue;
    const known = parts.get(parentId);
    if (known) known.push(id);
    else parts.set(parentId, [id]);
  }
  return parts;
}
