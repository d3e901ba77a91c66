import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import type { Role } from '../../../src/accounts/access/roles.js';
import type { NewAccount } from '../../../src/accounts/accounts/accounts.service.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { AccountAppsService } from '../../../src/accounts/account-apps/account-apps.service.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import type { NewAccountApp } from '../../../src/accounts/account-apps/account-apps.dto.js';
import type { PromotableUserType } from '../../../src/accounts/promotable-users/promotable-user.entity.js';
import type { AccessLevel } from '../../../src/auth/credentials/application.entity.js';
import type { UpdateTaxSettings } from '../../../src/accounts/tax-settings/tax-settings.dto.js';
import { TaxSettingsService } from '../../../src/accounts/tax-settings/tax-settings.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import type { AdsEnvironment } from '../../../src/common/http/urls/public-urls.js';
import { world } from '../app.js';
import { auth, type Application, type Client } from './auth.js';
import { fresh } from './fresh.js';

/** A client on an account of their own. */
export interface Advertiser extends Client {
  account: ActingAccount;
}

/** Accounts, and who has a role on them. */
export const accounts = {
  /** A user with a role on a new account. */
  async advertiser({
    role = 'ACCOUNT_ADMIN',
    postComposer = true,
    environment = 'production',
    name = fresh('Account'),
    application,
    accessLevel,
    ...rest
  }: Partial<NewAccount> & {
    role?: Role;
    postComposer?: boolean;
    application?: Application;
    accessLevel?: AccessLevel;
  } = {}): Promise<Advertiser> {
    const client = await auth.client({ application, accessLevel, environment });
    const account = await accounts.account({ ...rest, userId: client.user.id, environment, name });
    if (role === 'ACCOUNT_ADMIN' && postComposer) return { ...client, account };
    await world().get(MembershipsService).grant(account.id, client.user.id, role, postComposer);
    return { ...client, account: await acting(account.id, client.user.id, environment) };
  },

  /** One more account of a user. */
  async account({
    userId,
    environment = 'production',
    name = fresh('Account'),
    timezone = 'America/Los_Angeles',
    ...rest
  }: Partial<NewAccount> & { userId: string }): Promise<ActingAccount> {
    const account = await world()
      .get(AccountsService)
      .create(userId, { environment, name, timezone, ...rest });
    return acting(account.id, userId, environment);
  },

  /** Somebody else on an account that exists. */
  async member(account: ActingAccount, role: Role): Promise<Advertiser> {
    const client = await auth.client({ environment: account.environment });
    await world().get(MembershipsService).grant(account.id, client.user.id, role);
    return { ...client, account: await acting(account.id, client.user.id, account.environment) };
  },

  /** The account is deleted, which outside the sandbox no request does. */
  async deletedAccount(environment: AdsEnvironment, id: string, userId: string): Promise<void> {
    await world()
      .get(AccountsService)
      .delete(await acting(id, userId, environment));
    await world().caughtUp();
  },

  /** An app of an account, with an identifier that no other has. */
  async accountApp(account: ActingAccount, fields: Partial<NewAccountApp> = {}) {
    return world()
      .get(AccountAppsService)
      .create(account, { os_type: 'Android', app_store_identifier: `com.example.${fresh('app')}`, ...fields });
  },

  /** The tax settings of an account, with an address. */
  taxSettings: (account: ActingAccount, params: UpdateTaxSettings = {}) =>
    world()
      .get(TaxSettingsService)
      .update(account, { address_name: fresh('Company'), bill_to: 'ADVERTISER', ...params }),

  async promotableUser(account: ActingAccount, type: PromotableUserType = 'RETWEETS_ONLY') {
    const user = await world().get(UsersService).create(fresh('promotable'));
    return (await world().get(PromotableUsersService).add(account.id, user.id, type))!;
  },
};

/** The account as its guard hands it to a service. */
async function acting(id: string, userId: string, environment: AdsEnvironment): Promise<ActingAccount> {
  return (await world().get(AccountAccessService).find(environment, id, userId))!;
}
