import { locationAt, TARGETED_COUNTRIES } from '../../audiences/locations/locations.js';
import { PLATFORMS } from '../../campaigns/targeting-values/targeting-lists.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { GROUPS, METRIC_GROUPS, type MetricGroup, type StatisticsEntity } from './metrics.js';
import { WITHIN_COUNTRY, WITHIN_PLATFORM, type Segmentation, type SegmentationType } from './segmentation.js';

/** The parameters of statistics on which segments depend, each with a valid value of its own. */
export interface AskedSegmentation {
  entity: StatisticsEntity;
  metric_groups: readonly MetricGroup[];
  segmentation_type?: SegmentationType;
  country?: string;
  platform?: string;
}

/** Entities whose statistics have no segments. */
const WHOLE: ReadonlySet<StatisticsEntity> = new Set(['MEDIA_CREATIVE', 'ORGANIC_POST']);

/**
 * The only types that divide a group. All types but CONVERSION_TAGS divide the other groups. Requests may name groups that
 * their type does not divide, and get null for them; CONVERSION_TAGS belongs to its one group.
 */
const TYPES_OF: Partial<Record<MetricGroup, readonly SegmentationType[]>> = {
  LIFE_TIME_VALUE_MOBILE_CONVERSION: [],
  WEB_CONVERSION: ['PLATFORMS', 'CONVERSION_TAGS'],
};

const divides = (type: SegmentationType, group: MetricGroup): boolean =>
  TYPES_OF[group]?.includes(type) ?? type !== 'CONVERSION_TAGS';

/** Everything that is wrong with the segments that a request asks for; nothing without a `segmentation_type`. */
export function segmentationProblems(asked: AskedSegmentation): ApiError[] {
  const { segmentation_type: type, entity, metric_groups: groups } = asked;
  if (type === undefined) return [];
  const divided = groupsDividedBy(type, entity);
  if (divided.length === 0) return [entityWithout(type, entity)];
  const undivided =
    type === 'CONVERSION_TAGS' ? groups.filter((group) => GROUPS[entity][group] && !divided.includes(group)) : [];
  return [
    ...undivided.map((group) => groupWithout(type, divided, group)),
    ...(WITHIN_COUNTRY.has(type) ? countryProblems(type, asked.country) : []),
    ...(WITHIN_PLATFORM.has(type) ? platformProblems(type, asked.platform) : []),
  ];
}

/** The groups of an entity that a type divides; none if its statistics have no such segments. */
export const groupsDividedBy = (type: SegmentationType, entity: StatisticsEntity): MetricGroup[] =>
  WHOLE.has(entity) ? [] : groupsOf(entity).filter((group) => divides(type, group));

/** The segmentation of a valid request; undefined without one. Values that the type ignores are left out. */
export function segmentationOf(asked: AskedSegmentation): Segmentation | undefined {
  const { segmentation_type: type, country, platform } = asked;
  if (type === undefined) return undefined;
  if (WITHIN_COUNTRY.has(type)) return { type, country: country?.toLowerCase() };
  return WITHIN_PLATFORM.has(type) ? { type, platform } : { type };
}

const groupsOf = (entity: StatisticsEntity): MetricGroup[] =>
  METRIC_GROUPS.filter((group) => GROUPS[entity][group] !== undefined);

const entityWithout = (type: SegmentationType, entity: StatisticsEntity): ApiError =>
  invalid('segmentation_type', `The entity ${entity} has no segments of ${type}`, { value: type });

const groupWithout = (type: SegmentationType, divided: readonly MetricGroup[], group: MetricGroup): ApiError =>
  invalid('metric_groups', `Expected a value in ${divided.join(', ')}, got "${group}" for metric_groups`, {
    value: group,
    details: `${type} does not divide this group`,
  });

function countryProblems(type: SegmentationType, country: string | undefined): ApiError[] {
  if (country === undefined) return [missing('country', `${type} are the parts of a country`)];
  if (locationAt(country.toLowerCase())?.type === 'COUNTRIES') return [];
  const details = 'GET /12/targeting_criteria/locations?location_type=COUNTRIES lists them';
  const refused = expectedError('the targeting value of a country', country, 'country', details);
  return [refused.hinted(TARGETED_COUNTRIES.meantBy(country))];
}

function platformProblems(type: SegmentationType, platform: string | undefined): ApiError[] {
  if (platform === undefined) return [missing('platform', `${type} belong to a platform`)];
  if (PLATFORMS.at(platform)) return [];
  const details = 'GET /12/targeting_criteria/platforms lists them';
  return [
    expectedError('the targeting value of a platform', platform, 'platform', details).hinted(
      PLATFORMS.meantBy(platform),
    ),
  ];
}
