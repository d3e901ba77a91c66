import { COUNTRIES } from '../../audiences/locations/countries.js';
import { countryCodeHint, LOCATION_TYPES, type LocationType } from '../../audiences/locations/locations.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  EnumList,
  withCheck,
  Field,
  Int,
  listSchema,
  OneOf,
  list,
  text,
  Text,
  Timestamp,
  type FieldRules,
  type Kind,
  word,
} from '../../common/http/params/fields.js';
import { didYouMean } from '../../common/http/hints/nearest.js';
import { expectedError } from '../../common/http/params/refusals.js';
import { EVENT_TYPES, type TargetingEventType } from '../targeting-values/events.rules.js';
import {
  APP_STORES,
  CONVERSATION_TYPES,
  TV_MARKETS,
  type AppStore,
  type ConversationType,
} from '../targeting-values/targeting-lists.js';

/** A query of this length can match a single place. */
const MAX_QUERY_LENGTH = 255;

/** A filter by name. Each word is a prefix of a word of the name, regardless of case and accents. */
const Query = (rules: FieldRules = {}) => Text({ max: MAX_QUERY_LENGTH, optional: true, ...rules });

const known = new Set(COUNTRIES.map(({ code }) => code));

/** An ISO 3166-1 alpha-2 code, case-insensitive. */
const country: Kind = {
  ...word('a country in ISO 3166-1 alpha-2', (code) => known.has(code), {
    details: (given) => (typeof given === 'string' && given.length === 2 ? 'such as US or DE' : undefined),
    hint: countryCodeHint,
  }),
  convert: (given) => (typeof given === 'string' && given.length === 2 ? given.toUpperCase() : given),
};

const COUNTRY = { type: String, pattern: '^[A-Za-z]{2}$' };
const CountryCode = (rules: FieldRules = {}) => Field(country, { optional: true, example: 'US', ...rules }, COUNTRY);

/** The locale of a market where shows can be targeted. */
const locale = withCheck(text(), 'a locale', (given) => TV_MARKETS.at(given) !== undefined, {
  error: (given, place) => {
    const locales = TV_MARKETS.all().map(({ value }) => value);
    return expectedError(`a locale in ${locales.join(', ')}`, given, place).hinted(() => didYouMean(given, locales));
  },
});

const language: Kind = {
  ...word('a language in ISO 639-1', (code) => /^[a-z]{2}$/.test(code), { details: 'two letters, such as de' }),
  convert: (given) => (typeof given === 'string' ? given.toLowerCase() : given),
};

/** An ISO 639-1 language code, such as de. */
export const Lang = (rules: FieldRules = {}) =>
  Field(language, { optional: true, example: 'de', ...rules }, { type: String, pattern: '^[A-Za-z]{2}$' });

/** The parameters of paginated look-ups. */
class PagedLookUp {
  /** Maximum number of items per page. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
}

export class ListAppStoreCategories {
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'music' }) q?: string;
  /** Filters by store. Defaults to both stores. */
  @OneOf(APP_STORES, { optional: true }) os_type?: AppStore;
}

export class ListConversations extends PagedLookUp {
  /** Filters by conversation type. */
  @OneOf(CONVERSATION_TYPES, { optional: true }) conversation_type?: ConversationType;
}

export class ListDevices {
  /** Maximum number of devices in the response. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'iphone' }) q?: string;
}

/** Events are filtered by a time range. */
const window = ({ start_time, end_time }: Pick<ListEvents, 'start_time' | 'end_time'>) =>
  start_time !== undefined && end_time !== undefined && end_time <= start_time
    ? invalidTimeWindow('end_time', 'end_time must be after start_time', end_time)
    : undefined;

@Rule(['start_time', 'end_time'], window)
@Example({ event_types: ['HOLIDAY', 'SPORTS'] })
export class ListEvents extends PagedLookUp {
  /** Filters by event types. */
  @EnumList(EVENT_TYPES) event_types: TargetingEventType[];
  /** Filters by countries. Global events are always included. Defaults to all countries. */
  @Field(
    list(country),
    { optional: true, example: ['US'] },
    listSchema({ type: 'string', pattern: COUNTRY.pattern }, { min: 1, max: 200 }),
  )
  country_codes?: string[];
  /** Returns only events that have not ended at this time. Defaults to now. */
  @Timestamp({ optional: true }) start_time?: string;
  /** Returns only events that begin before this time. Defaults to three years later. */
  @Timestamp({ optional: true }) end_time?: string;
}

export class ListInterests extends PagedLookUp {
  /** Filters by the name of the interest and its parent. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'books' }) q?: string;
}

export class ListLanguages extends PagedLookUp {
  /** Filters by English name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'english' }) q?: string;
}

export class ListLocations extends PagedLookUp {
  /** Filters by location type. */
  @OneOf(LOCATION_TYPES, { optional: true }) location_type?: LocationType;
  /** Filters by country, as an ISO 3166-1 alpha-2 code. */
  @CountryCode() country_code?: string;
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'los angeles' }) q?: string;
}

export class ListNetworkOperators extends PagedLookUp {
  /** The country of the network operators, as an ISO 3166-1 alpha-2 code. */
  @CountryCode({ default: 'US' }) country_code: string = 'US';
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'mobile' }) q?: string;
}

export class ListPlatformVersions {
  /** Filters by name or version number. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'nougat' }) q?: string;
}

export class ListPlatforms {
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'ios' }) q?: string;
  /** Maximum number of platforms in the response. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** Adds `localized_name`, the name of the value in this language, if it is known. */
  @Lang() lang?: string;
}

@Example({ locale: 'en-US' })
export class ListTvShows {
  /** The market of the shows: the `locale` of a TV market. */
  @Field(locale, { example: 'en-US' }, { type: String })
  locale: string;
  /** Filters by name. Each word of the query is a prefix of a word of the name. */
  @Query({ example: 'news' }) q?: string;
  /** Maximum number of items per page. */
  @Int({ optional: true, min: 1, max: 50, default: 50 }) count: number = 50;
  /** The `next_cursor` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
}
