import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { replace } from '../../common/db/query/write.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Account } from '../accounts/account.entity.js';
import { ChangeLog, updated } from '../change-log/change-log.service.js';
import type { Feature } from './features.js';

@Injectable()
export class FeaturesService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly changes: ChangeLog,
  ) {}

  /** Part 3, 4.4: the account's feature keys, of those asked if any are. */
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

  /** Read under a lock, so that two changes at once both count. */
  private change(account: ActingAccount, change: (features: string[]) => string[]): Promise<string[]> {
    return this.db.transaction(async (tx) => {
      const [before] = await run<Row<Account>>(tx, rows(tx, Account).is('id', account.id).statement(' FOR UPDATE'));
      if (!before) throw accountNotFound(account.id);
      const after: Row<Account> = {
        ...before,
        features: change(before.features),
        updatedAt: nextUpdatedAt(before.updatedAt, this.clock.now()),
      };
      const difference = updated('ACCOUNT', account.id, { features: before.features }, { features: after.features });
      await this.changes.store(tx, account, [replace(Account, [after])], [difference]);
      await this.access.invalidate(tx);
      return after.features;
    });
  }
}
