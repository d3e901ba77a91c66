import type { Row } from '../../../common/db/query/rows.js';
import type { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

type Group = Pick<Row<AdvertiserBusinessCategory>, 'id' | 'iabCategories'>;

/** What IAB categories of a line item are parts of. */
export interface WholeGroups {
  /** The ids of the advertiser business categories, in their order. */
  groups: string[];
  /** All IAB categories of these, in their order, and after them those that were given and belong to none. */
  categories: string[];
  /** Those that were given and belong to none. */
  others: string[];
}

/**
 * The advertiser business categories that IAB categories belong to, each as the complete set: whoever names a part of one
 * gets all of it. A category below one that a group names is a part of that group: IAB20-3 of that of IAB20.
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
