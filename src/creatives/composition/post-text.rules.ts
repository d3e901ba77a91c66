import twitterText from 'twitter-text';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';

/** Most letters weigh 1; Chinese, Japanese, Korean characters and emoji weigh 2; every link weighs 23. */
const MAX_WEIGHTED_LENGTH = 280;

/** Links weigh the same at any length, but the time to find them grows faster than the text. */
export const MAX_TEXT_LENGTH = 2_000;

/** Position in a text in code points: start inclusive, end exclusive. */
export type Indices = [start: number, end: number];

interface TagEntity {
  text: string;
  indices: Indices;
}

export interface MentionEntity {
  screen_name: string;
  name: string;
  id: number;
  id_str: string;
  indices: Indices;
}

interface UrlEntity {
  url: string;
  expanded_url: string;
  display_url: string;
  indices: Indices;
}

/** Hashtags, symbols, mentions and links in a text. */
export interface TextEntities {
  hashtags: TagEntity[];
  symbols: TagEntity[];
  user_mentions: MentionEntity[];
  urls: UrlEntity[];
}

/** An existing user whom a text can mention. */
export interface Mentionable {
  id: string;
  username: string;
  name: string;
}

const ASCII = /^[\0-\x7f]*$/;
/** A text without a dot has no link, so each of these characters weighs 1. */
const EACH_WEIGHS_ONE = /^[\0-\x2d\x2f-\x7f]*$/;

/** Returns the weight of a text. A post can have at most 280. */
export const weightOf = (text: string): number =>
  EACH_WEIGHS_ONE.test(text) ? text.length : twitterText.parseTweet(text).weightedLength;

/** Validates the text of a post from any source. */
export function textProblems(text: string): ApiError[] {
  if (text === '') return [];
  if (twitterText.hasInvalidCharacters(text)) {
    return [invalid('text', 'text contains characters that no post can have', { details: 'U+FEFF, U+FFFE or U+FFFF' })];
  }
  const weight = weightOf(text);
  if (weight <= MAX_WEIGHTED_LENGTH) return [];
  return [
    invalid(
      'text',
      `Expected a text of at most ${MAX_WEIGHTED_LENGTH} weighted characters, got ${quotedValue(text)} for text`,
      {
        value: text,
        details: `it weighs ${weight}: a link counts 23, an emoji or a Chinese, Japanese or Korean character 2`,
      },
    ),
  ];
}

/** Usernames that a text may mention, in lower case and without duplicates. */
export const screenNamesIn = (text: string): string[] => [
  ...new Set(text.includes('@') ? twitterText.extractMentions(text).map((name) => name.toLowerCase()) : []),
];

/** Extracts hashtags, symbols, mentions and links; `users` are the existing users among `screenNamesIn`. */
export function entitiesOf(text: string, users: readonly Mentionable[] = []): TextEntities {
  const entities: TextEntities = { hashtags: [], symbols: [], user_mentions: [], urls: [] };
  const byName = new Map(users.map((user) => [user.username.toLowerCase(), user]));
  for (const entity of twitterText.extractEntitiesWithIndices(text)) {
    const indices = inCodePoints(text, entity.indices);
    if ('hashtag' in entity) entities.hashtags.push({ text: entity.hashtag, indices });
    else if ('cashtag' in entity) entities.symbols.push({ text: entity.cashtag, indices });
    else if ('url' in entity) entities.urls.push(urlEntity(entity.url, indices));
    else if (!('listSlug' in entity) || entity.listSlug === '') {
      const user = byName.get(entity.screenName.toLowerCase());
      if (user) entities.user_mentions.push(mentionOf(user, indices));
    }
  }
  return entities;
}

/** Positions in UTF-16 units as positions in code points. A hashtag may itself have characters of two units. */
const inCodePoints = (text: string, [start, end]: Indices): Indices =>
  SURROGATE.test(text) ? [codePointsIn(text.slice(0, start)), codePointsIn(text.slice(0, end))] : [start, end];

const mentionOf = ({ id, name, username }: Mentionable, indices: Indices): MentionEntity => ({
  screen_name: username,
  name,
  id: Number(id),
  id_str: id,
  indices,
});

/** Maximum displayed length of a link without its scheme. */
const MAX_DISPLAY_LENGTH = 27;

function urlEntity(url: string, indices: Indices): UrlEntity {
  const expanded = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  const bare = expanded.replace(/^https?:\/\/(www\.)?/i, '').replace(/^([^/?#]*)\/$/, '$1');
  const characters = [...bare];
  const display =
    characters.length > MAX_DISPLAY_LENGTH ? `${characters.slice(0, MAX_DISPLAY_LENGTH - 1).join('')}…` : bare;
  return { url, expanded_url: expanded, display_url: display, indices };
}

/** Number of code points in a text, the unit of entity positions. */
export const codePointsIn = (text: string): number => (SURROGATE.test(text) ? [...text].length : text.length);

const SURROGATE = /[\ud800-\udfff]/;

/** Displayed range of a text: all of it, because nothing is appended. */
export const displayRangeOf = (text: string): Indices => [0, codePointsIn(text)];

/** The user that a post replies to because it begins with a mention of them. */
export const repliedTo = <M extends { indices: readonly number[] }>({
  user_mentions = [],
}: {
  user_mentions?: M[];
}): M | undefined => user_mentions.find(({ indices: [start] }) => start === 0);

/** Whether a post begins with a mention, and so belongs to a conversation and not to a timeline. */
export const beginsWithMention = (entities: TextEntities): boolean => repliedTo(entities) !== undefined;

/** Maximum length in compat mode: 140 characters, the last of which is the ellipsis. */
const COMPAT_LENGTH = 140;

/** Truncates a text for compat mode and keeps the entities inside the remaining text. */
export function compatOf<E extends TextEntities>(
  text: string,
  entities: E,
): { text: string; truncated: boolean; entities: E } {
  const characters = [...text];
  if (characters.length <= COMPAT_LENGTH) return { text, truncated: false, entities };
  const end = COMPAT_LENGTH - 1;
  const inside = <T extends { indices: Indices }>(all: T[]) => all.filter(({ indices }) => indices[1] <= end);
  return {
    text: `${characters.slice(0, end).join('')}…`,
    truncated: true,
    entities: Object.assign({}, entities, {
      hashtags: inside(entities.hashtags),
      symbols: inside(entities.symbols),
      user_mentions: inside(entities.user_mentions),
      urls: inside(entities.urls),
    }),
  };
}

/** Scripts of a single language. Kana identify Japanese before Chinese characters are tested. */
const LANGUAGES: readonly [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Khmer}/u, 'km'],
  [/\p{Script=Lao}/u, 'lo'],
  [/\p{Script=Myanmar}/u, 'my'],
  [/\p{Script=Sinhala}/u, 'si'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Telugu}/u, 'te'],
  [/\p{Script=Kannada}/u, 'kn'],
  [/\p{Script=Malayalam}/u, 'ml'],
  [/\p{Script=Gujarati}/u, 'gu'],
  [/\p{Script=Gurmukhi}/u, 'pa'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Oriya}/u, 'or'],
  [/\p{Script=Tibetan}/u, 'bo'],
];

/** Letters of scripts that many languages share. */
const SHARED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}]/gu;

/** The language of a text if its script identifies it, else `und`. Guesses are mostly wrong for short texts. */
export function languageOf(text: string): string {
  if (ASCII.test(text)) return 'und';
  const words = text.replace(/https?:\/\/\S+|[@#$]\w+/g, '');
  const found = LANGUAGES.find(([script]) => script.test(words));
  if (!found) return 'und';
  const [script, language] = found;
  const own = Array.from(words).filter((character) => script.test(character)).length;
  return own >= (words.match(SHARED)?.length ?? 0) / 2 ? language : 'und';
}
