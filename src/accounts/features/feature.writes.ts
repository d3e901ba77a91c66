import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { ACCOUNTS } from '../accounts/account.resource.js';
import type { Feature } from '../accounts.features.js';
import { Account } from '../entities/account.entity.js';
import { Resources } from '../resources/resources.service.js';

/** The features that an account gains and loses. */
export interface FeatureChanges {
  add?: readonly Feature[];
  remove?: readonly Feature[];
}

/** Stores the features of accounts. */
@Injectable()
export class FeatureWrites {
  constructor(
    private readonly access: AccountAccessService,
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Changes the features of the locked account, so that two concurrent changes both apply. */
  async change(account: ActingAccount, changes: FeatureChanges): Promise<string[]> {
    const { features } = await this.resources.edit(account, ACCOUNTS, [account.id], async (unitOfWork, db) => {
      await this.access.invalidate(db);
      return unitOfWork.update(account.id, (before) => ({ features: changed(before.features, changes) }));
    });
    return features;
  }

  /** Changes the features without an entry in the history. Returns undefined if the account does not exist. */
  async changeByOperator(accountId: string, changes: FeatureChanges): Promise<string[] | undefined> {
    return this.db.transaction(async (tx) => {
      const lock = { mode: 'for_no_key_update' } as const;
      const account = await tx.findOne(Account, { where: { id: accountId }, lock });
      if (!account) return undefined;
      const features = changed(account.features, changes);
      await tx.update(Account, { id: accountId }, { features, updatedAt: nextUpdatedAtOf(this.clock.now()) });
      await this.access.invalidate(tx);
      return features;
    });
  }
}

/** The features after a change, in alphabetical order. */
const changed = (features: readonly string[], { add = [], remove = [] }: FeatureChanges): string[] =>
  [...new Set([...features, ...add])].filter((key) => !(remove as readonly string[]).includes(key)).sort();
