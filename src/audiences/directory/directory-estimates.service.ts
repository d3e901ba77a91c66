import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DAY_MS } from '../../common/days.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { rows } from '../../common/db/query/rows.js';
import { NoAnswer } from '../../common/errors/unavailable.js';
import { Semaphore, type QueueLimits } from '../../common/semaphore.js';
import { PostTermsService } from '../../creatives/post-terms/post-terms.service.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import { leavesOf } from '../entities/segments.js';
import { DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { AudiencePrivacy, type CountedPeople } from '../privacy/audience-privacy.service.js';
import { typicalFollows } from './directory-count.statements.js';
import { isFew, standsFor } from './directory-estimate.rules.js';
import { countFound, estimateMatched, type Asked, type Found } from './directory-estimate.statements.js';
import { USERS } from './directory-sample.statements.js';
import { activeAt } from './directory.service.js';
import type { AskedAudience } from './user-memberships.statements.js';
import { wantedOf, type Wanted } from './user-set.rules.js';
import { MAX_SETS, type EstimatedUsers, type UserSet } from './user-sets.js';

/** More values than a line item can target, places within regions included. */
const MAX_VALUES = 20_000;

/** Maximum number of concurrent estimates, so that other requests get connections. */
const AT_ONCE = 2;
const PATIENCE: QueueLimits = {
  maxQueued: 50,
  timeoutMs: 2_000,
  refusal: () => new NoAnswer('Too many estimates are waiting.'),
};

/** A user writes a keyword if they used it within these days, in one of this many newest posts. */
const WRITING_DAYS = 7;
const MAX_POSTS = 1_000;

/** What followers have in common changes slowly, and clients request it repeatedly while they edit a line item. */
const TYPICAL = { max: 1_000, ttl: 60_000 };

/** Estimates the number of directory users in sets (`audience_estimate`). */
@Injectable()
export class DirectoryEstimatesService {
  private readonly turns = new Semaphore(AT_ONCE);
  private readonly typical = new LRUCache<string, readonly string[]>(TYPICAL);

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly postTerms: PostTermsService,
    private readonly privacy: AudiencePrivacy,
  ) {}

  /**
   * The number of active users in these sets, without those on the account's do-not-reach list. It is exact if the
   * directory has at most SAMPLE_SIZE users, and if few users are found. Otherwise it comes from a fixed sample.
   * Callers must limit the input to MAX_SETS sets with MAX_VALUES values. AudiencePrivacy converts the number before
   * clients receive it.
   */
  estimate(account: { id: string }, users: EstimatedUsers): Promise<CountedPeople> {
    const sets = [...users.primary, ...users.groups.flat(), ...users.without];
    const values = sets.reduce((sum, set) => sum + set.values.length, 0);
    if (sets.length > MAX_SETS || values > MAX_VALUES)
      throw new RangeError(`at most ${MAX_SETS} sets with ${MAX_VALUES} values can be estimated`);
    return this.turns.run(() => this.count(account, users), PATIENCE);
  }

  /** Whether the directory has no users. */
  async isEmpty(): Promise<boolean> {
    return (await this.users()) === 0;
  }

  private async count(account: { id: string }, asking: EstimatedUsers): Promise<CountedPeople> {
    const { primary, groups, without } = asking;
    const now = this.privacy.estimatedAt(this.clock.now());
    const [any, none, included, excluded, left, users] = await Promise.all([
      this.wanted(primary, now),
      this.wanted(without, now),
      this.audiences(primary),
      this.audiences(without),
      rows(this.db.manager, DoNotReachList).where('accountId', account.id).getMany(),
      this.users(),
    ]);
    const asked: Asked = {
      any,
      audiences: included,
      all: groups.map((group) => wantedOf(group)),
      none,
      excluded: [...excluded, ...left.map(({ id }) => ({ id, madeOf: [id] }))],
      active: activeAt(now),
    };
    const named = [...asked.audiences, ...asked.excluded].flatMap(({ id, madeOf }) => [id, ...madeOf]);
    const before = await this.stateOf(named);
    const found = await this.found(asked, users);
    const matched = await estimateMatched(this.db.manager, asked);
    // A concurrent upload may or may not count, so this is a separate question.
    const content = `${before} ${await this.stateOf(named)}`;
    return {
      people: found.users + matched.users,
      question: `estimate ${now.toISOString()} ${JSON.stringify(canonical(asking))} ${content}`,
      each: Math.max(found.each, matched.each),
    };
  }

  /** Identifies a state of audiences and do-not-reach lists. Every upload changes it. */
  private async stateOf(ids: readonly string[]): Promise<string> {
    if (!this.privacy.isProtected || ids.length === 0) return '';
    const sizings = await rows(this.db.manager, AudienceSizing)
      .whereIn('audienceId', [...new Set(ids)])
      .getMany();
    const states = sizings.map(({ audienceId, generation }) => `${audienceId}/${generation}`);
    return states.toSorted().join();
  }

  /** The users found by directory data. */
  private async found(asked: Asked, users: number): Promise<{ users: number; each: number }> {
    const sampled = await countFound(this.db.manager, 'sample', asked);
    const isWhole = standsFor(1, users) === 1;
    const { found, stands } =
      isWhole || !isFew(sampled.candidates, users)
        ? { found: sampled, stands: standsFor(1, users) }
        : { found: await countFound(this.db.manager, 'directory', asked), stands: 1 };
    return { users: leftOf(found) * stands, each: eachOf(found) * stands };
  }

  /** The number of directory users, inactive ones included. */
  private async users(): Promise<number> {
    const counter = await rows(this.db.manager, Counter)
      .where('ownerId', USERS.ownerId)
      .where('kind', USERS.kind)
      .getOne();
    return counter?.value ?? 0;
  }

  /** Sets without audiences, as conditions on rows; undefined if there are none. */
  private async wanted(sets: readonly UserSet[], now: Date): Promise<Wanted | undefined> {
    const known = sets.filter(({ kind, values }) => kind !== 'CUSTOM_AUDIENCE' && values.length > 0);
    if (known.length === 0) return undefined;
    const seeds = valuesOf(known, 'SIMILAR_TO_FOLLOWERS_OF_USER');
    const keywords = valuesOf(known, 'KEYWORD');
    const [typical, writers] = await Promise.all([this.typicalOf(seeds), this.writersOf(keywords, now)]);
    return wantedOf([
      ...known.filter(({ kind }) => kind !== 'SIMILAR_TO_FOLLOWERS_OF_USER'),
      { kind: 'FOLLOWERS_OF_USER', values: [...seeds, ...typical] },
      { kind: 'USER', values: writers },
    ]);
  }

  private async typicalOf(seeds: readonly string[]): Promise<readonly string[]> {
    if (seeds.length === 0) return [];
    const key = seeds.toSorted().join();
    const known = this.typical.get(key);
    if (known) return known;
    const found = await typicalFollows(this.db.manager, seeds);
    this.typical.set(key, found);
    return found;
  }

  private writersOf(keywords: readonly string[], now: Date): Promise<readonly string[]> {
    if (keywords.length === 0) return Promise.resolve([]);
    const start = new Date(now.getTime() - WRITING_DAYS * DAY_MS);
    return this.postTerms.authors({ keywords, start, end: new Date(now.getTime() + 1) }, MAX_POSTS);
  }

  /** The audiences of sets with their parts, as far as they are alive. Others have no people. */
  private async audiences(sets: readonly UserSet[]): Promise<AskedAudience[]> {
    const alive = await this.alive(valuesOf(sets, 'CUSTOM_AUDIENCE'));
    const leaves = alive.flatMap(({ segments }) =>
      segments ? leavesOf(segments).map((leaf) => leaf.custom_audience_id) : [],
    );
    const withPeople = new Set((await this.alive(leaves)).map(({ id }) => id));
    return alive.map(({ id, segments }) => {
      if (!segments) return { id, madeOf: [id] };
      const madeOf = leavesOf(segments).map((leaf) => leaf.custom_audience_id);
      return { id, segments, madeOf: [...new Set(madeOf)].filter((each) => withPeople.has(each)) };
    });
  }

  private async alive(ids: readonly string[]) {
    if (ids.length === 0) return [];
    return rows(this.db.manager, CustomAudience)
      .whereIn('id', [...new Set(ids)])
      .getMany();
  }
}

/** The estimated number of found users in no excluded audience. */
const leftOf = ({ users, asked, left }: Found): number => (asked > 0 ? (users * left) / asked : users);

/** How much one user changes that number. A checked user represents others. */
const eachOf = ({ users, asked }: Found): number => (asked > 0 ? Math.max(1, users / asked) : 1);

/**
 * The same text for the same sets in any order. Of an account only its do-not-reach list matters, and its state
 * identifies that.
 */
const canonical = ({ primary, groups, without }: EstimatedUsers) => {
  const textsOf = (sets: readonly UserSet[]) =>
    sets.map(({ kind, values }) => `${kind} ${[...new Set(values)].toSorted().join()}`).toSorted();
  return [textsOf(primary), groups.map((group) => textsOf(group).join(';')).toSorted(), textsOf(without)];
};

const valuesOf = (sets: readonly UserSet[], wanted: UserSet['kind']): string[] =>
  sets.flatMap(({ kind, values }) => (kind === wanted ? values : []));
