import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { AuthorCountries } from '../../creatives/post-terms/author-countries.service.js';
import { activeAt } from './directory-activity.rules.js';
import {
  countMatchedPeople,
  countUsers,
  identifierCounts,
  typicalFollows,
  type Counted,
  type Weighed,
} from './directory-count.statements.js';
import { matchPeople } from './directory-matches.statements.js';
import { DirectoryIdentifier, DirectoryUser } from './directory.entity.js';
import { setValuesOf, wantedOf, withTypicalFollows } from './user-set.rules.js';
import { MAX_SETS, MAX_SET_VALUES, type UserSet, type UserSets } from './user-sets.js';

/** Shows and counts the users of the directory, and matches them with audiences. */
@Injectable()
export class DirectoryService implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly authorCountries: AuthorCountries,
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
  alsoFollowed(userIds: readonly string[], max: number): Promise<string[]> {
    return typicalFollows(this.db.manager, userIds, max);
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

  /** Resolves followers of similar users to followers of the users typical for them. */
  private async resolved(group: readonly UserSet[]): Promise<readonly UserSet[]> {
    const seeds = setValuesOf(group, 'SIMILAR_TO_FOLLOWERS_OF_USER');
    return seeds.length === 0 ? group : withTypicalFollows(group, await typicalFollows(this.db.manager, seeds));
  }
}
