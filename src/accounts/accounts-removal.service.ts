import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { Clock } from '../common/time/clock.js';
import { nextAfterStored, unlessSet } from '../common/db/query/computed.js';
import { rewriteRow } from '../common/db/query/rewrite-row.js';
import { rows } from '../common/db/query/rows.js';
import { inPages } from '../common/list/in-pages.js';
import { inBatches } from '../common/values/grouped.js';
import { withoutPerson, type RemovedPerson } from '../common/entity/removed-person.js';
import { AccountAccessService } from './access/account-access.service.js';
import { Membership } from './access/membership.entity.js';
import { solelyAdministeredAccounts } from './accounts-removal.statements.js';
import { Account, Business } from './entities/account.entity.js';
import { rewriteTextsInChanges } from './change-log/rewrite-changes.js';
import { PromotableUser } from './promotable-users/promotable-user.entity.js';
import { NAMING_COLUMNS, TAX_SETTINGS, TaxSettings } from './tax-settings/tax-settings.entity.js';
import { taxFieldOf } from './tax-settings/tax-settings.presenter.js';
import { UserSettings } from './entities/user-settings.entity.js';
import { PromotableUserCache } from './promotable-users/promotable-user-cache.service.js';

const BATCH = 100;
/** Maximum number of accounts named in the error if a user cannot be deleted. */
const MAX_NAMED = 10;

/** Removes a deleted user from accounts, and their names from the names of these accounts. */
@Injectable()
export class AccountsRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
    private readonly access: AccountAccessService,
    private readonly promotableUsers: PromotableUserCache,
  ) {}

  onModuleInit(): void {
    this.removal.register({
      domain: 'accounts',
      refusal: (db, userId) => this.refusal(db, userId),
      remove: (user, signal) => this.remove(user, signal),
    });
  }

  private async refusal(db: EntityManager, userId: string): Promise<string | undefined> {
    const alone = await solelyAdministeredAccounts(db, userId, MAX_NAMED + 1);
    if (alone.length === 0) return undefined;
    const named = alone.slice(0, MAX_NAMED).map(({ id, name }) => `${name} (${id})`);
    const more = alone.length > MAX_NAMED ? ' and others' : '';
    return (
      `the user is the only administrator of ${named.join(', ')}${more}; give each of these ad accounts another administrator ` +
      '(`marquee account grant <account> <user> ACCOUNT_ADMIN`), or delete the ad account (`marquee account delete <account>`)'
    );
  }

  private async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    for (;;) {
      const memberships = await rows(manager, Membership)
        .where('userId', user.id)
        .orderBy('accountId')
        .limit(BATCH)
        .getMany();
      for (const { accountId } of memberships) {
        signal.throwIfAborted();
        // Delete the role last: a new process finds the account by it if this one ends in between.
        await this.rename(accountId, user, signal);
        await this.renameInAddresses(accountId, user, signal);
        await rows(manager, Membership).where('accountId', accountId).where('userId', user.id).delete();
      }
      if (memberships.length < BATCH) break;
    }
    await rows(manager, UserSettings).ofAllAccounts().where('userId', user.id).delete();
    await this.removePromotableUsers(user, signal);
    await this.access.invalidate();
  }

  /** Removes the user's names from the names of an account and its business. */
  private async rename(accountId: string, user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const ofAccount = (db: EntityManager) => rows(db, Account).withDeleted().where('id', accountId);
    const account = await ofAccount(manager).getOne();
    if (!account) return;
    const renamed = ({ name }: { name: string }) => {
      const without = withoutPerson(name, user);
      const updatedAt = nextAfterStored(this.clock.now().toISOString());
      return without === name ? undefined : { name: without, updatedAt };
    };
    if (renamed(account)) await rewriteRow(manager, ofAccount, renamed);
    const { businessId } = account;
    if (businessId !== null)
      await rewriteRow<Business>(manager, (tx) => rows(tx, Business).withDeleted().where('id', businessId), renamed);
    await rewriteTextsInChanges(
      manager,
      { accountId, entity: 'ACCOUNT', ids: [accountId] },
      { fields: ['name', 'business_name'], change: (text) => withoutPerson(text, user) },
      signal,
    );
  }

  /** Removes the user's names from the addresses that an account bills. */
  private async renameInAddresses(accountId: string, user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const settings = (db: EntityManager) => rows(db, TaxSettings).withDeleted().where('accountId', accountId);
    const found = await settings(manager).getOne();
    if (!found) return;
    const change = (text: string) => withoutPerson(text, user);
    await rewriteRow(manager, settings, (stored) => {
      const changed = NAMING_COLUMNS.flatMap((column) => {
        const text = stored[column] ?? '';
        const without = change(text);
        return without === text ? [] : [[column, without] as const];
      });
      const updatedAt = nextAfterStored(this.clock.now().toISOString());
      return changed.length === 0 ? undefined : { ...Object.fromEntries(changed), updatedAt };
    });
    await rewriteTextsInChanges(
      manager,
      { accountId, entity: TAX_SETTINGS.name, ids: [found.id] },
      { fields: NAMING_COLUMNS.map(taxFieldOf), change },
      signal,
    );
  }

  /** Stops all accounts from promoting the user's posts. Each account sees this in its list with deleted rows. */
  private async removePromotableUsers(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const time = this.clock.now().toISOString();
    const theirs = () => rows(manager, PromotableUser).ofAllAccounts().where('userId', user.id);
    for await (const batch of inBatches(inPages(this.db, theirs, 'id'), BATCH)) {
      signal.throwIfAborted();
      await rows(manager, PromotableUser)
        .whereIn('accountId', [...new Set(batch.map(({ accountId }) => accountId))])
        .whereIn(
          'id',
          batch.map(({ id }) => id),
        )
        .update({ deletedAt: unlessSet<string | null>(time), updatedAt: nextAfterStored(time) });
    }
    await this.promotableUsers.invalidate(manager);
  }
}
