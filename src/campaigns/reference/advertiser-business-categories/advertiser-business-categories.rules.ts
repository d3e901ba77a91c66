import type { Row } from '../../../common/db/query/rows.js';
import type { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

type Group = Pick<Row<AdvertiserBusinessCategory>, 'id' | 'iabCategories'>;

/** The advertiser business categories of a line item's IAB categories. */
export interface WholeGroups {
  /** The ids of the advertiser business categories, in their order. */
  groups: string[];
  /** All IAB categories of these groups in their order, then the given ones that belong to no group. */
  categories: string[];
  /** The given IAB categories that belong to no advertiser business category. */
  others: string[];
}

/**
 * The advertiser business categories that IAB categories belong to, each as the complete set: a part of one selects all
 * of it. A subcategory belongs to the group of its parent: IAB20-3 to that of IAB20.
 */
export function wholeGroups(categories: readonly string[], all: readonly Group[]): WholeGroups {
  const given = new Set(categories);
  const tiers = new Map([...given].map((id) => [id, id.split('-', 1)[0]]));
  const belongs = (id: string, { iabCategories }: Group) =>
    iabCategories.includes(id) || iabCategories.includes(tiers.get(id)!);
  const groups = all.filter((group) => [...given].some((id) => belongs(id, group)));
  const others = [...given].filter((id) => !groups.some((group) => belongs(id, group)));
  return {
    groups: groups.map(({ id }) => id),
    categories: [...new Set([...groups.flatMap(({ iabCategories }) => iabCategories), ...others])],
    others,
  };
}
