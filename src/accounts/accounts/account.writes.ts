import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { retrying } from '../../common/db/query/retry.js';
import type { LockMode, Row } from '../../common/db/query/rows.js';
import { insert, write, type Write } from '../../common/db/query/write.js';
import type { Environment } from '../../common/http/urls/public-urls.js';
import { enqueued, noticed } from '../../common/jobs/enqueue.js';
import { AccountAccessService } from '../access/account-access.service.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { DEFAULT_FEATURES } from '../accounts.features.js';
import { recordOf } from '../change-log/change-log.js';
import { Account } from '../entities/account.entity.js';
import { PromotableUser } from '../promotable-users/promotable-user.entity.js';
import { Resources } from '../resources/resources.service.js';
import type { UnitOfWork } from '../resources/unit-of-work.js';
import { ACCOUNT_DELETED } from './account-deleted.job.js';
import { presentAccount, type NamedAccount } from './account.presenter.js';
import { ACCOUNTS } from './account.resource.js';
import { BusinessQueries } from './business.queries.js';

/** The fields of a new account; the others have defaults. */
export interface NewAccount {
  environment: Environment;
  name: string;
  timezone: string;
  businessId?: string | null;
  timezoneSwitchAt?: string | null;
  countryCode?: string | null;
}

/** Stores and deletes accounts. */
@Injectable()
export class AccountWrites {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly businesses: BusinessQueries,
    private readonly resources: Resources,
  ) {}

  /** Creates an account with this user as its admin and FULL promotable user. */
  async create(userId: string, given: NewAccount): Promise<NamedAccount> {
    const now = this.clock.now();
    return retrying(async () => {
      const account = newAccount(given, now);
      const named = await this.businesses.named(account);
      await write(this.db.manager, writesOfNew(account, named, userId, now));
      await this.access.invalidate();
      return named;
    });
  }

  update(account: ActingAccount, changes: Partial<Pick<Row<Account>, 'name' | 'industryType'>>): Promise<Row<Account>> {
    return this.edit(account, (unitOfWork) => unitOfWork.update(account.id, changes));
  }

  /** Deletes an account and enqueues the work that follows. */
  async delete(account: ActingAccount): Promise<Row<Account>> {
    const remove = (unitOfWork: UnitOfWork<Account>) => {
      unitOfWork.addWrite(enqueued(ACCOUNT_DELETED, [{ accountId: account.id }]));
      return unitOfWork.delete(account.id);
    };
    const deleted = await this.edit(account, remove, 'pessimistic_write');
    noticed(this.db.manager, ACCOUNT_DELETED);
    return deleted;
  }

  /** Invalidates cached copies of the account in the transaction that changes it. */
  private edit(account: ActingAccount, change: (unitOfWork: UnitOfWork<Account>) => Row<Account>, lock?: LockMode) {
    const plan = async (unitOfWork: UnitOfWork<Account>, db: EntityManager) => {
      await this.access.invalidate(db);
      return change(unitOfWork);
    };
    return this.resources.edit(account, ACCOUNTS, [account.id], plan, { lock });
  }
}

const newAccount = (
  { businessId = null, timezoneSwitchAt = null, countryCode = null, ...given }: NewAccount,
  now: Date,
): Row<Account> => ({
  ...newRow(now),
  ...given,
  businessId,
  timezoneSwitchAt,
  countryCode,
  industryType: 'OTHER',
  approvalStatus: 'ACCEPTED',
  features: [...DEFAULT_FEATURES].sort(),
  clockId: null,
  frozenTime: null,
  clockAdvancing: false,
});

/** The writes of a new account with this user as its admin and FULL promotable user. */
function writesOfNew(account: Row<Account>, named: NamedAccount, userId: string, now: Date): Write[] {
  const { id, createdAt } = account;
  const change = { type: 'CREATE', entity: 'ACCOUNT', id, data: presentAccount(named) } as const;
  return [
    insert(Account, [account]),
    insert(Membership, [{ accountId: id, userId, role: 'ACCOUNT_ADMIN', postComposer: true, createdAt }]),
    insert(PromotableUser, [{ ...newRow(now), accountId: id, userId, promotableUserType: 'FULL' }]),
    recordOf([change], { id, userId }, now),
  ];
}
