import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/accounts/account.entity.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resources/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import { DAY_MS, dayOf } from '../../common/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { Config } from '../../config.js';
import { CustomAudience, type ReasonNotTargetable } from '../custom-audiences/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from '../custom-audiences/custom-audience.resource.js';
import type { Counted } from '../directory/directory-count.statements.js';
import { DirectoryService } from '../directory/directory.service.js';
import { DO_NOT_REACH_LISTS } from '../do-not-reach-lists/do-not-reach-list.resource.js';
import { AudienceSnapshots } from './audience-snapshots.service.js';
import { countMadeOf, type DueSizing } from './audience-sizings.statements.js';

/** How large audiences are, and what follows from it (facts 6.5). */
@Injectable()
export class AudienceSizes {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly resources: Resources,
    private readonly directory: DirectoryService,
    private readonly snapshots: AudienceSnapshots,
  ) {}

  /** Counts the people of what is due and stores the size; answers when it changes by itself. */
  async resize(due: DueSizing): Promise<string | null> {
    const { valid, changesAt } = await this.count(due);
    const isEnough = valid >= this.config.audienceMinimumSize;
    const reasonsNotTargetable: ReasonNotTargetable[] = isEnough ? [] : ['TOO_SMALL'];
    const size = isEnough ? valid : null;
    if (due.kind === 'CUSTOM_AUDIENCE')
      await this.store(due, CUSTOM_AUDIENCES, { reasonsNotTargetable, audienceSize: size });
    else await this.store(due, DO_NOT_REACH_LISTS, { reasonsNotTargetable, listSize: size });
    await countMadeOf(this.db.manager, due.audienceId, this.clock.now().toISOString());
    return changesAt;
  }

  /** Where it was deleted meanwhile nobody asks for its size any more. */
  private store<T extends Resource>(
    { audienceId, accountId, userId }: DueSizing,
    definition: ResourceDefinition<T>,
    state: Partial<ResourceRow<T>>,
  ): Promise<void> {
    return this.resources.edit({ id: accountId, userId }, definition, [audienceId], (edits) => {
      if (edits.stored.has(audienceId)) edits.update(audienceId, state);
    });
  }

  /** How many of the people of an audience count in its size, of whom so many belong to it now. */
  async matched({ id, accountId }: Pick<Row<CustomAudience>, 'id' | 'accountId'>, valid: number): Promise<number> {
    return (await this.countsAll(accountId)) ? valid : (await this.directory.matchedPeople(id)).valid;
  }

  private async count({ audienceId, accountId, kind, generation }: DueSizing): Promise<Counted> {
    const at = this.clock.now();
    const matching = (await this.countsAll(accountId)) ? 'ALL' : 'DIRECTORY';
    const audience =
      kind === 'CUSTOM_AUDIENCE' ? await rows(this.db.manager, CustomAudience).is('id', audienceId).first() : undefined;
    if (audience?.segments) {
      const valid = await this.snapshots.sizeOf(audience.segments, matching, at);
      return { valid, changesAt: midnightAfter(at) };
    }
    return this.snapshots.count({ audienceId, generation, matching, at }, { keep: kind === 'CUSTOM_AUDIENCE' });
  }

  /** Whether people count who are no users of the platform. */
  private async countsAll(accountId: string): Promise<boolean> {
    if (this.config.audienceMatching === 'all') return true;
    const account = await rows(this.db.manager, Account).is('id', accountId).first();
    return account?.environment === 'sandbox';
  }
}

/** When the days of lookback windows begin anew. */
const midnightAfter = (at: Date) => new Date((dayOf(at.getTime()) + 1) * DAY_MS).toISOString();
