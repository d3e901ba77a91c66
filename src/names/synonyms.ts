import type { Synonyms } from '../common/http/hints/synonyms.js';
import { TAKES_THEIR_NAMES } from './swap-errors.js';
import { ourWord } from './swap.js';

/** Words of older versions of X's Ads API and of its SDKs. The table in src/names has those of its documentation. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['TWEET_ENGAGEMENTS', 'ENGAGEMENTS'],
  ['VIDEO_VIEWS_PREROLL', 'PREROLL_VIEWS'],
  ['AWARENESS', 'REACH'],
  ['paused', 'entity_status'],
  ['bid_type', 'bid_strategy'],
  ['automatically_select_bid', 'bid_strategy'],
  ['charge_by', 'pay_by'],
  ['tailored_audiences', 'custom_audiences'],
  ['tailored_audience_id', 'custom_audience_id'],
  ['fouth_cta_tweet', 'fourth_cta_post'],
  ['ALL_ON_X', 'ALL_ON_PLATFORM'],
  ['X_PROFILE', 'PLATFORM_PROFILE'],
  ['X_REPLIES', 'PLATFORM_REPLIES'],
  ['X_SEARCH', 'PLATFORM_SEARCH'],
  ['X_TIMELINE', 'PLATFORM_TIMELINE'],
  ['KEYWORD', 'BROAD_KEYWORD'],
  ['NEGATIVE_EXACT_KEYWORD', 'EXACT_KEYWORD'],
  ['NEGATIVE_PHRASE_KEYWORD', 'PHRASE_KEYWORD'],
  ['NEGATIVE_UNORDERED_KEYWORD', 'UNORDERED_KEYWORD'],
  ['CUSTOM_APP_LIST', 'APP_LIST'],
  ['TAILORED_AUDIENCE', 'CUSTOM_AUDIENCE'],
  ['TAILORED_AUDIENCE_EXPANDED', 'CUSTOM_AUDIENCE_EXPANDED'],
  ['media_id', 'media_key'],
  ['media_ids', 'media_keys'],
]);

/** Endpoints of X's Ads API without a counterpart here, by the segment that names them. */
const ONLY_X: ReadonlySet<string> = new Set([
  'auction_insights',
  'behavior_taxonomies',
  'behaviors',
  'recommendations',
]);

/** Segments of paths that a client may try for the Conversion API for App Events, of which X publishes no reference. */
const APP_CONVERSIONS = /^(?:mobile_)?app_(?:conversions?|conversion_events?|events?)$|^mobile_conversions?$/;

const EXCLUDES = ' With operator_type=NE it excludes.';
/** What else there is to say about some of the OTHERS. */
const ABOUT: ReadonlyMap<string, string> = new Map([
  ['KEYWORD', ' There are EXACT_KEYWORD, PHRASE_KEYWORD and UNORDERED_KEYWORD, too.'],
  ['NEGATIVE_EXACT_KEYWORD', EXCLUDES],
  ['NEGATIVE_PHRASE_KEYWORD', EXCLUDES],
  ['NEGATIVE_UNORDERED_KEYWORD', EXCLUDES],
]);

/** The sentence about one of X's words, such as the vocabulary that has it, with a space before it; empty for other words. */
function about(word: unknown): string {
  if (typeof word !== 'string') return '';
  return ABOUT.get(word) ?? (ourWord(word) === undefined ? '' : ` ${TAKES_THEIR_NAMES}`);
}

const inCaseOf = (found: string, word: string) =>
  found === found.toUpperCase()
    ? word.toUpperCase()
    : found === found.toLowerCase()
      ? word
      : word[0].toUpperCase() + word.slice(1);

/** Translates a name of X's Ads API to its name here, also one of an older version. */
function nameHere(word: string): string {
  return (
    OTHERS.get(word) ??
    ourWord(word) ??
    word
      .replace(/twitter/gi, (found) => inCaseOf(found, 'platform'))
      .replace(/(re)?tweet/gi, (found, re?: string) => (re === undefined ? inCaseOf(found, 'post') : found))
  );
}

function onlyThere(path: string): string | undefined {
  const segments = path.toLowerCase().split('/');
  if (segments.some((each) => APP_CONVERSIONS.test(each)))
    return (
      "X's Conversion API for App Events has no public reference yet, so this service does not have it. " +
      'Measurement partners report events of apps with POST /12/conversion_event.'
    );
  const segment = segments.find((each) => ONLY_X.has(each));
  return (
    segment && `${segment} is part of X's Ads API but not of this one; docs/support.md lists the endpoints of this one.`
  );
}

/** X's names for what this service has. */
export const SYNONYMS_OF_X: Synonyms = { nameHere, about, onlyThere };
