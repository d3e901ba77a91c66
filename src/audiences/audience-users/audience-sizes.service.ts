import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/accounts/account.entity.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resources/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import type { Generosity } from '../../common/db/query/long-read.js';
import { rows } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { Config } from '../../config.js';
import type { ReasonNotTargetable } from '../custom-audiences/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from '../custom-audiences/custom-audience.resource.js';
import { DO_NOT_REACH_LISTS } from '../do-not-reach-lists/do-not-reach-list.resource.js';
import { countPeople, type Counted, type DueSizing } from './audience-sizings.statements.js';

/** What counting people is given: a million take seconds. */
export const COUNTING: Generosity = { seconds: 60, megabytes: 64 };

/** How large audiences are, and what follows from it (facts 6.5). */
@Injectable()
export class AudienceSizes {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly resources: Resources,
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

  private async count({ audienceId, accountId }: DueSizing): Promise<Counted> {
    const at = this.clock.now().toISOString();
    if (await this.countsAll(accountId)) return countPeople(this.db, audienceId, at, COUNTING);
    return countPeople(this.db, audienceId, at, COUNTING);
  }

  /** Whether people count who are no users of the platform. */
  private async countsAll(accountId: string): Promise<boolean> {
    if (this.config.audienceMatching === 'all') return true;
    const account = await rows(this.db.manager, Account).is('id', accountId).first();
    return account?.environment === 'sandbox';
  }
}
