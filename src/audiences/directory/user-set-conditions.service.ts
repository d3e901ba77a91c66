import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { DAY_MS } from '../../common/time/days.js';
import { PostTermsService } from '../../creatives/post-terms/post-terms.service.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { leavesOf } from '../entities/segments.js';
import { typicalFollows } from './directory-count.statements.js';
import type { AskedAudience } from './user-memberships.statements.js';
import { setValuesOf, wantedOf, withTypicalFollows, type WantedSet } from './user-set.rules.js';
import type { UserSet } from './user-sets.js';

/** A user writes a keyword if they used it within these days, in one of this many newest posts. */
const WRITING_DAYS = 7;
const MAX_POSTS = 1_000;

/** What followers have in common changes slowly, and clients request it repeatedly while they edit a line item. */
const TYPICAL = { max: 1_000, ttl: 60_000 };

/** Translates sets of users into the conditions that an estimate counts by. */
@Injectable()
export class UserSetConditions {
  private readonly typical = new LRUCache<string, readonly string[]>(TYPICAL);

  constructor(
    private readonly db: DataSource,
    private readonly postTerms: PostTermsService,
    private readonly access: AudienceAccessService,
  ) {}

  /** Sets without audiences, as conditions on rows; undefined if there are none. */
  async wanted(sets: readonly UserSet[], now: Date): Promise<WantedSet | undefined> {
    const known = sets.filter(({ kind, values }) => kind !== 'CUSTOM_AUDIENCE' && values.length > 0);
    if (known.length === 0) return undefined;
    const seeds = setValuesOf(known, 'SIMILAR_TO_FOLLOWERS_OF_USER');
    const keywords = setValuesOf(known, 'KEYWORD');
    const [typical, writers] = await Promise.all([this.typicalOf(seeds), this.writersOf(keywords, now)]);
    return wantedOf([...withTypicalFollows(known, typical), { kind: 'USER', values: writers }]);
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

  /**
   * The audiences of sets with their parts, as far as they are alive and the account has them or they are shared with it.
   * Others have no people, whatever the rows of the account name. The parts are those that their owner sees.
   */
  async audiences(account: { id: string }, sets: readonly UserSet[]): Promise<AskedAudience[]> {
    const visible = await this.visibleTo(account.id, setValuesOf(sets, 'CUSTOM_AUDIENCE'));
    const leaves = new Map<string, string[]>();
    for (const { accountId, segments } of visible) {
      const named = segments ? leavesOf(segments).map((leaf) => leaf.custom_audience_id) : [];
      if (named.length > 0) leaves.set(accountId, [...(leaves.get(accountId) ?? []), ...named]);
    }
    const withPeople = new Map<string, ReadonlySet<string>>();
    for (const [ownerId, named] of leaves)
      withPeople.set(ownerId, new Set((await this.visibleTo(ownerId, named)).map(({ id }) => id)));
    return visible.map(({ id, accountId, segments }) => {
      if (!segments) return { id, madeOf: [id] };
      const madeOf = leavesOf(segments).map((leaf) => leaf.custom_audience_id);
      return { id, segments, madeOf: [...new Set(madeOf)].filter((each) => withPeople.get(accountId)?.has(each)) };
    });
  }

  private async visibleTo(accountId: string, ids: readonly string[]) {
    if (ids.length === 0) return [];
    return this.access
      .visibleTo({ id: accountId, db: this.db.manager })
      .whereIn('id', [...new Set(ids)])
      .getMany();
  }
}
