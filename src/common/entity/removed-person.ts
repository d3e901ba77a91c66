import { mentionPattern, wordsPattern } from '../text/patterns.js';

/** A user's names before deletion, and the name that replaces them. */
export interface RemovedPerson {
  id: string;
  username: string;
  name: string;
  /** The service made them for a namespace: nobody outside it knows them, so what others have is not searched for them. */
  isInvented?: boolean;
}

/** The username of a deleted user, in mentions too. */
export const removedName = (id: string): string => `deleted_${id}`;

/** Replaces the username and the name of a person where they are separate words. */
export function withoutPerson(text: string, { id, username, name }: RemovedPerson): string {
  // the longer first, since it may contain the other
  const words = [username, name].filter((word) => word !== '').toSorted((a, b) => b.length - a.length);
  if (words.length === 0) return text;
  return text.replace(wordsPattern(words), removedName(id));
}

/** Replaces mentions of a person; keeps their name without an `@`, which may refer to others. */
export const withoutMention = (text: string, { id, username }: RemovedPerson): string =>
  text.replace(mentionPattern(username), `$1${removedName(id)}`);

/** Applies `change` to every text under one of the fields of a JSON value, at any depth. */
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
