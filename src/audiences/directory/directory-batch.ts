import type { Row } from '../../common/db/query/rows.js';
import type { User } from '../../auth/credentials/user.entity.js';
import type { WantedUser } from '../../auth/credentials/wanted-users.service.js';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../entities/audience-identifier.entity.js';
import type { DirectoryEntry, EntryProblem } from './directory-entry.rules.js';
import type { GivenIdentifiers, GivenUser } from './directory-import.statements.js';
import {
  AGE_BUCKETS,
  DIRECTORY_GENDERS,
  LIST_TRAITS,
  letterOf,
  platformBits,
  storedTrait,
} from './directory-traits.rules.js';
import { hashOf } from './identifier.rules.js';

/** An error in one of the entries of a batch. */
export interface PlacedProblem extends EntryProblem {
  /** The index of the entry. */
  place: number;
}

/** The content of an entry, with its known user. */
export interface PlacedEntry {
  place: number;
  entry: DirectoryEntry;
  user: Row<User>;
}

/** All users that entries name: their subjects, and users they follow by name. */
export function usersNamedBy(entries: readonly DirectoryEntry[]): WantedUser[] {
  const followed = new Set(entries.flatMap(({ follows = [] }) => follows.filter((each) => !isId(each))));
  return [
    ...entries.map(({ userId, username, name }) => ({ id: userId, username, name })),
    ...[...followed].map((username) => ({ username })),
  ];
}

/** Finds the user of each entry, and the errors that prevent storing an entry. */
export function placedEntries(
  entries: readonly DirectoryEntry[],
  users: readonly Row<User>[],
): { placed: PlacedEntry[]; problems: PlacedProblem[]; idOf: (followed: string) => string } {
  const byId = new Map(users.map((user) => [user.id, user]));
  const byName = new Map(users.map((user) => [user.username.toLowerCase(), user]));
  const placed: PlacedEntry[] = [];
  const problems: PlacedProblem[] = [];
  for (const [place, entry] of entries.entries()) {
    const { userId, username } = entry;
    const named = username === undefined ? undefined : byName.get(username.toLowerCase());
    const user = userId === undefined ? named : byId.get(userId);
    const field = userId === undefined ? 'username' : 'user_id';
    const refuse = (allowed: string) => void problems.push({ place, field, given: userId ?? username, allowed });
    if (userId !== undefined && named && named.id !== userId) refuse(`@${named.username} is the user ${named.id}`);
    else if (!user) refuse('the id of an existing user, or an id together with a username');
    else if (user.deletedAt !== null) refuse(`@${user.username} is deleted`);
    else if (username !== undefined && user !== named) refuse(`the user ${user.id} is @${user.username}`);
    else placed.push({ place, entry, user });
  }
  return { placed, problems, idOf: (followed) => (isId(followed) ? followed : byName.get(followed.toLowerCase())!.id) };
}

/** Splits entries into rounds with each user at most once, so that later entries are stored later. */
export function roundsOf(placed: readonly PlacedEntry[]): PlacedEntry[][] {
  const seen = new Map<string, number>();
  const rounds: PlacedEntry[][] = [];
  for (const each of placed) {
    const round = seen.get(each.user.id) ?? 0;
    seen.set(each.user.id, round + 1);
    (rounds[round] ??= []).push(each);
  }
  return rounds;
}

/** The content of an entry, in the form of a row. */
export function givenUser({ entry, user }: PlacedEntry, idOf: (followed: string) => string): GivenUser {
  const { activeAt, country, language, gender, ageBucket, platforms, lists, follows } = entry;
  const said = { activeAt, country, language, gender, ageBucket, platforms, follows };
  const traits = LIST_TRAITS.flatMap((trait) => (lists[trait] ?? []).map((value) => storedTrait(trait, value)));
  return {
    userId: user.id,
    fields: Object.entries(said).flatMap(([field, value]) => (value === undefined ? [] : [field])),
    letters: LIST_TRAITS.filter((trait) => lists[trait]).map(letterOf),
    activeAt: activeAt ?? null,
    country: country ?? null,
    language: language ?? null,
    gender: gender ? DIRECTORY_GENDERS.indexOf(gender) + 1 : null,
    ageBucket: ageBucket ? AGE_BUCKETS.indexOf(ageBucket) : null,
    platforms: platformBits(platforms ?? []),
    traits: [...new Set(traits)].sort(),
    follows: [...new Set((follows ?? []).map(idOf))].sort((one, other) => Number(one) - Number(other)),
  };
}

/** The identifiers of a round, each with its entry and kind. */
export interface RoundIdentifiers extends GivenIdentifiers {
  of: { place: number; kind: IdentifierKind }[];
  /** Users that may have other identifiers, with the kinds that an entry gives completely. */
  whole: { numbers: number[]; kinds: number[] };
}

/** The identifiers of users: those in entries, and the id and username on the platform. */
export function identifiersOf(
  round: readonly PlacedEntry[],
  stored: ReadonlyMap<string, { number: number; made: boolean }>,
): RoundIdentifiers {
  const found: RoundIdentifiers = { numbers: [], kinds: [], hashes: [], of: [], whole: { numbers: [], kinds: [] } };
  for (const { place, entry, user } of round) {
    const { number, made } = stored.get(user.id)!;
    for (const [at, kind] of IDENTIFIER_KINDS.entries()) {
      const given = entry.identifiers[kind];
      const own = OWN[kind]?.(user);
      const hashes = new Set([...(given ?? []), ...(own ? [own] : [])].map((hash) => hash.toString('hex')));
      if (given && !made) {
        found.whole.numbers.push(number);
        found.whole.kinds.push(at);
      }
      for (const hash of hashes) {
        found.numbers.push(number);
        found.kinds.push(at);
        found.hashes.push(hash);
        found.of.push({ place, kind });
      }
    }
  }
  return found;
}

const OWN: Partial<Record<IdentifierKind, (user: Row<User>) => Buffer | undefined>> = {
  handle: ({ username }) => plainHash('handle', username),
  platform_id: ({ id }) => plainHash('platform_id', id),
};

function plainHash(kind: IdentifierKind, value: string): Buffer | undefined {
  const hashed = hashOf(kind, value);
  return 'hash' in hashed ? hashed.hash : undefined;
}

const isId = (followed: string) => /^\d+$/.test(followed);
