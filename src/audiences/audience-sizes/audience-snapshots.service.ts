import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { rows } from '../../common/db/query/rows.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { belongs, leavesOf, type Segment } from '../entities/segments.js';
import { activeAt } from '../directory/directory-activity.rules.js';
import { DirectoryService } from '../directory/directory.service.js';
import type { Counted, Weighed } from '../directory/directory-count.statements.js';
import { countPeopleOfAudience } from './audience-sizings.statements.js';
import { AudienceSnapshot, type Matching } from '../entities/audience-snapshot.entity.js';
import { countByLeaves, storeSnapshot, withoutSnapshot } from './audience-snapshots.statements.js';

/** How to count the people of an audience. */
export interface Counting {
  audienceId: string;
  /** The owner of the audience. */
  accountId: string;
  /** The generation of the AudienceSizing; 0 if there is none. */
  generation: number;
  matching: Matching;
  at: Date;
  /** Also weighs the identifiers, if people are matched with the directory. */
  weightSeed?: string;
}

/** The size of a flexible audience. */
export interface FlexibleSize {
  persons: number;
  /** Identifies the counted state of the leaf audiences. */
  content: string;
}

/** Counts the people of audiences, and stores snapshots of them for flexible audiences. */
@Injectable()
export class AudienceSnapshots {
  constructor(
    private readonly db: DataSource,
    private readonly directory: DirectoryService,
    private readonly access: AudienceAccessService,
  ) {}

  /** Counts the people of an audience or a do-not-reach list. `keep`: stores a snapshot for flexible audiences. */
  async count(
    { audienceId, accountId, generation, matching, at, weightSeed }: Counting,
    { keep }: { keep: boolean },
  ): Promise<Counted & Partial<Weighed>> {
    const revision = matching === 'DIRECTORY' ? await this.directory.match(audienceId) : 0;
    const time = at.toISOString();
    const counted =
      matching === 'ALL'
        ? await countPeopleOfAudience(this.db, audienceId, time)
        : await this.directory.matchedPeople(audienceId, at, weightSeed);
    const taken = { audienceId, accountId, generation, matching, revision, at: time, until: counted.changesAt };
    if (keep) await storeSnapshot(this.db.manager, taken);
    return counted;
  }

  /**
   * The number of persons in a flexible audience at a time: those in the snapshots of its leaf audiences for whom the
   * tree holds. A deleted audience, one of a deleted account, and one that the owner of the flexible audience neither has
   * nor is shared with has no people.
   */
  async sizeOf(owner: { id: string }, segments: Segment, matching: Matching, at: Date): Promise<FlexibleSize> {
    const leaves = leavesOf(segments).map((leaf, place) => ({ ...leaf, bit: 1 << place }));
    const named = [...new Set(leaves.map((leaf) => leaf.custom_audience_id))];
    const found = await this.access
      .visibleTo({ ...owner, db: this.db.manager })
      .whereIn('id', named)
      .whereInSubquery('accountId', rows(this.db.manager, Account), 'id')
      .getMany();
    const alive = new Map(found.map((audience) => [audience.id, audience]));
    const counted = leaves.filter((leaf) => alive.has(leaf.custom_audience_id));
    if (counted.length === 0) return { persons: 0, content: '' };
    const missing = await withoutSnapshot(this.db.manager, [...alive.keys()], { matching, at: at.toISOString() });
    for (const each of missing) {
      const { accountId } = alive.get(each.audienceId)!;
      await this.count({ ...each, accountId, matching, at }, { keep: true });
    }
    const inactive = matching === 'DIRECTORY' ? activeAt(at) : undefined;
    const before = await this.stateOf([...alive.keys()]);
    const groups = await countByLeaves(this.db.manager, counted, at, inactive);
    // Another process may store snapshots meanwhile; then the count belongs to neither state.
    const content = `${before} ${await this.stateOf([...alive.keys()])}`;
    const holds = belongs(segments);
    const persons = groups.reduce((size, group) => (holds(group.leaves) ? size + group.persons : size), 0);
    return { persons, content };
  }

  /** Identifies a state of the snapshots. */
  private async stateOf(audienceIds: readonly string[]): Promise<string> {
    const snapshots = await rows(this.db.manager, AudienceSnapshot).whereIn('audienceId', audienceIds).getMany();
    const states = snapshots.map(({ audienceId, generation, at }) => `${audienceId}/${generation}/${String(at)}`);
    return states.toSorted().join();
  }
}
