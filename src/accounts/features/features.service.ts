import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import type { Row } from '../../common/db/query/rows.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Account } from '../entities/account.entity.js';
import { ACCOUNTS } from '../accounts/account.resource.js';
import { Resources } from '../resources/resources.service.js';
import type { Feature } from '../accounts.features.js';

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
    return this.change(account, (features) => [...new Set([...features, ...keys])].sort());
  }

  remove(account: ActingAccount, keys: Feature[]): Promise<string[]> {
    return this.change(account, (features) => features.filter((key) => !(keys as string[]).includes(key)));
  }

  /**
   * Adds and removes features without an entry in the history, which names a user for each change. Returns the features of
   * the account; undefined if it does not exist.
   */
  async changeByOperator(
    accountId: string,
    { add = [], remove = [] }: { add?: Feature[]; remove?: Feature[] },
  ): Promise<string[] | undefined> {
    return this.db.transaction(async (tx) => {
      const lock = { mode: 'for_no_key_update' } as const;
      const account = await tx.findOne(Account, { where: { id: accountId }, lock });
      if (!account) return undefined;
      const features = [...new Set([...account.features, ...add])]
        .filter((key) => !(remove as string[]).includes(key))
        .sort();
      await tx.update(Account, { id: accountId }, { features, updatedAt: nextUpdatedAtOf(this.clock.now()) });
      await this.access.invalidate(tx);
      return features;
    });
  }

  /** Changes the features of the locked account, so that two concurrent changes both apply. */
  private async change(account: ActingAccount, change: (features: string[]) => string[]): Promise<string[]> {
    const { features } = await this.resources.edit(account, ACCOUNTS, [account.id], async (unitOfWork, db) => {
      await this.access.invalidate(db);
      return unitOfWork.update(account.id, (before) => ({ features: change(before.features) }));
    });
    return features;
  }
}
