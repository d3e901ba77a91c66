import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Membership } from '../../accounts/access/membership.entity.js';
import { MANAGERS } from '../../accounts/access/roles.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { accountNotFound } from '../../common/errors/catalogue.js';

/** Maximum number of accounts that a page shows. */
const MAX_SHOWN = 50;

/** Finds the accounts whose pixels a user manages. */
@Injectable()
export class ManagedAccounts {
  constructor(
    private readonly db: DataSource,
    private readonly access: AccountAccessService,
  ) {}

  /** The first accounts, of both environments. */
  listFor(userId: string): Promise<Row<Account>[]> {
    return this.of(userId).orderBy('id').limit(MAX_SHOWN).getMany();
  }

  /** An account, on behalf of the user; 404 for any that the user does not manage. */
  async acting(userId: string, accountId: string): Promise<ActingAccount> {
    const account = await this.of(userId).where('id', accountId).getOne();
    const acting = account && (await this.access.find(account.environment, accountId, userId));
    if (!acting) throw accountNotFound(accountId);
    return acting;
  }

  private of(userId: string): Rows<Account> {
    const memberships = rows(this.db.manager, Membership)
      .where('userId', userId)
      .whereIn('role', [...MANAGERS]);
    return rows(this.db.manager, Account).whereInSubquery('id', memberships, 'accountId');
  }
}
