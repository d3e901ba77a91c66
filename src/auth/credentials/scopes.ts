import { closedSet } from '../../common/values/closed-set.js';

export const SCOPES = closedSet('Scope', [
  'ads.read',
  'ads.write',
  'media.write',
  'offline.access',
  'users.read',
  'tweet.read',
]);
/** What a user may allow an application. `ads.write` does not include `ads.read`. */
export type Scope = (typeof SCOPES)[number];

/** The scopes that a token needs for the reads of an endpoint, and for all other requests. */
export interface NeededScopes {
  readonly reads: readonly Scope[];
  readonly writes: readonly Scope[];
}

/** The scopes of advertising endpoints. */
export const ADS_SCOPES: NeededScopes = { reads: ['ads.read'], writes: ['ads.write'] };
/** The scopes of the media library and the media of accounts. */
export const MEDIA_SCOPES: NeededScopes = { reads: ['ads.read'], writes: ['ads.write', 'media.write'] };
/** The scopes of uploads. */
export const UPLOAD_SCOPES: NeededScopes = { reads: ['media.write'], writes: ['media.write'] };

/** The scopes of reads of what posts show. Nothing is written. */
export const READ_POSTS_SCOPES: NeededScopes = { reads: ['tweet.read'], writes: ['tweet.read'] };

/** Every valid token of a user will do. */
export const ANY_SCOPES: NeededScopes = { reads: [], writes: [] };

/** Scopes that change something: applications with the access level `read` never get them. */
export const WRITE_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['ads.write', 'media.write']);

/** Scopes as the page of approval and the connected apps tell them, in the order of `SCOPES`. */
export const SCOPES_IN_WORDS: Record<Scope, string> = {
  'ads.read': 'see your ad accounts, campaigns, creatives, audiences and statistics',
  'ads.write': 'create, change and delete them for you',
  'media.write': 'upload media and change your media library',
  'offline.access': 'do so while you are away, until you end its access',
  'users.read': 'see your username and name',
  'tweet.read': 'see your posts',
};

/** The scopes in words, each once, in a fixed order. */
export const scopesInWords = (scopes: readonly string[]): string[] =>
  SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => SCOPES_IN_WORDS[scope]);

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

/** The scopes of a space-separated list, each once; undefined if the list is empty or one of them is unknown. */
export function readScopes(list: string): Scope[] | undefined {
  const given = [...new Set(list.split(' '))].filter((each) => each !== '');
  return given.length > 0 && given.every((each) => KNOWN.has(each)) ? (given as Scope[]) : undefined;
}
