import { COUNTRIES } from '../../audiences/locations/countries.js';
import { LOCATION_TYPES, type LocationType } from '../../audiences/locations/locations.js';
import { invalidTimeWindow } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import {
  EnumList,
  expecting,
  Field,
  Int,
  listOf,
  OneOf,
  several,
  text,
  Text,
  Timestamp,
  type FieldRules,
  type Kind,
  word,
} from '../../common/http/params/fields.js';
import { didYouMean } from '../../common/http/hints/nearest.js';
import { expected } from '../../common/http/params/refusals.js';
import { EVENT_TYPES, type EventType } from '../targeting-values/events.rules.js';
import {
  APP_STORES,
  CONVERSATION_TYPES,
  TV_MARKETS,
  type AppStore,
  type ConversationType,
} from '../targeting-values/targeting-lists.js';

/** As many words find one place. */
const MAX_QUERY_LENGTH = 255;

/** What a name has to have: words that begin like these, whatever their case and accents. */
const Query = (rules: FieldRules = {}) => Text({ max: MAX_QUERY_LENGTH, optional: true, ...rules });

const known = new Set(COUNTRIES.map(({ code }) => code));

/** ISO 3166-1 alpha-2, in any case. */
const country: Kind = {
  ...word('a country in ISO 3166-1 alpha-2', (code) => known.has(code), {
    details: (given) => (typeof given === 'string' && given.length === 2 ? 'such as US or DE' : undefined),
  }),
  convert: (given) => (typeof given === 'string' && given.length === 2 ? given.toUpperCase() : given),
};

const COUNTRY = { type: String, pattern: '^[A-Za-z]{2}$' };
const CountryCode = (rules: FieldRules = {}) => Field(country, { optional: true, example: 'US', ...rules }, COUNTRY);

/** One of the markets where shows can be targeted. */
const locale = expecting(text(), 'a locale', (given) => TV_MARKETS.at(given) !== undefined, {
  error: (given, place) => {
    const locales = TV_MARKETS.all().map(({ value }) => value);
    return expected(`a locale in ${locales.join(', ')}`, given, place).hinted(() => didYouMean(given, locales));
  },
});

const language: Kind = {
  ...word('a language in ISO 639-1', (code) => /^[a-z]{2}$/.test(code), { details: 'two letters, such as de' }),
  convert: (given) => (typeof given === 'string' ? given.toLowerCase() : given),
};

/** A language of ISO 639-1, such as de. */
export const Lang = (rules: FieldRules = {}) =>
  Field(language, { optional: true, example: 'de', ...rules }, { type: String, pattern: '^[A-Za-z]{2}$' });

/** The parameters of look-ups that page. */
class PagedLookUp {
  /** How many items a page has at most. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** The `next_cursor` of the page before, with otherwise the same parameters. */
  @Text({ optional: true, max: 2000 }) cursor?: string;
}

export class ListAppStoreCategories {
  /** Only categories whose name has words that begin like these. */
  @Query({ example: 'music' }) q?: string;
  /** Only those of this store; of both unless given. */
  @OneOf(APP_STORES, { optional: true }) os_type?: AppStore;
}

export class ListConversations extends PagedLookUp {
  /** Only conversations of this kind. */
  @OneOf(CONVERSATION_TYPES, { optional: true }) conversation_type?: ConversationType;
}

export class ListDevices {
  /** How many devices are answered at most. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** Only devices whose name has words that begin like these. */
  @Query({ example: 'iphone' }) q?: string;
}

/** An event is on between two moments. */
const window = ({ start_time, end_time }: Pick<ListEvents, 'start_time' | 'end_time'>) =>
  start_time !== undefined && end_time !== undefined && end_time <= start_time
    ? invalidTimeWindow('end_time', 'end_time must be after start_time', end_time)
    : undefined;

@Rule(['start_time', 'end_time'], window)
@Example({ event_types: ['HOLIDAY', 'SPORTS'] })
export class ListEvents extends PagedLookUp {
  /** Only events of these kinds. */
  @EnumList(EVENT_TYPES) event_types: EventType[];
  /** Only events of these countries, and those of the whole world; of all countries unless given. */
  @Field(
    several(country),
    { optional: true, example: ['US'] },
    listOf({ type: 'string', pattern: COUNTRY.pattern }, { min: 1, max: 200 }),
  )
  country_codes?: string[];
  /** Only events that are not over then; now, unless given. */
  @Timestamp({ optional: true }) start_time?: string;
  /** Only events that begin before; three years later unless given. */
  @Timestamp({ optional: true }) end_time?: string;
}

export class ListInterests extends PagedLookUp {
  /** Only interests whose name, with that of their parent, has words that begin like these. */
  @Query({ example: 'books' }) q?: string;
}

export class ListLanguages extends PagedLookUp {
  /** Only languages whose English name has words that begin like these. */
  @Query({ example: 'english' }) q?: string;
}

export class ListLocations extends PagedLookUp {
  /** Only places of this kind. */
  @OneOf(LOCATION_TYPES, { optional: true }) location_type?: LocationType;
  /** Only places in this country: ISO 3166-1 alpha-2. */
  @CountryCode() country_code?: string;
  /** Only places whose name has words that begin like these. */
  @Query({ example: 'los angeles' }) q?: string;
}

export class ListNetworkOperators extends PagedLookUp {
  /** The country whose operators are looked up: ISO 3166-1 alpha-2. */
  @CountryCode({ default: 'US' }) country_code: string = 'US';
  /** Only operators whose name has words that begin like these. */
  @Query({ example: 'mobile' }) q?: string;
}

export class ListPlatformVersions {
  /** Only versions whose name or number has words that begin like these. */
  @Query({ example: 'nougat' }) q?: string;
}

export class ListPlatforms {
  /** Only platforms whose name has words that begin like these. */
  @Query({ example: 'ios' }) q?: string;
  /** How many platforms are answered at most. */
  @Int({ optional: true, min: 1, max: 1000, default: 200 }) count: number = 200;
  /** Adds `localized_name`: what it is called in this language, where that is known. */
  @Lang() lang?: string;
}

@Example({ locale: 'en-US' })
export class ListTvShows {
  /** The market where they are shown: a `locale` of TV markets. */
  @Field(locale, { example: 'en-US' }, { type: String })
  locale: string;
  /** Only shows whose name has words that begin like these. */
  @Query({ example: 'news' }) q?: string;
  /** How many items a page has at most. */
  @Int({ optional: true, min: 1, max: 50, default: 50 }) count: number = 50;
  /** The `next_cursor` of the page before, with otherwise the same parameters. */
  @Text({ optional: true, max: 2000 }) cursor?: string;
}
