import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../accounts/access/account-access.service.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AccountsService } from '../accounts/accounts/accounts.service.js';
import { AdministrationService } from '../accounts/administration.service.js';
import { CredentialsService } from '../auth/credentials/credentials.service.js';
import { secretText } from '../auth/credentials/tokens.js';
import { User } from '../auth/credentials/user.entity.js';
import { CampaignsService } from '../campaigns/campaigns/campaigns.service.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/days.js';
import type { Environment } from '../common/http/public-urls.js';
import { Parsed } from '../common/http/parsed.js';
import { type Config, withoutSlash } from '../config.js';
import { demoCallbackUrl } from './callback-url.js';
import { WebhooksService } from '../webhooks/endpoints/webhooks.service.js';
import { makeWebhooks } from './demo-webhooks.js';
import { makeCreatives } from './demo-creatives.js';
import { makeAudiences } from './demo-audiences.js';
import { makeDirectory } from './demo-directory.js';
import { makeShownThings } from './demo-line-item-creatives.js';
import { makeLineItems } from './demo-line-items.js';
import { makeTargeting } from './demo-targeting.js';
import { makeReference } from './demo-reference.js';
import { GUESTS, weekOfPosts } from './demo-posts.js';
import { type DemoCredentials, readDemoCredentials, writeDemoCredentials } from './credentials-file.js';

const MICRO = 1_000_000;

/** Whether the store has no users, so that it has never been used. */
export async function isEmpty(app: INestApplicationContext): Promise<boolean> {
  return !(await app.get(DataSource).manager.exists(User, { withDeleted: true }));
}

/**
 * Fills an empty store with a small world: the same every time, with fresh ids and secrets. Writes the credentials into
 * the data directory, readable by its owner only. Leaves a store that is in use alone and answers undefined.
 */
export async function seedDemo(app: INestApplicationContext, config: Config): Promise<DemoCredentials | undefined> {
  if (!(await isEmpty(app))) return undefined;
  const credentials = app.get(CredentialsService);
  const accounts = app.get(AccountsService);
  const administration = app.get(AdministrationService);
  const now = app.get(Clock).now();

  const password = secretText(16);
  const user = await credentials.createUser('demo', { name: 'Demo Advertiser', password });
  const friend = await credentials.createUser('marquee_friend', { name: 'A friend of the brand' });
  const guests: string[] = [];
  for (const [username, name] of GUESTS) guests.push((await credentials.createUser(username, { name })).id);
  const stranger = await credentials.createUser('other_advertiser', { name: 'Another advertiser' });

  await makeDirectory(app, now);

  const urls = urlsOf(config);
  const { application, consumer } = await credentials.createApplication({
    name: 'Marquee Demo',
    ownerId: user.id,
    callbacks: [urls.callback_url],
    signIn: true,
  });
  const token = await credentials.issueToken(user.id, application.id, 'write');

  const zone = { timezone: 'America/Los_Angeles', timezoneSwitchAt: '2025-01-01T08:00:00Z' };
  const business = await administration.createBusiness('Northwind Coffee');
  const other = await administration.createBusiness('Contoso Bikes');
  const first = await accounts.create(user.id, {
    environment: 'production',
    name: 'Northwind Coffee',
    businessId: business.id,
    ...zone,
  });
  const second = await accounts.create(user.id, {
    environment: 'production',
    name: 'Northwind Roastery',
    businessId: business.id,
    ...zone,
  });
  const foreign = await accounts.create(stranger.id, {
    environment: 'production',
    name: 'Contoso Bikes',
    businessId: other.id,
    ...zone,
  });
  const sandbox = await accounts.create(user.id, {
    environment: 'sandbox',
    name: 'Sandbox account',
    timezone: 'America/Los_Angeles',
  });
  const spareSandbox = await accounts.create(user.id, {
    environment: 'sandbox',
    name: 'Sandbox account to delete',
    timezone: 'America/Los_Angeles',
  });
  const promotable = (await administration.addPromotableUser(first.id, friend.id, 'RETWEETS_ONLY'))!;

  const acting = (id: string, environment: Environment, userId: string) => actingOn(app, environment, id, userId);
  const begin = new Date(now.getTime() - 30 * DAY_MS).toISOString();
  const funding = app.get(FundingInstrumentsService);
  const campaigns = app.get(CampaignsService);
  const account = await acting(first.id, 'production', user.id);
  const card = await funding.create(account, {
    currency: 'USD',
    start_time: begin,
    type: 'CREDIT_CARD',
    credit_limit_local_micro: 50_000 * MICRO,
  });
  const made: string[] = [];
  for (const [name, daily, status] of CAMPAIGNS) {
    const { campaign } = await campaigns.create(
      account,
      Parsed.whole({
        funding_instrument_id: card.id,
        name,
        daily_budget_amount_local_micro: daily * MICRO,
        entity_status: status,
      }),
    );
    made.push(campaign.id);
  }
  const lineItems = await makeLineItems(app, account, made, now);
  const reference = await makeReference(app, account);
  const audiences = await makeAudiences(app, account, second.id);
  const targeting = await makeTargeting(app, account, {
    line_item_id: lineItems.line_item_id,
    custom_audience_id: audiences.custom_audience_id,
  });
  const creatives = await makeCreatives(app, account, weekOfPosts(friend.id, guests, now), now);
  const shown = await makeShownThings(app, account, {
    ...lineItems,
    ...reference,
    ...creatives,
    friend_user_id: friend.id,
  });
  const sandboxAccount = await acting(sandbox.id, 'sandbox', user.id);
  const credit = { currency: 'USD', start_time: begin, type: 'CREDIT_LINE' } as const;
  const sandboxFunding = await funding.create(sandboxAccount, credit);
  const spareFunding = await funding.create(sandboxAccount, credit);
  for (const [id, environment, owner] of [
    [second.id, 'production', user.id],
    [foreign.id, 'production', stranger.id],
    [sandbox.id, 'sandbox', user.id],
  ] as const) {
    await funding.create(await acting(id, environment, owner), {
      currency: 'USD',
      start_time: begin,
      type: 'CREDIT_CARD',
    });
  }

  const { webhook_id, ...webhooks } = await makeWebhooks(app, {
    applicationId: application.id,
    consumerSecret: consumer.secret,
    baseUrl: urls.base_url,
    accountId: first.id,
    campaignId: made[0],
    userId: user.id,
  });

  const written: DemoCredentials = {
    ...urls,
    consumer_key: consumer.key,
    consumer_secret: consumer.secret,
    access_token: token.key,
    access_token_secret: token.secret,
    username: user.username,
    password,
    user_id: user.id,
    account_id: first.id,
    second_account_id: second.id,
    foreign_account_id: foreign.id,
    sandbox_account_id: sandbox.id,
    funding_instrument_id: card.id,
    media_key_image: creatives.media_key_image,
    media_key_video: creatives.media_key_video,
    webhook_id,
    examples: {
      webhook_id,
      ...webhooks,
      ...creatives,
      account_id: first.id,
      second_account_id: second.id,
      // the first account already has its only list
      'createDoNotReachList.account_id': second.id,
      campaign_id: made[0],
      spare_campaign_id: made.at(-1)!,
      ...lineItems,
      ...shown,
      ...audiences,
      ...targeting,
      ...reference,
      funding_instrument_id: card.id,
      promotable_user_id: promotable.id,
      user_id: user.id,
      sandbox_account_id: sandbox.id,
      spare_sandbox_account_id: spareSandbox.id,
      sandbox_funding_instrument_id: sandboxFunding.id,
      spare_sandbox_funding_instrument_id: spareFunding.id,
    },
  };
  writeDemoCredentials(config.dataDir, written);
  return written;
}

/**
 * Updates the URLs in the credentials file to those of this start, since PORT may have changed, and the callback of
 * the demo's application. Leaves the file of another store alone.
 */
export async function followBaseUrls(app: INestApplicationContext, config: Config): Promise<void> {
  const before = config.production ? undefined : readDemoCredentials(config.dataDir);
  if (!before) return;
  const after = { ...before, ...urlsOf(config) };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  const credentials = app.get(CredentialsService);
  const [application] = await credentials.findApplications(before.consumer_key);
  if (!application) return;
  const callbacks = application.callbacks.map((each) => (each === before.callback_url ? after.callback_url : each));
  await credentials.updateApplication(application.id, { callbacks: [...new Set(callbacks)] });
  await app.get(WebhooksService).follow(application.id, before.base_url, after.base_url);
  writeDemoCredentials(config.dataDir, after);
}

/** The URLs of the service, and the callback of the demo's application. */
const urlsOf = (config: Config) => ({
  base_url: withoutSlash(config.baseUrl),
  ads_base_url: withoutSlash(config.adsBaseUrl),
  ads_sandbox_base_url: withoutSlash(config.adsSandboxBaseUrl),
  callback_url: demoCallbackUrl(config),
});

const CAMPAIGNS: [name: string, dailyBudget: number, status: 'ACTIVE' | 'PAUSED' | 'DRAFT'][] = [
  ['Autumn blends', 120, 'ACTIVE'],
  ['Cold brew launch', 300, 'ACTIVE'],
  ['Loyalty programme', 50, 'ACTIVE'],
  ['Gift cards', 80, 'PAUSED'],
  ['Spring menu', 150, 'DRAFT'],
  ['Summer menu, called off', 90, 'PAUSED'],
];

/** The account as the guard passes it to services. */
async function actingOn(
  app: INestApplicationContext,
  environment: Environment,
  accountId: string,
  userId: string,
): Promise<ActingAccount> {
  const account = await app.get(AccountAccessService).find(environment, accountId, userId);
  if (!account) throw new Error(`user ${userId} has no access to account ${accountId}`);
  return account;
}
