import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/accounts/account.entity.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resources/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import { DAY_MS, dayOf } from '../../common/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { isAccountNotFound } from '../../common/errors/catalogue.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { Config } from '../../config.js';
import { CustomAudience, type ReasonNotTargetable } from '../custom-audiences/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from '../custom-audiences/custom-audience.resource.js';
import type { Counted } from '../directory/directory-count.statements.js';
import { DirectoryService } from '../directory/directory.service.js';
import { DoNotReachList } from '../do-not-reach-lists/do-not-reach-list.entity.js';
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

  /**
   * Counts the people of what is due and stores the size. Returns when it changes by itself, null for never; undefined where
   * the audience or its account is deleted, so that it is not counted again.
   */
  async resize(due: DueSizing): Promise<{ changesAt: string | null } | undefined> {
    if (!(await this.isAlive(due))) return undefined;
    const { valid, changesAt } = await this.count(due);
    const isEnough = valid >= this.config.audienceMinimumSize;
    const reasonsNotTargetable: ReasonNotTargetable[] = isEnough ? [] : ['TOO_SMALL'];
    const size = isEnough ? valid : null;
    const isStored =
      due.kind === 'CUSTOM_AUDIENCE'
        ? await this.store(due, CUSTOM_AUDIENCES, { reasonsNotTargetable, audienceSize: size })
        : await this.store(due, DO_NOT_REACH_LISTS, { reasonsNotTargetable, listSize: size });
    if (!isStored) return undefined;
    await countMadeOf(this.db.manager, due.audienceId, this.clock.now().toISOString());
    return { changesAt };
  }

  /** Returns whether the size was stored: not where the audience or its account was deleted meanwhile. */
  private async store<T extends Resource>(
    { audienceId, accountId, userId }: DueSizing,
    definition: ResourceDefinition<T>,
    state: Partial<ResourceRow<T>>,
  ): Promise<boolean> {
    try {
      return await this.resources.edit({ id: accountId, userId }, definition, [audienceId], (edits) => {
        if (!edits.stored.has(audienceId)) return false;
        edits.update(audienceId, state);
        return true;
      });
    } catch (error) {
      if (isAccountNotFound(error)) return false;
      throw error;
    }
  }

  private isAlive({ audienceId, kind }: DueSizing): Promise<boolean> {
    const { manager } = this.db;
    const accounts = rows(manager, Account);
    return kind === 'CUSTOM_AUDIENCE'
      ? rows(manager, CustomAudience).is('id', audienceId).within('accountId', accounts, 'id').exists()
      : rows(manager, DoNotReachList).is('id', audienceId).within('accountId', accounts, 'id').exists();
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
