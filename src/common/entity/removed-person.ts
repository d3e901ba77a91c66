import { mentionPattern, wordsPattern } from '../patterns.js';

/** A user as they were called before they were deleted, and the name that stands in the place of theirs. */
export interface RemovedPerson {
  id: string;
  username: string;
  name: string;
}

/** The username of a deleted user. Mentions of them say it, too. */
export const removedName = (id: string): string => `deleted_${id}`;

/** A text in which the username and the name of a person are replaced wherever they are words of their own. */
export function withoutPerson(text: string, { id, username, name }: RemovedPerson): string {
  // the longer first, for it may contain the other
  const words = [username, name].filter((word) => word !== '').toSorted((a, b) => b.length - a.length);
  if (words.length === 0) return text;
  return text.replace(wordsPattern(words), removedName(id));
}

/** A text in which mentions of a person are replaced; their name without an `@` stays, for it may be anybody's. */
export const withoutMention = (text: string, { id, username }: RemovedPerson): string =>
  text.replace(mentionPattern(username), `$1${removedName(id)}`);

/** A JSON value in which `change` replaces every text under one of the fields, however deep it is. */
export function mapFields<V>(value: V, fields: readonly string[], change: (text: string) => string): V {
  const mapped = (each: unknown, isMeant: boolean): unknown => {
    if (typeof each === 'string') return isMeant ? change(each) : each;
    if (Array.isArray(each)) return each.map((item) => mapped(item, isMeant));
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([field, inner]) => [field, mapped(inner, isMeant || fields.includes(field))]),
    );
  };
  return mapped(value, false) as V;
}
