import { locationAt } from '../../audiences/locations/locations.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { invalidTvShowLocations, tvShowOutsideMarket } from '../campaigns.errors.js';
import { DEVICES, interestPartsOf, PLATFORM_OF, PLATFORMS, TV_SHOWS } from '../targeting-values/targeting-lists.js';
import {
  ENGAGEMENT_TYPES_OF,
  isKeywordType,
  LIMITS,
  MAX_CRITERIA,
  TARGETING,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';

/** A criterion of a line item with a resolved value, in its stored form. */
export interface SetCriterion {
  targeting_type: TargetingType;
  targeting_value: string;
  operator_type: OperatorType;
}

/** The properties of the line item that its criteria must fit. */
export interface LineItemAround {
  /** The countries of its curated category, by ISO 3166-1; null or undefined without one. */
  curatedIn?: readonly string[] | null;
}

/** Maximum number of excluded publishers. */
export const MAX_PUBLISHERS = { withCuratedCategory: 5, otherwise: 50 };

type Refuse = (index: number, problem: ApiError) => void;
type SetRule = (criteria: readonly SetCriterion[], refuse: Refuse, around: LineItemAround) => void;

/**
 * Problems of the complete set of criteria of a line item, by index; empty for valid criteria. Stored criteria come
 * first, new ones after them. If two criteria conflict, the later one gets the problem. A limit gives it to the
 * criteria that exceed it. If a removal leaves a criterion without one that it needs, that criterion gets the problem.
 * Runs in linear time.
 */
export function problemsOfSet(criteria: readonly SetCriterion[], around: LineItemAround = {}): ApiError[][] {
  const problems = criteria.map((): ApiError[] => []);
  const refuse: Refuse = (index, problem) => void problems[index].push(problem);
  for (const rule of RULES) rule(criteria, refuse, around);
  return problems;
}

/** The identity of a criterion. Keywords are compared case-insensitively. */
export const criterionKeyOf = ({
  targeting_type: type,
  targeting_value: value,
}: Omit<SetCriterion, 'operator_type'>): string => `${type} ${isKeywordType(type) ? value.toLowerCase() : value}`;

const isTargeted = ({ operator_type: operator }: SetCriterion) => operator !== 'NE';

/** Each type allows certain operators: lookalikes cannot be excluded, apps and publishers can only be excluded. */
export function operatorProblem(type: TargetingType, operator: OperatorType): ApiError | undefined {
  const allowed = TARGETING[type].operators;
  if (allowed.includes(operator)) return undefined;
  const problem = `Expected a value in ${allowed.join(', ')}, got ${quotedValue(operator)} for operator_type`;
  return invalid('operator_type', problem, { value: operator, details: `with targeting_type ${type}` });
}

const operators: SetRule = (criteria, refuse) => {
  for (const [i, { targeting_type: type, operator_type: operator }] of criteria.entries()) {
    const problem = operatorProblem(type, operator);
    if (problem) refuse(i, problem);
  }
};

const limits: SetRule = (criteria, refuse, { curatedIn }) => {
  const counted = new Map<string, number>();
  const publishers = MAX_PUBLISHERS[curatedIn ? 'withCuratedCategory' : 'otherwise'];
  for (const [i, { targeting_type: type }] of criteria.entries()) {
    const { limit } = TARGETING[type];
    const isOther = limit === 'criteria of each other type';
    const name = isOther ? `criteria of ${type}` : limit;
    const max = type === 'CONTENT_PUBLISHER_USER' ? publishers : LIMITS[limit];
    const count = (counted.get(name) ?? 0) + 1;
    counted.set(name, count);
    if (count > max) refuse(i, tooMany(type, `${max} ${max === 1 ? name.replace(/s$/, '') : name}`));
    else if (i >= MAX_CRITERIA) refuse(i, tooMany(type, `${MAX_CRITERIA} criteria`));
  }
};

const tooMany = (type: TargetingType, max: string) =>
  invalid('targeting_type', `A line item can have at most ${max}`, { value: type });

const duplicates: SetRule = (criteria, refuse) => {
  const known = new Map<string, OperatorType>();
  for (const [i, criterion] of criteria.entries()) {
    const { targeting_type: type, targeting_value: value, operator_type: operator } = criterion;
    const key = criterionKeyOf(criterion);
    const before = known.get(key);
    known.set(key, before ?? operator);
    if (before === undefined) continue;
    const isOnce = before === operator;
    const problem = isOnce ? 'is already a criterion of the line item' : `is already a criterion with ${before}`;
    refuse(i, invalid('targeting_value', `${type} ${quotedValue(value)} ${problem}`, { value }));
  }
};

/** A line item cannot target both an audience and its lookalike. */
const lookalikes: SetRule = (criteria, refuse) => {
  const known = new Map<string, TargetingType>();
  for (const [i, { targeting_type: type, targeting_value: value }] of criteria.entries()) {
    const { lookalikeOf } = TARGETING[type];
    if (lookalikeOf === undefined && !HAVE_LOOKALIKES.has(type)) continue;
    const key = `${lookalikeOf ?? type} ${value}`;
    const before = known.get(key);
    known.set(key, before ?? type);
    if (before === undefined || before === type) continue;
    refuse(i, invalid('targeting_value', `${type} and ${before} cannot both be of ${quotedValue(value)}`, { value }));
  }
};

const HAVE_LOOKALIKES = new Set(Object.values(TARGETING).flatMap(({ lookalikeOf }) => lookalikeOf ?? []));

/** The targeted locations, with their countries. */
const locationsIn = (criteria: readonly SetCriterion[]) =>
  criteria.flatMap((criterion, i) => {
    const { targeting_type: type, targeting_value: value } = criterion;
    const found = type === 'LOCATION' && isTargeted(criterion) ? locationAt(value) : undefined;
    return found ? [{ i, value, country: found.countryCode }] : [];
  });

/** TV shows require at least one location in their market and allow no location outside it. */
const tvShows: SetRule = (criteria, refuse) => {
  const shows = criteria.flatMap(({ targeting_type: type, targeting_value: value }, i) =>
    type === 'TV_SHOW' ? [{ i, value, market: marketOf(value) }] : [],
  );
  if (shows.length === 0) return;
  const locations = locationsIn(criteria);
  if (locations.length === 0) {
    for (const { i, value } of shows) refuse(i, invalidTvShowLocations(value));
    return;
  }
  const countries = new Map<string, { first: number; refusedBy?: (typeof shows)[number] }>();
  for (const { i, country } of locations) if (!countries.has(country)) countries.set(country, { first: i });
  for (const show of shows) {
    for (const [country, known] of countries) {
      if (show.market.has(country)) continue;
      known.refusedBy ??= show;
      if (known.first < show.i) {
        refuse(show.i, tvShowOutsideMarket(show.value, [...show.market]));
        break;
      }
    }
  }
  for (const { i, value, country } of locations) {
    const show = countries.get(country)!.refusedBy;
    if (show && show.i < i) refuse(i, tvShowOutsideMarket(show.value, [...show.market], value));
  }
};

/** The countries of a show's markets. */
const marketOf = (show: string): ReadonlySet<string> =>
  new Set((TV_SHOWS.at(show)?.locales ?? []).map((locale) => interestPartsOf(locale).country));

const engagements: SetRule = (criteria, refuse) => {
  if (criteria.some(({ targeting_type: type }) => (ENGAGEMENT_TYPES_OF as readonly string[]).includes(type))) return;
  for (const [i, { targeting_type: type, targeting_value: value }] of criteria.entries()) {
    if (type !== 'ENGAGEMENT_TYPE') continue;
    const details = `a criterion of ${ENGAGEMENT_TYPES_OF.join(', ')}`;
    refuse(
      i,
      invalid('targeting_type', 'ENGAGEMENT_TYPE requires a criterion that defines the engagement', { value, details }),
    );
  }
};

/**
 * A platform includes all its devices, so a device of the same platform has no effect. Versions and devices of other
 * platforms do.
 */
const platforms: SetRule = (criteria, refuse) => {
  const [platform, device] = [new Set<string>(), new Set<string>()];
  for (const [i, criterion] of criteria.entries()) {
    const { targeting_type: type, targeting_value: value } = criterion;
    if (!isTargeted(criterion) || (type !== 'PLATFORM' && type !== 'DEVICE')) continue;
    const targeted = type === 'PLATFORM' ? undefined : DEVICES.at(value);
    const of = type === 'PLATFORM' ? value : targeted && PLATFORM_OF[targeted.osType];
    if (of === undefined) continue;
    (type === 'PLATFORM' ? platform : device).add(of);
    if (!(type === 'PLATFORM' ? device : platform).has(of)) continue;
    const name = PLATFORMS.at(of)?.name ?? of;
    const problem =
      type === 'PLATFORM'
        ? `The platform ${name} includes a targeted device`
        : `The device ${targeted!.name} belongs to the targeted platform ${name}`;
    refuse(i, invalid('targeting_value', problem, { value, details: 'target either the platform or its devices' }));
  }
};

/** A curated category already determines the content that ads are shown next to. One of the targeted countries must have it. */
const curated: SetRule = (criteria, refuse, { curatedIn }) => {
  if (!curatedIn) return;
  for (const [i, { targeting_type: type, targeting_value: value }] of criteria.entries()) {
    if (type === 'IAB_CATEGORY') refuse(i, exclusiveOfCurated(value));
  }
  const locations = locationsIn(criteria);
  if (locations.some(({ country }) => curatedIn.includes(country))) return;
  for (const { i, value } of locations) refuse(i, outsideOfCurated(value, curatedIn));
};

const outsideOfCurated = (value: string, countries: readonly string[]) =>
  invalid('targeting_value', 'The curated category of the line item is not available in the targeted countries', {
    value,
    details: `it is available in ${countries.join(', ')}: target one of these, too`,
  });

const exclusiveOfCurated = (value: string) =>
  new ApiError(400, 'EXCLUSIVE_PARAMETERS', 'A curated category and IAB_CATEGORY are exclusive', {
    parameter: 'targeting_type',
    value,
  });

/** An activation range: at most one criterion for its start and one for its end, and the end is after the start. */
const activations: SetRule = (criteria, refuse) => {
  const known = new Map<OperatorType, string>();
  for (const [i, criterion] of criteria.entries()) {
    const { targeting_type: type, targeting_value: value, operator_type: operator } = criterion;
    if (type !== 'NETWORK_ACTIVATION_DURATION') continue;
    if (known.has(operator)) refuse(i, tooMany(type, `1 criterion of ${type} with ${operator}`));
    else known.set(operator, value);
    const [from, to] = [known.get('GTE'), known.get('LT')];
    if (from === undefined || to === undefined || Number(from) < Number(to)) continue;
    const details = `GTE ${from} and LT ${to} match nobody`;
    refuse(i, invalid('targeting_value', 'Expected LT to be above GTE for targeting_value', { value, details }));
  }
};

const RULES: readonly SetRule[] = [
  operators,
  limits,
  duplicates,
  lookalikes,
  tvShows,
  engagements,
  platforms,
  curated,
  activations,
];
