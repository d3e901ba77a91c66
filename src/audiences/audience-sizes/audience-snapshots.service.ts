import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { rows } from '../../common/db/query/rows.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import { belongs, leavesOf, type Segment } from '../entities/segments.js';
import { activeAt, DirectoryService } from '../directory/directory.service.js';
import type { Counted, Weighed } from '../directory/directory-count.statements.js';
import { countPeople } from './audience-sizings.statements.js';
import { AudienceSnapshot, type Matching } from '../entities/audience-snapshot.entity.js';
import { countByLeaves, storeSnapshot, withoutSnapshot } from './audience-snapshots.statements.js';

/** How the people of an audience are counted. */
export interface Counting {
  audienceId: string;
  /** As its AudienceSizing has it; 0 where it has none. */
  generation: number;
  matching: Matching;
  at: Date;
  /** Has the identifiers weighed as well, where people are matched with the directory. */
  weightSeed?: string;
}

/** The size of a flexible audience. */
export interface FlexibleSize {
  persons: number;
  /** Which state of the audiences of its leaves was counted. */
  content: string;
}

/** Counts the people of audiences, and keeps who they are for those that are made of them. */
@Injectable()
export class AudienceSnapshots {
  constructor(
    private readonly db: DataSource,
    private readonly directory: DirectoryService,
  ) {}

  /** Counts the people of an audience, or of a do-not-reach list; `keep`: for flexible audiences, too. */
  async count(
    { audienceId, generation, matching, at, weightSeed }: Counting,
    { keep }: { keep: boolean },
  ): Promise<Counted & Partial<Weighed>> {
    const revision = matching === 'DIRECTORY' ? await this.directory.match(audienceId) : 0;
    const time = at.toISOString();
    const counted =
      matching === 'ALL'
        ? await countPeople(this.db, audienceId, time)
        : await this.directory.matchedPeople(audienceId, at, weightSeed);
    const taken = { audienceId, generation, matching, revision, at: time, until: counted.changesAt };
    if (keep) await storeSnapshot(this.db.manager, taken);
    return counted;
  }

  /**
   * How many persons belong to a flexible audience at a time: those for whom its tree holds, of all
   * who are in the audiences of its leaves by then. An audience that is deleted, or whose account is, has nobody.
   */
  async sizeOf(segments: Segment, matching: Matching, at: Date): Promise<FlexibleSize> {
    const leaves = leavesOf(segments).map((leaf, place) => ({ ...leaf, bit: 1 << place }));
    const named = [...new Set(leaves.map((leaf) => leaf.custom_audience_id))];
    const found = await rows(this.db.manager, CustomAudience)
      .whereIn('id', named)
      .whereInSubquery('accountId', rows(this.db.manager, Account), 'id')
      .getMany();
    const alive = new Set(found.map(({ id }) => id));
    const counted = leaves.filter((leaf) => alive.has(leaf.custom_audience_id));
    if (counted.length === 0) return { persons: 0, content: '' };
    const missing = await withoutSnapshot(this.db.manager, [...alive], { matching, at: at.toISOString() });
    for (const each of missing) await this.count({ ...each, matching, at }, { keep: true });
    const inactive = matching === 'DIRECTORY' ? activeAt(at) : undefined;
    const before = await this.stateOf([...alive]);
    const groups = await countByLeaves(this.db.manager, counted, at, inactive);
    // another process may take snapshots meanwhile: then what was counted is neither the one state nor the other
    const content = `${before} ${await this.stateOf([...alive])}`;
    const holds = belongs(segments);
    const persons = groups.reduce((size, group) => (holds(group.leaves) ? size + group.persons : size), 0);
    return { persons, content };
  }

  /** Tells states of snapshots apart. */
  private async stateOf(audienceIds: readonly string[]): Promise<string> {
    const snapshots = await rows(this.db.manager, AudienceSnapshot).whereIn('audienceId', audienceIds).getMany();
    const states = snapshots.map(({ audienceId, generation, at }) => `${audienceId}/${generation}/${String(at)}`);
    return states.toSorted().join();
  }
}
