import type { EntityManager } from 'typeorm';
import { locationAt } from '../../audiences/locations/locations.js';
import { rows } from '../../common/db/query/rows.js';
import { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { LIMITS } from '../targeting-values/targeting-types.js';
import type { Targeted } from './line-item-curated-category.rules.js';

/**
 * The targeted countries of a line item, and whether it targets content categories, as curated categories need them. A
 * line item without location criteria targets every country.
 */
export async function targetedPlaces(
  db: EntityManager,
  account: { id: string },
  lineItemId: string,
): Promise<Targeted> {
  const places = await rows(db, TargetingCriterion)
    .where('accountId', account.id)
    .where('lineItemId', lineItemId)
    .whereLiteral('targetingType', 'LOCATION')
    .whereLiteral('operatorType', 'EQ')
    .limit(LIMITS.locations)
    .getMany();
  const contentCategories = await rows(db, TargetingCriterion)
    .where('accountId', account.id)
    .where('lineItemId', lineItemId)
    .whereLiteral('targetingType', 'IAB_CATEGORY')
    .getExists();
  const countries = new Set(places.flatMap(({ targetingValue }) => locationAt(targetingValue)?.countryCode ?? []));
  return countries.size === 0 ? { contentCategories } : { contentCategories, countries: [...countries] };
}
