import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { ApplicationQueries } from '../auth/credentials/application.queries.js';
import { ApplicationsService } from '../auth/credentials/applications.service.js';
import { User } from '../auth/credentials/user.entity.js';
import { CampaignsService } from '../campaigns/campaigns/campaigns.service.js';
import { FundingInstrumentsService } from '../campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../common/time/clock.js';
import { mediaIdOf } from '../creatives/media-files/media-key.js';
import { DAY_MS } from '../common/time/days.js';
import { Parsed } from '../common/http/params/parsed.js';
import { type Config, withoutSlash } from '../config/config.js';
import {
  demoCallbackUrl,
  type DemoCredentials,
  readDemoCredentials,
  writeDemoCredentials,
  DOCS_CALLBACK,
  LOOPBACK_CALLBACK,
} from './credentials-file.js';
import { WebhookAdministration } from '../webhooks/endpoints/webhook-administration.service.js';
import {
  actingOn,
  makeAccounts,
  makeApplication,
  makeOtherFunding,
  makePeople,
  type DemoUsers,
} from './demo-accounts.js';
import { makeWebhooks } from './demo-webhooks.js';
import { makeWorkbench } from './demo-workbench.js';
import { makeCreatives } from './demo-creatives.js';
import { makeAudiences } from './demo-audiences.js';
import { makeDirectory } from './demo-directory.js';
import {
  makeLineItemCreatives,
  makeLineItems,
  makeStatistics,
  makeTargeting,
  makeTrackingTags,
} from './demo-line-items.js';
import { makeCatalog } from './demo-catalogs.js';
import { makeMeasurement, makeProvider } from './demo-measurement.js';
import { makeReference } from './demo-reference.js';
import { weekOfPosts } from './demo-posts.js';

const MICRO = 1_000_000;

/** True if the database has no users, which means that it has never been used. */
async function isEmpty(app: INestApplicationContext): Promise<boolean> {
  return !(await app.get(DataSource).manager.exists(User, { withDeleted: true }));
}

/**
 * Fills an empty database with the demo data: the same every time, with new ids and secrets. Writes the credentials
 * into the data directory, readable only by the owner. Returns undefined and changes nothing if the database is in use.
 */
export async function seedDemo(app: INestApplicationContext, config: Config): Promise<DemoCredentials | undefined> {
  if (!(await isEmpty(app))) return undefined;
  const now = app.get(Clock).now();
  const begin = new Date(now.getTime() - 30 * DAY_MS).toISOString();
  const urls = urlsOf(config);
  const people = await makePeople(app);
  await makeDirectory(app, now);
  const { user } = people;
  const { application, keys } = await makeApplication(app, user.id, callbacksAt(urls));
  const accounts = await makeAccounts(app, people);
  const account = await actingOn(app, 'production', accounts.first.id, user.id);
  const { campaigns, funding_instrument_id } = await makeCampaigns(app, account, begin);
  const things = await makeCampaignContents(app, account, campaigns, people, accounts.second.id);
  const otherFunding = await makeOtherFunding(app, people, accounts, begin);
  const { webhook_id, ...webhooks } = await makeWebhooks(app, {
    applicationId: application.id,
    consumerSecret: keys.consumer_secret,
    baseUrl: urls.base_url,
    accountId: account.id,
    campaignId: campaigns[0],
    userId: user.id,
  });
  const written: DemoCredentials = {
    ...urls,
    ...keys,
    username: user.username,
    password: people.password,
    user_id: user.id,
    account_id: account.id,
    second_account_id: accounts.second.id,
    foreign_account_id: accounts.foreign.id,
    sandbox_account_id: accounts.sandbox.id,
    funding_instrument_id,
    media_key_image: things.media_key_image,
    media_key_video: things.media_key_video,
    ...catalogIdsOf(things),
    webhook_id,
    examples: {
      webhook_id,
      ...webhooks,
      ...(await makeWorkbench(app, config, application, accounts)),
      ...(await makeProvider(app, account, application.id, accounts.second.id)),
      account_id: account.id,
      second_account_id: accounts.second.id,
      campaign_id: campaigns[0],
      spare_campaign_id: campaigns.at(-1)!,
      ...things,
      media_id: mediaIdOf(things.media_key_image),
      funding_instrument_id,
      promotable_user_id: accounts.promotable.id,
      user_id: user.id,
      sandbox_account_id: accounts.sandbox.id,
      spare_sandbox_account_id: accounts.spareSandbox.id,
      ...otherFunding,
    },
  };
  writeDemoCredentials(config.dataDir, written);
  return written;
}

/** A funding instrument that starts at the given time, and campaigns that it pays for. */
async function makeCampaigns(app: INestApplicationContext, account: ActingAccount, startTime: string) {
  const { id: funding_instrument_id } = await app.get(FundingInstrumentsService).create(account, {
    currency: 'USD',
    start_time: startTime,
    type: 'CREDIT_CARD',
    credit_limit_local_micro: 50_000 * MICRO,
  });
  const campaigns: string[] = [];
  for (const [name, daily, status] of CAMPAIGNS) {
    const { campaign } = await app.get(CampaignsService).create(
      account,
      Parsed.complete({
        funding_instrument_id,
        name,
        daily_budget_amount_local_micro: daily * MICRO,
        entity_status: status,
      }),
    );
    campaigns.push(campaign.id);
  }
  return { campaigns, funding_instrument_id };
}

/** Creates the line items, targeting, creatives and statistics of the campaigns. Returns the ids by purpose. */
async function makeCampaignContents(
  app: INestApplicationContext,
  account: ActingAccount,
  campaigns: string[],
  { friend, guests }: DemoUsers,
  secondAccountId: string,
): Promise<Record<string, string>> {
  const now = app.get(Clock).now();
  const lineItems = await makeLineItems(app, account, campaigns, now);
  const reference = await makeReference(app, account);
  const audiences = await makeAudiences(app, account, secondAccountId);
  const measurement = await makeMeasurement(app, account);
  const targeting = await makeTargeting(app, account, {
    line_item_id: lineItems.line_item_id,
    custom_audience_id: audiences.custom_audience_id,
  });
  const creatives = await makeCreatives(app, account, weekOfPosts(friend.id, guests, now), now);
  const ids = { ...lineItems, ...reference, ...creatives, friend_user_id: friend.id };
  const shown = await makeLineItemCreatives(app, account, ids);
  const statistics = await makeStatistics(app, account, lineItems.line_item_id);
  const tags = await makeTrackingTags(app, account, lineItems.line_item_id);
  return {
    ...creatives,
    ...lineItems,
    ...shown,
    ...tags,
    ...audiences,
    ...measurement,
    ...targeting,
    ...reference,
    ...statistics,
    ...(await makeCatalog(app, account.userId)),
  };
}

/** The ids of the catalog that commands of the documentation name. */
const catalogIdsOf = ({ product_catalog_id, product_set_id, scheduled_feed_id }: Record<string, string>) => ({
  product_catalog_id,
  product_set_id,
  scheduled_feed_id,
});

/**
 * Updates the URLs in the credentials file and the callback of the demo's application to those of this start, since
 * PORT may have changed. Does not change the file of another database.
 */
export async function followBaseUrls(app: INestApplicationContext, config: Config): Promise<void> {
  const before = config.production ? undefined : readDemoCredentials(config.dataDir);
  if (!before) return;
  const after = { ...before, ...urlsOf(config) };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  const [application] = await app.get(ApplicationQueries).find(before.consumer_key);
  if (!application) return;
  const callbacks = application.callbacks.map((each) =>
    each.startsWith(`${before.base_url}/`) ? after.base_url + each.slice(before.base_url.length) : each,
  );
  await app.get(ApplicationsService).update(application.id, { callbacks: [...new Set(callbacks)] });
  await app.get(WebhookAdministration).follow(application.id, before.base_url, after.base_url);
  writeDemoCredentials(config.dataDir, after);
}

/** The callbacks of the demo's application: its page, the reference, and the command line. */
const callbacksAt = ({ base_url, callback_url }: ReturnType<typeof urlsOf>) => [
  callback_url,
  `${base_url}${DOCS_CALLBACK}`,
  LOOPBACK_CALLBACK,
];

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
