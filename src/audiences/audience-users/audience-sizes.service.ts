import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/accounts/account.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import { rows } from '../../common/db/query/rows.js';
import { Config } from '../../config.js';
import type { ReasonNotTargetable } from '../custom-audiences/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from '../custom-audiences/custom-audience.resource.js';
import { countPeople, type Counted, type DueSizing } from './audience-sizings.statements.js';

/** How long people may be counted for: a million take seconds. */
export const COUNT_TIMEOUT_MS = 60_000;

/** What a size says of an audience. */
export interface SizeState {
  reasonsNotTargetable: ReasonNotTargetable[];
  size: number | null;
}

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
    const { reasonsNotTargetable, size } = this.stateOf(valid);
    await this.resources.edit(
      { id: due.accountId, userId: due.userId },
      CUSTOM_AUDIENCES,
      [due.audienceId],
      (edits) => {
        // deleted meanwhile, or its account: nobody asks for its size any more
        if (edits.stored.has(due.audienceId))
          edits.update(due.audienceId, { reasonsNotTargetable, audienceSize: size });
      },
    );
    return changesAt;
  }

  private async count({ audienceId, accountId }: DueSizing): Promise<Counted> {
    const at = this.clock.now().toISOString();
    if (await this.countsAll(accountId)) return countPeople(this.db, audienceId, at, COUNT_TIMEOUT_MS);
    return countPeople(this.db, audienceId, at, COUNT_TIMEOUT_MS);
  }

  /** Whether people count who are no users of the platform. */
  private async countsAll(accountId: string): Promise<boolean> {
    if (this.config.audienceMatching === 'all') return true;
    const account = await rows(this.db.manager, Account).is('id', accountId).first();
    return account?.environment === 'sandbox';
  }

  private stateOf(size: number): SizeState {
    const isEnough = size >= this.config.audienceMinimumSize;
    return { reasonsNotTargetable: isEnough ? [] : ['TOO_SMALL'], size: isEnough ? size : null };
  }
}
