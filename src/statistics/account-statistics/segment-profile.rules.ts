import { locationAt, type LocationType } from '../../audiences/locations/locations.js';
import {
  DEVICES,
  LANGUAGES,
  PLATFORM_OF,
  PLATFORM_VERSIONS,
  PLATFORMS,
} from '../../campaigns/targeting-values/targeting-lists.js';
import type { TargetingType } from '../../campaigns/targeting-values/targeting-types.js';
import { nameOfValue } from '../../campaigns/targeting-values/value-names.js';
import { fnv1a } from '../../common/values/fnv1a.js';
import type { AudienceCriterion } from '../facts/delivery-audience.entity.js';
import type { Outside } from './apportion.rules.js';
import type { StatisticsSegment } from './metrics.js';
import { AudienceCriteria, AudiencePlaces, sumOfShares, type PlaceUsers } from './segment-places.rules.js';
import {
  SEGMENT_AGES,
  SEGMENT_GENDERS,
  LANGUAGE_WEIGHTS,
  osOf,
  PLATFORM_WEIGHTS,
  TARGETED,
  TRAITS,
  UNKNOWN_AGE,
  UNKNOWN_GENDER,
  versionWeight,
} from './segment-tables.js';
import type { Segmentation, SegmentationType } from './segmentation.js';

/** A segment with its weight, a whole number of at least one. */
interface WeightedSegment extends StatisticsSegment {
  weight: number;
}

/** The division of the users of an audience among segments. Without a segment, all of them are elsewhere. */
export interface SegmentProfile {
  segments: readonly WeightedSegment[];
  /** Absent if each user is in a segment. */
  outside?: Outside;
}

/** A segment with any weight above zero. */
interface Part extends StatisticsSegment {
  users: number;
}

/** The parts of an audience, and its other users in the same measure. */
interface Division {
  parts: Part[];
  others?: number;
}

/** The criteria on which the segments of a type depend. */
export function criteriaFor(type: SegmentationType, criteria: readonly AudienceCriterion[]): AudienceCriterion[] {
  const types: readonly string[] = TARGETED[type] ?? TRAITS[type] ?? [];
  return criteria.filter(([each]) => types.includes(each));
}

/** The segments of an audience. The same criteria have the same segments, whatever their order. */
export function segmentProfile(criteria: readonly AudienceCriterion[], segmentation: Segmentation): SegmentProfile {
  const { parts, others = 0 } = divided(new AudienceCriteria(criteria), segmentation);
  const users = sumOfShares(parts);
  if (users === 0) return { segments: [] };
  const segments = [...parts]
    .sort(sortedByKey)
    .map(({ name, value, users: own }) => ({ name, value, weight: weightOf(own, users) }));
  if (others === 0) return { segments };
  const inside = Math.min(SHARES - 1, weightOf(users, users + others));
  return { segments, outside: { inside, outside: SHARES - inside } };
}

/** Segments are in the order of their values. Users of an unknown trait come last. */
export function sortedByKey({ value: one }: StatisticsSegment, { value: other }: StatisticsSegment): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}

/** Weights are shares of this number. Short periods make long counts fast to divide. */
const SHARES = 1_000;
const weightOf = (users: number, all: number): number => Math.max(1, Math.round((users * SHARES) / all));

function divided(criteria: AudienceCriteria, segmentation: Segmentation): Division {
  const { type } = segmentation;
  switch (type) {
    case 'AGE':
      return agesOf(criteria);
    case 'GENDER':
      return gendersOf(criteria);
    case 'LANGUAGES':
      return { parts: languagesOf(criteria) };
    case 'LOCATIONS':
      return { parts: partsAt(new AudiencePlaces(criteria).byCountry()) };
    case 'CITIES':
    case 'METROS':
    case 'POSTAL_CODES':
    case 'REGIONS':
      return placesOf(criteria, type, segmentation.country);
    case 'PLATFORMS':
      return { parts: platformsOf(criteria) };
    case 'DEVICES':
    case 'PLATFORM_VERSIONS':
      return ofPlatform(criteria, type, segmentation.platform ?? '');
    case 'CONVERSION_TAGS':
      return { parts: [] };
    default:
      return { parts: targetedOf(criteria, TARGETED[type] ?? []) };
  }
}

const unknown = (users: number): Part => ({ name: null, value: null, users });

/** The age of some users is unknown. Audiences with an age do not contain them. */
function agesOf(criteria: AudienceCriteria): Division {
  const ranges = [...criteria.including('AGE')].map(yearsOf);
  const parts = SEGMENT_AGES.filter(({ first, last }) => ranges.length === 0 || ranges.some((range) => range.first <= first && last <= range.last)); // prettier-ignore
  const known = parts.map(({ name, value, weight }) => ({ name, value, users: weight }));
  return { parts: ranges.length > 0 ? known : [...known, unknown(UNKNOWN_AGE)] };
}

/** The first and the last year of a range such as AGE_18_TO_34 or AGE_OVER_50. */
function yearsOf(value: string): { first: number; last: number } {
  const [first, last = Infinity] = (value.match(/\d+/g) ?? []).map(Number);
  return { first: first ?? Infinity, last };
}

function gendersOf(criteria: AudienceCriteria): Division {
  const known = SEGMENT_GENDERS.filter(({ value }) => criteria.allows('GENDER', value));
  const parts: Part[] = known.map(({ name, value, weight }) => ({ name, value, users: weight }));
  return { parts: criteria.including('GENDER').size > 0 ? parts : [...parts, unknown(UNKNOWN_GENDER)] };
}

const languagesOf = (criteria: AudienceCriteria): Part[] =>
  LANGUAGES.all()
    .filter(({ value }) => criteria.allows('LANGUAGE', value))
    .map(({ name, value }) => ({ name, value, users: LANGUAGE_WEIGHTS[value] ?? 1 }));

const partsAt = (inhabited: readonly PlaceUsers[]): Part[] =>
  inhabited.map(({ place: { name, value }, users }) => ({ name, value, users }));

function placesOf(criteria: AudienceCriteria, type: LocationType, country: string | undefined): Division {
  const place = locationAt((country ?? '').toLowerCase());
  if (!place) return { parts: [] };
  const audience = new AudiencePlaces(criteria);
  const parts = partsAt(audience.within(place, type));
  // the parts of a whole are rounded
  const others = sumOfShares(audience.all) - sumOfShares(parts);
  return { parts, others: others < 1 ? 0 : others };
}

/** A user has one platform. One whose devices are targeted has only the users of these. */
function platformsOf(criteria: AudienceCriteria): Part[] {
  const devices = targetedDevices(criteria);
  const platforms = criteria.including('PLATFORM');
  const versions = new Set([...criteria.including('PLATFORM_VERSION')].map((value) => platformOf(PLATFORM_VERSIONS.at(value)))); // prettier-ignore
  return PLATFORMS.all().flatMap(({ name, value }) => {
    if (criteria.excluding('PLATFORM').has(value) || (versions.size > 0 && !versions.has(value))) return [];
    const users = PLATFORM_WEIGHTS[value];
    if (platforms.has(value) || (platforms.size === 0 && devices.size === 0)) return [{ name, value, users }];
    const own = DEVICES.all().filter((device) => platformOf(device) === value);
    const part = own.filter((device) => devices.has(device.value)).length;
    return part > 0 ? [{ name, value, users: (users * part) / own.length }] : [];
  });
}

const platformOf = (item: { osType: keyof typeof PLATFORM_OF } | undefined): string | undefined =>
  item && PLATFORM_OF[item.osType];

const targetedDevices = (criteria: AudienceCriteria): ReadonlySet<string> => criteria.including('DEVICE');

/** The devices or the versions of a platform. Users of other platforms are in none of them. */
function ofPlatform(criteria: AudienceCriteria, type: 'DEVICES' | 'PLATFORM_VERSIONS', platform: string): Division {
  const platforms = platformsOf(criteria);
  const own = platforms.find(({ value }) => value === platform);
  const os = osOf(platform);
  if (!own || !os) return { parts: [] };
  const parts = type === 'DEVICES' ? devicesOf(criteria, platform) : versionsOf(criteria, platform);
  const scale = own.users / sumOfShares(parts);
  return {
    parts: parts.map((part) => ({ ...part, users: part.users * scale })),
    others: sumOfShares(platforms) - own.users,
  };
}

function devicesOf(criteria: AudienceCriteria, platform: string): Part[] {
  const isWhole = criteria.including('PLATFORM').has(platform) || targetedDevices(criteria).size === 0;
  return DEVICES.all()
    .filter((device) => platformOf(device) === platform && !criteria.excluding('DEVICE').has(device.value))
    .filter(({ value }) => isWhole || targetedDevices(criteria).has(value))
    .map(({ name, value }) => ({ name, value, users: varied(value, 5) }));
}

const versionsOf = (criteria: AudienceCriteria, platform: string): Part[] =>
  PLATFORM_VERSIONS.all()
    .filter((version) => platformOf(version) === platform)
    .map(({ name, value }, i) => ({ name, value, users: versionWeight(i + 1) }))
    .filter(({ value }) => criteria.allows('PLATFORM_VERSION', value));

/** Values that users must have: each user counts for one of them. */
const targetedOf = (criteria: AudienceCriteria, types: readonly TargetingType[]): Part[] => {
  const named = types.flatMap((type) =>
    [...criteria.including(type)].map((value): [string, string] => [value, nameOfValue(type, value) ?? value]),
  );
  return [...new Map(named)].map(([value, name]) => ({ name, value, users: varied(value, 3) }));
};

/** A number from 1 to `most` that follows from a value. */
const varied = (value: string, max: number): number => 1 + (fnv1a(value) % max);
