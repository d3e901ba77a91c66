import { closedSet } from '../../common/values/closed-set.js';

/** The types of segmentation. */
export const SEGMENTATION_TYPES = closedSet('SegmentationType', [
  'AGE',
  'APP_STORE_CATEGORY',
  'AUDIENCES',
  'CITIES',
  'CONVERSATIONS',
  'CONVERSION_TAGS',
  'DEVICES',
  'EVENTS',
  'GENDER',
  'INTERESTS',
  'KEYWORDS',
  'LANGUAGES',
  'LOCATIONS',
  'METROS',
  'PLATFORMS',
  'PLATFORM_VERSIONS',
  'POSTAL_CODES',
  'REGIONS',
  'SIMILAR_TO_FOLLOWERS_OF_USER',
  'TV_SHOWS',
]);
export type SegmentationType = (typeof SEGMENTATION_TYPES)[number];

/** The division of statistics. Types within a country or a platform have its targeting value. */
export interface Segmentation {
  type: SegmentationType;
  country?: string;
  platform?: string;
}

/** The types whose segments are the parts of a country. */
export const WITHIN_COUNTRY: ReadonlySet<SegmentationType> = new Set(['CITIES', 'METROS', 'POSTAL_CODES', 'REGIONS']);

/** The types whose segments belong to a platform. */
export const WITHIN_PLATFORM: ReadonlySet<SegmentationType> = new Set(['DEVICES', 'PLATFORM_VERSIONS']);
