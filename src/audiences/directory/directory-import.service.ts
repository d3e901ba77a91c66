import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WantedUsersService } from '../../auth/credentials/wanted-users.service.js';
import { Clock } from '../../common/time/clock.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { changeCounters } from '../../common/db/counters/counters.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { PostTermsService } from '../../creatives/post-terms/post-terms.service.js';
import { changeDirectory } from './change-directory.js';
import {
  givenUser,
  identifiersOf,
  placedEntries,
  roundsOf,
  usersNamedBy,
  type PlacedEntry,
  type PlacedProblem,
} from './directory-batch.js';
import { readEntry, type DirectoryEntry } from './directory-entry.rules.js';
import { forgetChanges, forgetOthers, storeIdentifiers, storeUsers } from './directory-import.statements.js';
import { keepSample, MAX_USERS, USERS } from './directory-sample.statements.js';

/** Maximum number of entries stored at once. */
export const MAX_ENTRIES = 1_000;

/** Entries cannot be stored. None of the batch was stored. */
export class EntriesRefused extends Error {
  constructor(readonly problems: PlacedProblem[]) {
    super(problems.map(({ field, allowed }) => `${field}: ${allowed}`).join('; '));
  }
}

/** Stores the platform's users and their data in the directory. */
@Injectable()
export class DirectoryImportService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly users: WantedUsersService,
    private readonly postTerms: PostTermsService,
  ) {}

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
    const users = await this.users.ensure(usersNamedBy(entries));
    const { placed, problems, idOf } = placedEntries(entries, users);
    if (problems.length > 0) throw new EntriesRefused(problems);
    return retrying(() =>
      changeDirectory(this.db.manager, async (tx) => {
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
    await write(tx, changeCounters([{ ...USERS, by: stored.filter(({ made }) => made).length, limit: MAX_USERS }]));
  }
}
