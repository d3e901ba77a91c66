import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows } from '../../common/db/query/rows.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import { Account } from '../entities/account.entity.js';
import type { Permission } from '../../auth/guards/endpoint-policy.js';
import type { ActingAccount } from './acting-account.js';
import { Membership } from './membership.entity.js';
import { allows } from './permission.js';
import type { Role } from './roles.js';

/** The channel on which changes of accounts and memberships invalidate caches. */
export const ACCOUNTS_CHANNEL = 'accounts';

/**
 * Finds the accounts a user may access, with the user's role. Every request asks, so results are cached for ten seconds
 * or until `invalidate`.
 */
@Injectable()
export class AccountAccessService {
  private readonly known: SharedCache<ActingAccount>;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, ACCOUNTS_CHANNEL, { max: 10_000 });
  }

  /**
   * The account as this user may access it, deleted accounts included; undefined if the user has no access or it does
   * not exist. In a transaction it is read again, and acts in the transaction.
   */
  find(
    environment: AdsEnvironment,
    accountId: string,
    userId: string,
    db = this.db.manager,
  ): ActingAccount | Promise<ActingAccount | undefined> {
    const known = db.queryRunner ? undefined : this.known.get(`${environment} ${accountId} ${userId}`);
    return known ?? this.load(environment, accountId, userId, db);
  }

  /**
   * Whether a user may perform an action that belongs to no account: at least one of their accounts must permit it.
   * Users without any account may perform it too.
   */
  async mayAnywhere(environment: AdsEnvironment, userId: string, permission: Permission): Promise<boolean> {
    const db = this.db.manager;
    const accounts = rows(db, Account).where('environment', environment);
    const memberships = await rows(db, Membership)
      .where('userId', userId)
      .whereInSubquery('accountId', accounts, 'id')
      .getMany();
    return memberships.length === 0 || memberships.some(({ role }) => allows(role, permission));
  }

  /** The ids of the accounts, in production and in the sandbox, on which the role of a user has a permission. */
  async permitting(userId: string, { roles }: Permission): Promise<string[]> {
    const db = this.db.manager;
    const memberships = rows(db, Membership)
      .where('userId', userId)
      .whereIn('role', roles as Role[]);
    const accounts = await rows(db, Account).whereInSmallSubquery('id', memberships, 'accountId').getMany();
    return accounts.map(({ id }) => id);
  }

  /** Call this in the transaction that changes an account or a membership, or after the statement. */
  invalidate(db: EntityManager = this.db.manager): Promise<void> {
    return this.known.invalidate(db);
  }

  private async load(
    environment: AdsEnvironment,
    accountId: string,
    userId: string,
    db: EntityManager,
  ): Promise<ActingAccount | undefined> {
    const keep = this.known.beginRead();
    // Run both statements in parallel to wait only once.
    const [account, membership] = await Promise.all([
      rows(db, Account).withDeleted().where('id', accountId).where('environment', environment).getOne(),
      rows(db, Membership).where('accountId', accountId).where('userId', userId).getOne(),
    ]);
    if (!account || !membership) return undefined;
    const { role, postComposer } = membership;
    const found: ActingAccount = { ...account, userId, role, postComposer, db, now: this.clock.timeOf(account) };
    // the time of a test clock changes without an invalidation, and a transaction ends
    if (found.frozenTime === null && !db.queryRunner) keep(`${environment} ${accountId} ${userId}`, found);
    return found;
  }
}
