const composed: RegExp[] = [];

/**
 * A regular expression put together from parts, at the start and never of what a client sent. It is kept, so that a test
 * can check that it takes linear time; the linter checks those that are written as literals.
 */
export function composedPattern(source: string, flags = ''): RegExp {
  const pattern = new RegExp(source, flags);
  composed.push(pattern);
  return pattern;
}

/** Every pattern that was put together so far. */
export const composedPatterns = (): readonly RegExp[] => composed;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches any of these texts wherever no letter or digit stands beside it, case-insensitive. */
export const wordsPattern = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu');

/** Matches mentions of a username, case-insensitive; the first group is the sign in front of it. */
export const mentionPattern = (username: string): RegExp => new RegExp(`([@＠])${escaped(username)}(?!\\w)`, 'gi');

/** Matches the paths of a route as it is registered, such as `/12/accounts/:account_id`. */
export const routePattern = (url: string): RegExp => new RegExp(`^${escaped(url).replace(/:\w+/g, '[^/]+')}$`);

/** A text without the character that it ends in, however often. A pattern such as `/=+$/` takes quadratic time for it. */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
