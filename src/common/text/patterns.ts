const composed: RegExp[] = [];

/**
 * A regular expression composed from parts at startup, never from client input. It is registered, so that a test can
 * check that it runs in linear time; the linter checks literals.
 */
export function composedPattern(source: string, flags = ''): RegExp {
  const pattern = new RegExp(source, flags);
  composed.push(pattern);
  return pattern;
}

/** Every pattern composed so far. */
export const composedPatterns = (): readonly RegExp[] => composed;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches any of these texts without an adjacent letter or digit, case-insensitive. */
export const wordsPattern = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu');

/** Patterns for PostgreSQL that match these texts as whole words of a text in lower case, where `after` follows; none for an empty text. */
export const wordsInSql = (words: readonly string[], after = ''): string[] =>
  words
    .filter((word) => word !== '')
    .map((word) => `(^|\\W)${word.toLowerCase().replace(/[^\p{L}\p{N}\s]/gu, '\\$&')}${after}($|\\W)`);

/** Matches mentions of a username, case-insensitive; the first group is the character before it. */
export const mentionPattern = (username: string): RegExp => new RegExp(`([@＠])${escaped(username)}(?!\\w)`, 'gi');

/** Matches the paths of a registered route, such as `/12/accounts/:account_id`. */
export const routePattern = (url: string): RegExp => new RegExp(`^${escaped(url).replace(/:\w+/g, '[^/]+')}$`);

/** A text without the repeated character at its end. A pattern such as `/=+$/` takes quadratic time for it. */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
