import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import type { Row } from '../../common/db/query/rows.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { Feature } from '../accounts.features.js';
import { ACCOUNTS, Account } from '../entities/account.entity.js';
import { Resources } from '../resources/resources.service.js';

/** The features that an account gains and loses. */
export interface FeatureChanges {
  add?: readonly Feature[];
  remove?: readonly Feature[];
}

/** Lists and changes the features of accounts. */
@Injectable()
export class FeaturesService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The account's feature keys, limited to `asked` if given. */
  list(account: ActingAccount, asked?: Feature[]): string[] {
    return asked ? account.features.filter((key) => (asked as string[]).includes(key)) : account.features;
  }

  has(account: Row<Account>, feature: Feature): boolean {
    return account.features.includes(feature);
  }

  add(account: ActingAccount, keys: Feature[]): Promise<string[]> {
    return this.change(account, { add: keys });
  }

  remove(account: ActingAccount, keys: Feature[]): Promise<string[]> {
    return this.change(account, { remove: keys });
  }

  /**
   * Adds and removes features without an entry in the history, which names a user for each change. Returns the features of
   * the account; undefined if it does not exist.
   */
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

  /** Changes the features of the locked account, so that two concurrent changes both apply. */
  private async change(account: ActingAccount, changes: FeatureChanges): Promise<string[]> {
    const { features } = await this.resources.changeLocked(account, ACCOUNTS, [], async (unit) => {
      const before = await unit.lockOne(account.id);
      await this.access.invalidate(unit.db);
      return unit.update(account.id, { features: changed(before.features, changes) });
    });
    return features;
  }
}

/** The features after a change, in alphabetical order. */
const changed = (features: readonly string[], { add = [], remove = [] }: FeatureChanges): string[] =>
  [...new Set([...features, ...add])].filter((key) => !(remove as readonly string[]).includes(key)).sort();
