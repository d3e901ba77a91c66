import type { IdentifierKind } from '../entities/audience-identifier.entity.js';
import type { AgeBucket, Gender, ListTrait, Platform } from './directory-traits.rules.js';

/** An import's data about one user. Absent fields stay unchanged; null or an empty list clears a field. */
export interface DirectoryEntry {
  /** The platform's id of the user. A new user without one receives one. */
  userId?: string;
  username?: string;
  /** The display name of a new user. */
  name?: string;
  activeAt?: string;
  country?: string | null;
  language?: string | null;
  gender?: Gender | null;
  ageBucket?: AgeBucket | null;
  platforms?: Platform[];
  lists: Partial<Record<ListTrait, string[]>>;
  /** User ids and usernames. Unknown usernames create users. */
  follows?: string[];
  identifiers: Partial<Record<IdentifierKind, Buffer[]>>;
}

/** The error of a field, with the values allowed. */
export interface EntryProblem {
  field: string;
  /** The invalid value; absent if a value is missing. */
  given?: unknown;
  allowed: string;
}
