import type { IdentifierKind } from '../entities/audience-identifier.entity.js';
import type { AgeBucket, Gender, ListTrait, Platform } from './directory-traits.rules.js';

/** What an import says of one user. What is absent stays as it is known; null, or an empty list, takes it away. */
export interface DirectoryEntry {
  /** The platform's own id of the user; a new user without one is given one. */
  userId?: string;
  username?: string;
  /** The name that a new user is shown with. */
  name?: string;
  activeAt?: string;
  country?: string | null;
  language?: string | null;
  gender?: Gender | null;
  ageBucket?: AgeBucket | null;
  platforms?: Platform[];
  lists: Partial<Record<ListTrait, string[]>>;
  /** Ids of users, and names of such as are made if there are none. */
  follows?: string[];
  identifiers: Partial<Record<IdentifierKind, Buffer[]>>;
}

/** What is wrong with a field, and what is allowed. */
export interface EntryProblem {
  field: string;
  /** The value that is wrong; absent where it is its absence. */
  given?: unknown;
  allowed: string;
}
