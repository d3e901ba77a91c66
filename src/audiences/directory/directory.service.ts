import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuthorCountries } from '../../creatives/post-terms/author-countries.service.js';
import { PostTermsService } from '../../creatives/post-terms/post-terms.service.js';
import { CredentialsService } from '../../auth/credentials/credentials.service.js';
import { Clock } from '../../common/clock.js';
import { DAY_MS } from '../../common/days.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { count as countUp } from '../../common/db/counters/counters.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import {
  givenUser,
  identifiersOf,
  placedEntries,
  roundsOf,
  usersNamedBy,
  type PlacedEntry,
  type PlacedProblem,
} from './directory-batch.js';
import {
  countMatchedPeople,
  countUsers,
  identifierCounts,
  typicalFollows,
  type ActiveAt,
  type Counted,
  type Weighed,
} from './directory-count.statements.js';
import type { DirectoryEntry } from './directory-entry.js';
import { readEntry } from './directory-entry.rules.js';
import { matchPeople } from './directory-matches.statements.js';
import { forgetChanges, forgetOthers, storeIdentifiers, storeUsers } from './directory-import.statements.js';
import { DirectoryIdentifier } from './directory-identifier.entity.js';
import { keepSample, MAX_USERS, USERS } from './directory-sample.statements.js';
import { DirectoryUser } from './directory-user.entity.js';
import { wantedOf } from './user-set.rules.js';
import { MAX_SETS, MAX_SET_VALUES, type UserSet, type UserSets } from './user-sets.js';

/** Users inactive for longer belong to no audience. */
export const ACTIVE_DAYS = 90;

/** Maximum number of entries stored at once. */
export const MAX_ENTRIES = 1_000;

/** Entries cannot be stored. None of the batch was stored. */
export class EntriesRefused extends Error {
  constructor(readonly problems: PlacedProblem[]) {
    super(problems.map(({ field, allowed }) => `${field}: ${allowed}`).join('; '));
  }
}

/** Stores the platform users and their data, matches them with audiences and counts sets of them. */
@Injectable()
export class DirectoryService implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly credentials: CredentialsService,
    private readonly authorCountries: AuthorCountries,
    private readonly postTerms: PostTermsService,
  ) {}

  /** The directory knows the countries of authors, by which posts are counted. */
  onModuleInit(): void {
    this.authorCountries.knownBy(async (userIds, db) => {
      const known = await rows(db, DirectoryUser).whereIn('userId', userIds).getMany();
      return new Map(known.flatMap(({ userId, country }) => (country === null ? [] : [[userId, country]])));
    });
  }

  /**
   * The number of active users in at least one set of each group, and in none of `without` (`audience_estimate`).
   * Without groups it counts everyone. At most MAX_SETS sets with MAX_SET_VALUES values.
   */
  async count({ groups, without = [] }: UserSets): Promise<number> {
    const sets = [...groups.flat(), ...without];
    const values = sets.reduce((sum, set) => sum + set.values.length, 0);
    if (sets.length > MAX_SETS || values > MAX_SET_VALUES)
      throw new RangeError(`at most ${MAX_SETS} sets with ${MAX_SET_VALUES} values can be counted`);
    const wanted = [];
    for (const group of groups) wanted.push(wantedOf(await this.resolved(group)));
    const unwanted = without.length > 0 ? wantedOf(await this.resolved(without)) : undefined;
    return countUsers(this.db.manager, wanted, unwanted, activeAt(this.clock.now()));
  }

  /** Matches the people of an audience with the current users; returns the state of the directory that it used. */
  match(audienceId: string): Promise<number> {
    return matchPeople(this.db.manager, audienceId);
  }

  /**
   * The distinct persons of an audience, valid at a time, who are active users by any identifier, as far as they are
   * matched. With a `seed` it weighs the identifiers.
   */
  matchedPeople(audienceId: string, at = this.clock.now(), seed?: string): Promise<Counted & Partial<Weighed>> {
    return countMatchedPeople(this.db.manager, audienceId, activeAt(at), seed);
  }

  /** The users that followers of these also follow, most typical first; at most `most`. */
  alsoFollowed(userIds: readonly string[], most: number): Promise<string[]> {
    return typicalFollows(this.db.manager, userIds, most);
  }

  /** The data about a user; undefined if there is none. */
  async of(
    userId: string,
  ): Promise<{ known: Row<DirectoryUser>; identifiers: { kind: number; count: number }[] } | undefined> {
    const known = await rows(this.db.manager, DirectoryUser).where('userId', userId).getOne();
    return known && { known, identifiers: await identifierCounts(this.db.manager, known.number) };
  }

  /** The identifiers of a directory user, by kind; an entry has at most some hundreds. */
  identifiers(number: number): Promise<Row<DirectoryIdentifier>[]> {
    return rows(this.db.manager, DirectoryIdentifier).where('number', number).orderBy('kind').getMany();
  }

  /** Reads the data of a user in the fields of an import, such as `{ username: 'ann', country: 'US' }`. */
  read(given: object): DirectoryEntry {
    const result = readEntry(given);
    if ('entry' in result) return result.entry;
    throw new EntriesRefused(result.problems.map((problem) => ({ ...problem, place: 0 })));
  }

  /**
   * Stores at most MAX_ENTRIES entries, all or nothing. Unknown users are created. Storing the same entries again
   * changes nothing. Returns how many users were added to the directory and how many existed.
   */
  async store(entries: readonly DirectoryEntry[]): Promise<{ made: number; known: number }> {
    if (entries.length > MAX_ENTRIES) throw new RangeError(`at most ${MAX_ENTRIES} entries are stored at once`);
    const users = await this.credentials.ensureUsers(usersNamedBy(entries));
    const { placed, problems, idOf } = placedEntries(entries, users);
    if (problems.length > 0) throw new EntriesRefused(problems);
    return retrying(() =>
      this.db.transaction(async (tx) => {
        // Batches of two imports may name the same users and identifiers in any order.
        await lockName(tx, 'directory');
        const stored = { made: 0, known: 0 };
        for (const round of roundsOf(placed)) {
          const made = await this.storeRound(tx, round, idOf);
          stored.made += made;
          stored.known += round.length - made;
        }
        await forgetChanges(tx);
        return stored;
      }),
    );
  }

  private async storeRound(tx: EntityManager, round: PlacedEntry[], idOf: (name: string) => string): Promise<number> {
    const given = round.map((each) => givenUser(each, idOf));
    const stored = await storeUsers(tx, given, this.clock.now());
    await this.sample(tx, stored);
    const byUser = new Map(stored.map((each) => [each.userId, each]));
    const gone = round.filter(({ user }) => !byUser.has(user.id));
    if (gone.length > 0) {
      const refused = gone.map(({ place, user }) => ({
        place,
        field: 'username',
        allowed: `@${user.username} is deleted`,
      }));
      throw new EntriesRefused(refused);
    }
    const placed = given.filter(({ fields }) => fields.includes('country'));
    await this.postTerms.moved(new Map(placed.map(({ userId, country }) => [userId, country])), tx);
    const identifiers = identifiersOf(round, byUser);
    await forgetOthers(tx, identifiers, identifiers.whole);
    const taken = await storeIdentifiers(tx, identifiers);
    if (taken.length > 0) {
      const refused = taken.map(({ place, username }) => {
        const { kind, place: entry } = identifiers.of[place];
        return { place: entry, field: kind, allowed: `one of its values already belongs to @${username}` };
      });
      throw new EntriesRefused(refused);
    }
    return stored.filter(({ made }) => made).length;
  }

  /** Copies users that belong to the sample into it. */
  private async sample(tx: EntityManager, stored: readonly { number: number; made: boolean }[]): Promise<void> {
    const [users] = await rows(tx, Counter).where('ownerId', USERS.ownerId).where('kind', USERS.kind).getMany();
    await keepSample(tx, stored, users?.value ?? 0);
    await write(tx, countUp([{ ...USERS, by: stored.filter(({ made }) => made).length, limit: MAX_USERS }]));
  }

  /** Resolves followers of similar users to followers of the users typical for them. */
  private async resolved(group: readonly UserSet[]): Promise<readonly UserSet[]> {
    const seeds = group.filter(({ kind }) => kind === 'SIMILAR_TO_FOLLOWERS_OF_USER').flatMap(({ values }) => values);
    if (seeds.length === 0) return group;
    const similar = [...seeds, ...(await typicalFollows(this.db.manager, seeds))];
    return [
      ...group.filter(({ kind }) => kind !== 'SIMILAR_TO_FOLLOWERS_OF_USER'),
      { kind: 'FOLLOWERS_OF_USER', values: similar },
    ];
  }
}

/** The activity condition at a time. */
export const activeAt = (at: Date): ActiveAt => ({ at, since: new Date(at.getTime() - ACTIVE_DAYS * DAY_MS) });
