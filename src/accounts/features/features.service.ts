import { Injectable } from '@nestjs/common';
import type { Row } from '../../common/db/query/rows.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { Account } from '../entities/account.entity.js';
import type { Feature } from '../accounts.features.js';
import { FeatureWrites, type FeatureChanges } from './feature.writes.js';

/** Lists and changes the features of accounts. */
@Injectable()
export class FeaturesService {
  constructor(private readonly writes: FeatureWrites) {}

  /** The account's feature keys, limited to `asked` if given. */
  list(account: ActingAccount, asked?: Feature[]): string[] {
    return asked ? account.features.filter((key) => (asked as string[]).includes(key)) : account.features;
  }

  has(account: Row<Account>, feature: Feature): boolean {
    return account.features.includes(feature);
  }

  add(account: ActingAccount, keys: Feature[]): Promise<string[]> {
    return this.writes.change(account, { add: keys });
  }

  remove(account: ActingAccount, keys: Feature[]): Promise<string[]> {
    return this.writes.change(account, { remove: keys });
  }

  /**
   * Adds and removes features without an entry in the history, which names a user for each change. Returns the features of
   * the account; undefined if it does not exist.
   */
  changeByOperator(accountId: string, changes: FeatureChanges): Promise<string[] | undefined> {
    return this.writes.changeByOperator(accountId, changes);
  }
}
