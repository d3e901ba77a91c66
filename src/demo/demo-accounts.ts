import type { INestApplicationContext } from '@nestjs/common';
import { AccountAccessService } from '../accounts/access/account-access.service.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { BusinessesService } from '../accounts/accounts/businesses.service.js';
import { FeaturesService } from '../accounts/features/features.service.js';
import { PromotableUsersService } from '../accounts/promotable-users/promotable-users.service.js';
import { TaxSettingsService } from '../accounts/tax-settings/tax-settings.service.js';
import { UserSettingsService } from '../accounts/user-settings/user-settings.service.js';
import { AccessTokensService } from '../auth/credentials/access-tokens.service.js';
import { SCOPES } from '../auth/credentials/scopes.js';
import { ApplicationsService } from '../auth/credentials/applications.service.js';
import { UsersService } from '../auth/credentials/users.service.js';
import { secretText } from '../auth/credentials/tokens.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import type { AdsEnvironment } from '../common/http/urls/public-urls.js';
import { makeSandboxForm } from './demo-creatives.js';
import { makeSandboxItem } from './demo-line-items.js';
import { GUESTS } from './demo-posts.js';

export type DemoUsers = Awaited<ReturnType<typeof makePeople>>;
type Accounts = Awaited<ReturnType<typeof makeAccounts>>;

/** The users of the demo: the one who signs in, with the password, a friend, guests and a stranger. */
export async function makePeople(app: INestApplicationContext) {
  const users = app.get(UsersService);
  const password = secretText(16);
  const user = await users.create('demo', { name: 'Demo Advertiser', password });
  const friend = await users.create('marquee_friend', { name: 'A friend of the brand' });
  const guests: string[] = [];
  for (const [username, name] of GUESTS) guests.push((await users.create(username, { name })).id);
  const stranger = await users.create('other_advertiser', { name: 'Another advertiser' });
  return { user, password, friend, guests, stranger };
}

/** The application of the demo, and a token of its user. */
export async function makeApplication(app: INestApplicationContext, userId: string, callbacks: string[]) {
  const applications = app.get(ApplicationsService);
  const tokens = app.get(AccessTokensService);
  const { application, consumer } = await applications.create({
    name: 'Marquee Demo',
    ownerId: userId,
    callbacks,
    signIn: true,
  });
  await applications.update(application.id, { measurementPartner: true });
  const { clientId } = (await applications.setClient(application.id, 'public', SCOPES))!;
  const token = await tokens.issue(userId, application.id, 'write');
  const keys = {
    consumer_key: consumer.key,
    consumer_secret: consumer.secret,
    client_id: clientId,
    access_token: token.key,
    access_token_secret: token.secret,
  };
  return { application, keys };
}

/** Two accounts of the user, one of the stranger, and four in the sandbox. */
export async function makeAccounts(app: INestApplicationContext, { user, stranger, friend }: DemoUsers) {
  const accounts = app.get(AccountsService);
  const businesses = app.get(BusinessesService);
  const timezone = 'America/Los_Angeles';
  const business = await businesses.create('Northwind Coffee');
  const other = await businesses.create('Contoso Bikes');
  const inProduction = (ownerId: string, name: string, businessId: string) =>
    accounts.create(ownerId, {
      environment: 'production',
      name,
      businessId,
      timezone,
      timezoneSwitchAt: '2025-01-01T08:00:00Z',
      countryCode: 'US',
    });
  const inSandbox = (name: string) => accounts.create(user.id, { environment: 'sandbox', name, timezone });
  const first = await inProduction(user.id, 'Northwind Coffee', business.id);
  const second = await inProduction(user.id, 'Northwind Roastery', business.id);
  const foreign = await inProduction(stranger.id, 'Contoso Bikes', other.id);
  const sandbox = await inSandbox('Sandbox account');
  const spareSandbox = await inSandbox('Sandbox account to delete');
  const resetSandbox = await inSandbox('Sandbox account to reset');
  const clockedSandbox = await inSandbox('Sandbox account on a test clock');
  const admin = await actingOn(app, 'production', first.id, user.id);
  const address = { address_street1: '1 Main Street', address_city: 'Portland', address_country: 'US' };
  await app.get(TaxSettingsService).update(admin, { address_name: 'Northwind Coffee LLC', ...address });
  await app.get(UserSettingsService).update(admin, user.id, { notification_email: 'demo@northwind.example' });
  await app.get(FeaturesService).changeByOperator(first.id, { add: ['REACH_AND_FREQUENCY_ANALYTICS'] });
  const promotable = (await app.get(PromotableUsersService).add(first.id, friend.id, 'RETWEETS_ONLY'))!;
  return { first, second, foreign, sandbox, spareSandbox, resetSandbox, clockedSandbox, promotable };
}

/**
 * Creates funding for the accounts that the demo does not use otherwise. Returns the ids of the sandbox account's two
 * spare instruments, and of its line item.
 */
export async function makeOtherFunding(
  app: INestApplicationContext,
  { user, stranger }: DemoUsers,
  { second, foreign, sandbox }: Accounts,
  startTime: string,
) {
  const funding = app.get(FundingInstrumentsService);
  const sandboxAccount = await actingOn(app, 'sandbox', sandbox.id, user.id);
  const credit = { currency: 'USD', start_time: startTime, type: 'CREDIT_LINE' } as const;
  const sandboxFunding = await funding.create(sandboxAccount, credit);
  const spareFunding = await funding.create(sandboxAccount, credit);
  for (const account of [
    await actingOn(app, 'production', second.id, user.id),
    await actingOn(app, 'production', foreign.id, stranger.id),
    sandboxAccount,
  ])
    await funding.create(account, { ...credit, type: 'CREDIT_CARD' });
  return {
    sandbox_funding_instrument_id: sandboxFunding.id,
    spare_sandbox_funding_instrument_id: spareFunding.id,
    ...(await makeSandboxItem(app, sandboxAccount, sandboxFunding.id)),
    ...(await makeSandboxForm(app, sandboxAccount)),
  };
}

/** The account as its guard would pass it to a service. */
export async function actingOn(
  app: INestApplicationContext,
  environment: AdsEnvironment,
  accountId: string,
  userId: string,
): Promise<ActingAccount> {
  const account = await app.get(AccountAccessService).find(environment, accountId, userId);
  if (!account) throw new Error(`user ${userId} has no access to account ${accountId}`);
  return account;
}
