import type { Json } from '../../support/http.js';

export type Names = 'marquee' | 'x';

/** How words of a vocabulary look that do not belong into the other one. */
const FOREIGN: Record<Names, RegExp> = { marquee: /(?<!re)tweet|twitter|x_auth_access/i, x: /post|platform/i };

/** What looks so and belongs into both, as the documentations have it. */
const SHARED =
  /^(post_(engagement|view)_attribution_window|poster_media_(key|url)|video_poster_(url|height|width)|platforms?|platform_versions?|POSTAL_CODES?|(client_)?address_postal_code|PLATFORMS?|PLATFORM_VERSIONS?|VIDEO_GAME_PLATFORMS)$/;

/** Fields of errors whose texts name parameters and words. */
const PROSE = new Set(['message', 'details', 'detail', 'hint']);
/** Words of enumerations are in capitals, but for these fields. */
const SMALL = new Set(['media_category', 'kind', 'class']);
/** A name or word inside of prose, and not an English one. */
const NAMES_IN_PROSE = /\b[A-Za-z]+(?:_[A-Za-z]+)+\b/g;

/**
 * The names, words and codes in an answer that belong into the other vocabulary. It judges by looks, not by the table that
 * translates.
 */
export function foreignWords(names: Names, value: Json, name = ''): string[] {
  const isForeign = (word: string) => FOREIGN[names].test(word) && !SHARED.test(word);
  if (typeof value === 'string') {
    if (PROSE.has(name)) return (value.match(NAMES_IN_PROSE) ?? []).filter(isForeign);
    if (name === 'preview') return foreignWords(names, /class='([\w-]+)'/.exec(value)?.[1], 'class');
    if (name === 'parameter') return isForeign(value) ? [value] : [];
    return (/^[A-Z_]+$/.test(value) || SMALL.has(name)) && isForeign(value) ? [`${name}: ${value}`] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => foreignWords(names, each, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, own]) => [
    ...(isForeign(key) ? [key] : []),
    ...foreignWords(names, own, key),
  ]);
}
