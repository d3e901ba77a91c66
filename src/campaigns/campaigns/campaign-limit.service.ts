import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { countersOf, limitCounter } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { write } from '../../common/db/query/write.js';
import { accountNotFound, invalid } from '../../common/errors/catalogue.js';
import { ACTIVE_CAMPAIGNS } from '../entities/active-campaigns.js';

/** Reads and sets the limit of active campaigns of accounts. */
@Injectable()
export class CampaignLimitService {
  constructor(private readonly db: DataSource) {}

  /** The number of active campaigns of an account, and its limit. */
  async get(accountId: string): Promise<{ active: number; limit: number }> {
    const counters = await countersOf(this.db.manager, [accountId]);
    const counter = counters.find(({ kind }) => kind === ACTIVE_CAMPAIGNS.kind);
    return { active: counter?.value ?? 0, limit: counter?.limit ?? ACTIVE_CAMPAIGNS.limit };
  }

  /** Sets the limit of active campaigns of an account, from 1 to 8,000. Active campaigns remain active. */
  async set(accountId: string, limit: number): Promise<void> {
    const { highestLimit } = ACTIVE_CAMPAIGNS;
    if (!Number.isInteger(limit) || limit < 1 || limit > highestLimit)
      throw invalid('limit', `Expected a whole number from 1 to ${highestLimit} for limit, got ${limit}`, {
        value: limit,
      });
    await write(
      this.db.manager,
      [limitCounter({ ownerId: accountId, kind: ACTIVE_CAMPAIGNS.kind, limit })],
      [exists(Account, { id: accountId }, () => accountNotFound(accountId))],
    );
  }
}
