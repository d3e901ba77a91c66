import { ApiError } from '../../common/errors/api-error.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Field, OneOf, Text, text, withCheck, type FieldRules } from '../../common/http/params/fields.js';
import { mainTimeZone } from '../../common/time/time-zones.js';
import {
  FEED_FORMATS,
  FEED_FREQUENCIES,
  type FeedFormat,
  type FeedFrequency,
} from '../entities/scheduled-feed.entity.js';
import { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { repeatOf } from './schedule.rules.js';

const HOUR_AND_MINUTE = { pattern: /^([01][0-9]|2[0-3]):[0-5][0-9]$/, what: 'a time of the day such as 06:30' };
const URL_RULES = { max: 2_048, trimmed: true, example: 'https://shop.example/products.csv' } as const;
const REPEAT = { nullable: true, max: 20, trimmed: true, orNumber: true } as const;
const START_TIME = { max: 5, trimmed: true, matching: HOUR_AND_MINUTE, example: '06:30' } as const;

const timeZone = withCheck(
  text({ min: 1, max: 64, trimmed: true }),
  'a time zone of IANA such as Europe/Berlin',
  (name) => mainTimeZone(name) !== undefined,
);
const TimeZone = (rules: FieldRules = {}) => Field(timeZone, { example: 'Europe/Berlin', ...rules }, { type: String });

const fits = ({ frequency, repeat }: Pick<CreateScheduledFeed, 'frequency' | 'repeat'>) => {
  const checked = repeatOf(frequency, repeat);
  return checked instanceof ApiError ? checked : undefined;
};

@Rule(['frequency', 'repeat'], fits)
@Example({
  feed_url: 'https://shop.example/products.csv',
  feed_format: 'CSV',
  frequency: 'DAILY',
  start_time: '06:30',
  time_zone: 'Europe/Berlin',
})
export class CreateScheduledFeed extends CatalogUser {
  /** The file, as long as 8 GB: https on a public host, without a port. */
  @Text(URL_RULES) feed_url: string;
  /** What the file is: CSV, TSV, or XML in RSS 2.0 or Atom. */
  @OneOf(FEED_FORMATS) feed_format: FeedFormat;
  /** How often it is fetched. */
  @OneOf(FEED_FREQUENCIES) frequency: FeedFrequency;
  /** For HOURLY, every how many hours: 1, 2, 3, 4, 6, 8 or 12, by default 1. For WEEKLY, the weekday. Not for DAILY. */
  @Text(REPEAT) repeat?: string | null;
  /** When the first fetch of a day begins, as HH:MM. */
  @Text(START_TIME) start_time: string;
  /** The time zone of `start_time`. */
  @TimeZone() time_zone: string;
}

@Example({ frequency: 'HOURLY', repeat: '6' })
export class UpdateScheduledFeed extends CatalogUser {
  /** The file, as long as 8 GB: https on a public host, without a port. */
  @Text({ ...URL_RULES, optional: true }) feed_url?: string;
  /** What the file is: CSV, TSV, or XML in RSS 2.0 or Atom. */
  @OneOf(FEED_FORMATS, { optional: true }) feed_format?: FeedFormat;
  /** How often it is fetched. */
  @OneOf(FEED_FREQUENCIES, { optional: true }) frequency?: FeedFrequency;
  /** For HOURLY, every how many hours: 1, 2, 3, 4, 6, 8 or 12. For WEEKLY, the weekday. With another `frequency` it is set anew. */
  @Text(REPEAT) repeat?: string | null;
  /** When the first fetch of a day begins, as HH:MM. */
  @Text({ ...START_TIME, optional: true }) start_time?: string;
  /** The time zone of `start_time`. */
  @TimeZone({ optional: true }) time_zone?: string;
}
