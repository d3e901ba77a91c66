import type { EstimatedUsers, SetKind, UserSet } from '../../audiences/directory/user-sets.js';
import { locationAt, placesWithin } from '../../audiences/locations/locations.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { SetCriterion } from '../criterion-sets/criterion-set.rules.js';
import {
  TARGETING,
  defaultOperator,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';

/** A criterion as a client sends it. */
export interface GivenEstimateCriterion {
  targeting_type: TargetingType;
  targeting_value: string;
  operator_type?: OperatorType;
}

/** The operator of a criterion, as sent or by default. */
export const estimateOperatorOf = ({
  targeting_type,
  operator_type,
}: Omit<GivenEstimateCriterion, 'targeting_value'>) => operator_type ?? defaultOperator(targeting_type);

const isPrimary = (type: TargetingType) => TARGETING[type].family === 'PRIMARY';

/** Whether a criterion includes users by itself. */
const includes = ({ targeting_type: type, operator_type: operator }: Omit<SetCriterion, 'targeting_value'>) =>
  isPrimary(type) && operator === 'EQ';

/** At least one primary criterion must include users before others can exclude any. */
export function primaryProblem(criteria: readonly GivenEstimateCriterion[]): ApiError | undefined {
  if (criteria.some((each) => includes({ ...each, operator_type: estimateOperatorOf(each) }))) return undefined;
  const primary = Object.keys(TARGETING).filter((type) => isPrimary(type as TargetingType));
  return invalid('targeting_criteria', 'At least one primary targeting criterion is required', {
    details: `one with operator_type EQ and a targeting_type of ${primary.join(', ')}`,
  });
}

/**
 * The directory's attribute for each type. Types that are missing here say nothing about users of the directory:
 * docs/gaps.md, "Audience estimate".
 */
const KINDS: Partial<Record<TargetingType, SetKind>> = {
  AGE: 'AGE',
  APP_STORE_CATEGORY: 'APP_STORE_CATEGORY',
  APP_STORE_CATEGORY_LOOKALIKE: 'APP_STORE_CATEGORY',
  BROAD_KEYWORD: 'KEYWORD',
  CONVERSATION: 'CONVERSATION',
  CUSTOM_AUDIENCE: 'CUSTOM_AUDIENCE',
  CUSTOM_AUDIENCE_EXPANDED: 'CUSTOM_AUDIENCE',
  DEVICE: 'DEVICE',
  EVENT: 'EVENT',
  EXACT_KEYWORD: 'KEYWORD',
  FOLLOWERS_OF_USER: 'FOLLOWERS_OF_USER',
  GENDER: 'GENDER',
  IAB_CATEGORY: 'IAB_CATEGORY',
  INTEREST: 'INTEREST',
  LANGUAGE: 'LANGUAGE',
  LIVE_TV_EVENT: 'EVENT',
  LOCATION: 'LOCATION',
  NETWORK_OPERATOR: 'NETWORK_OPERATOR',
  PHRASE_KEYWORD: 'KEYWORD',
  PLATFORM: 'PLATFORM',
  PLATFORM_VERSION: 'PLATFORM_VERSION',
  SIMILAR_TO_FOLLOWERS_OF_USER: 'SIMILAR_TO_FOLLOWERS_OF_USER',
  TV_SHOW: 'TV_SHOW',
  UNORDERED_KEYWORD: 'KEYWORD',
};

/** Types that form one set: a device belongs to a platform other than those that are targeted as a whole. */
const TOGETHER: Partial<Record<TargetingType, TargetingType>> = {
  APP_STORE_CATEGORY_LOOKALIKE: 'APP_STORE_CATEGORY',
  DEVICE: 'PLATFORM',
};

/** The subcategories of an IAB category. */
export type PartsOf = (category: string) => readonly string[];

/**
 * The users that resolved criteria target: users who match any primary criterion and one criterion of each secondary
 * type, except those who match a criterion with NE.
 */
export function userSetsOf(criteria: readonly SetCriterion[], partsOf: PartsOf): EstimatedUsers {
  const primary = new Sets();
  const without = new Sets();
  const groups = new Map<TargetingType, Sets>();
  for (const { targeting_type: type, targeting_value: value, operator_type: operator } of criteria) {
    const kind = KINDS[type];
    if (kind === undefined) continue;
    const group = TOGETHER[type] ?? type;
    if (!isPrimary(type) && operator !== 'NE' && !groups.has(group)) groups.set(group, new Sets());
    const sets = operator === 'NE' ? without : isPrimary(type) ? primary : groups.get(group)!;
    if (kind === 'LOCATION') addPlaces(sets, value);
    else sets.add(kind, ...valuesOf(type, value, partsOf));
  }
  return { primary: primary.all(), groups: [...groups.values()].map((sets) => sets.all()), without: without.all() };
}

/**
 * The users that the criteria of a line item target, as `userSetsOf` has them; everybody instead of nobody if no primary
 * criterion includes users. Undefined if the directory knows no type of the criteria.
 */
export function usersOfLineItem(criteria: readonly SetCriterion[], partsOf: PartsOf): EstimatedUsers | undefined {
  if (criteria.every(({ targeting_type: type }) => KINDS[type] === undefined)) return undefined;
  const users = userSetsOf(criteria, partsOf);
  return criteria.some(includes) ? users : { ...users, primary: 'everybody' };
}

/** The directory's values for a targeting value. */
function valuesOf(type: TargetingType, value: string, partsOf: PartsOf): string[] {
  // A + before a word prevents its expansion. Nothing is expanded here.
  if (type === 'BROAD_KEYWORD') return [value.replace(/(^|\s)\+(?=\S)/gu, '$1')];
  if (type === 'IAB_CATEGORY') return [value, ...partsOf(value)];
  return [value];
}

/**
 * The directory stores a user's country as a code and other locations as values. A region includes the locations in it.
 */
function addPlaces(sets: Sets, value: string): void {
  const place = locationAt(value);
  if (place?.type === 'COUNTRIES') sets.add('COUNTRY', place.countryCode);
  else sets.add('LOCATION', value);
  if (place?.type !== 'REGIONS') return;
  sets.add('LOCATION', ...placesWithin(place.regionCode!).map((each) => each.value));
}

/** Distinct values by kind. */
class Sets {
  private readonly kinds = new Map<SetKind, Set<string>>();

  add(kind: SetKind, ...values: string[]): void {
    const known = this.kinds.get(kind) ?? new Set();
    for (const value of values) known.add(value);
    this.kinds.set(kind, known);
  }

  all(): UserSet[] {
    return [...this.kinds].map(([kind, values]) => ({ kind, values: [...values] }));
  }
}
