import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows } from '../../common/db/query/rows.js';
import type { Environment } from '../../common/http/urls/public-urls.js';
import { Account } from '../entities/account.entity.js';
import type { Permission } from '../../auth/guards/endpoint-policy.js';
import type { ActingAccount } from './acting-account.js';
import { Membership } from './membership.entity.js';
import { allows } from './permission.js';

const CHANNEL = 'accounts';

/** Which accounts a user may act on, and as what: asked by every request, so kept for ten seconds or until somebody says it changed. */
@Injectable()
export class AccountAccessService {
  private readonly known: SharedCache<ActingAccount>;

  constructor(
    private readonly db: DataSource,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 10_000 });
  }

  /** The account as this user may act on it, deleted ones too; undefined where it is not theirs, or does not exist. */
  find(
    environment: Environment,
    accountId: string,
    userId: string,
  ): ActingAccount | Promise<ActingAccount | undefined> {
    return this.known.get(`${environment} ${accountId} ${userId}`) ?? this.load(environment, accountId, userId);
  }

  /**
   * Whether a user may do what belongs to no account: where one of their accounts allows it. Nobody keeps those from it who
   * have no account at all.
   */
  async mayAnywhere(environment: Environment, userId: string, permission: Permission): Promise<boolean> {
    const db = this.db.manager;
    const accounts = rows(db, Account).where('environment', environment);
    const memberships = await rows(db, Membership)
      .where('userId', userId)
      .whereInSubquery('accountId', accounts, 'id')
      .getMany();
    return memberships.length === 0 || memberships.some(({ role }) => allows(role, permission));
  }

  /** To be called in the transaction, or after the statement, that changed an account or a membership. */
  invalidate(db: EntityManager = this.db.manager): Promise<void> {
    return this.known.invalidate(db);
  }

  private async load(environment: Environment, accountId: string, userId: string): Promise<ActingAccount | undefined> {
    const keep = this.known.beginRead();
    const db = this.db.manager;
    // both at once: on the way are two statements, but one wait
    const [account, membership] = await Promise.all([
      rows(db, Account).withDeleted().where('id', accountId).where('environment', environment).getOne(),
      rows(db, Membership).where('accountId', accountId).where('userId', userId).getOne(),
    ]);
    if (!account || !membership) return undefined;
    const { role, postComposer } = membership;
    const found: ActingAccount = { ...account, userId, role, postComposer };
    keep(`${environment} ${accountId} ${userId}`, found);
    return found;
  }
}
