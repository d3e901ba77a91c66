import { Injectable } from '@nestjs/common';
import type { Row } from '../../common/db/query/rows.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import type { Account } from '../entities/account.entity.js';
import { ACCOUNTS } from '../accounts/account.resource.js';
import { Resources } from '../resources/resources.service.js';
import type { Feature } from '../accounts.features.js';

@Injectable()
export class FeaturesService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly resources: Resources,
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

  /** Changes the features of the locked account, so that two concurrent changes both apply. */
  private async change(account: ActingAccount, change: (features: string[]) => string[]): Promise<string[]> {
    const { features } = await this.resources.edit(account, ACCOUNTS, [account.id], async (unitOfWork, db) => {
      await this.access.invalidate(db);
      return unitOfWork.update(account.id, (before) => ({ features: change(before.features) }));
    });
    return features;
  }
}
