import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { closedSet } from '../../common/values/closed-set.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import {
  withCheck,
  Field,
  listSchema,
  OneOf,
  list,
  text,
  Timestamp,
  type FieldRules,
} from '../../common/http/params/fields.js';
import { wordsIn } from '../../common/text/words.js';
import { countryAt, locationOf } from '../locations/countries.js';
import { TARGETED_COUNTRIES } from '../locations/locations.js';
import { windowProblem } from './keyword-insights.rules.js';

const GRANULARITIES = closedSet('Granularity', ['DAY', 'HOUR']);
export type InsightsGranularity = (typeof GRANULARITIES)[number];

/** Maximum number of keywords and negative keywords together. */
const MAX_KEYWORDS = 10;
/** Maximum length of a post. */
const MAX_KEYWORD_LENGTH = 280;

/** A word, a hashtag or a phrase. */
const keyword = withCheck(
  text({ min: 1, max: MAX_KEYWORD_LENGTH }),
  'a word, a #hashtag or a phrase',
  (given) => wordsIn(given).some(({ kind }) => kind !== 'link'),
  { details: 'it contains no letter, digit or emoji' },
);

const Keywords = (rules: FieldRules) =>
  Field(
    list(keyword, { max: MAX_KEYWORDS }),
    rules,
    listSchema({ type: 'string', minLength: 1, maxLength: MAX_KEYWORD_LENGTH }, { min: 1, max: MAX_KEYWORDS }),
  );

const hint = (given: unknown) => TARGETED_COUNTRIES.suggestionFor(given);
const LOCATION = { pattern: /^[0-9a-f]{16}$/, what: 'a location of 16 hexadecimal digits', hint };
/** The targeting value of a country. */
const countryLocation = withCheck(
  text({ matching: LOCATION }),
  'the targeting value of a country',
  (value) => countryAt(value) !== undefined,
  { details: 'no country has this value', hint },
);

@Rule(
  ['keywords', 'negative_keywords'],
  ({ keywords, negative_keywords = [] }: Pick<SearchKeywords, 'keywords' | 'negative_keywords'>) =>
    keywords.length + negative_keywords.length <= MAX_KEYWORDS
      ? undefined
      : tooMany(keywords.length + negative_keywords.length),
)
@Rule(['start_time', 'end_time'], ({ start_time, end_time }: Pick<SearchKeywords, 'start_time' | 'end_time'>) =>
  end_time === undefined ? undefined : windowProblem(start_time, end_time),
)
@Example({ keywords: ['coffee', '#roastery'], granularity: 'DAY', start_time: '{five_days_ago}' })
export class SearchKeywords {
  /** The unit of time of each number in `post_volume`, counted from `start_time`. */
  @OneOf(GRANULARITIES) granularity: InsightsGranularity;
  /**
   * Words, hashtags with their `#`, and phrases. A post that contains any of them counts once. At most 10, negative
   * keywords included.
   */
  @Keywords({ example: ['coffee', '#roastery'] }) keywords: string[];
  /** Start of the time window, inclusive. */
  @Timestamp() start_time: string;
  /** End of the time window, exclusive; at most 7 days after the start. Defaults to now. */
  @Timestamp({ optional: true }) end_time?: string;
  /** Only posts of authors in this country: the targeting value of a country location. */
  @Field(
    countryLocation,
    { optional: true, example: locationOf('US') },
    { type: String, pattern: LOCATION.pattern.source },
  )
  location?: string;
  /** Posts that contain any of these do not count. */
  @Keywords({ optional: true, example: ['tea'] }) negative_keywords?: string[];
}

const tooMany = (given: number): ApiError =>
  invalid(
    'keywords',
    `A maximum of ${MAX_KEYWORDS} items can be provided for keywords and negative_keywords together`,
    {
      details: `${given} were given`,
    },
  );
