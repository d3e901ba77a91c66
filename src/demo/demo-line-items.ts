import { inSeconds } from '../common/time/in-seconds.js';
import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '../common/time/days.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AbTestsService } from '../campaigns/ab-tests/ab-tests.service.js';
import { CampaignsService } from '../campaigns/campaigns/campaigns.service.js';
import { LineItemsService } from '../campaigns/line-items/line-items.service.js';
import { Parsed } from '../common/http/params/parsed.js';
import { LineItemCuratedCategoriesService } from '../campaigns/line-item-curated-categories/line-item-curated-categories.service.js';
import { MediaCreativesService } from '../campaigns/media-creatives/media-creatives.service.js';
import { PrerollCallToActionsService } from '../campaigns/preroll-call-to-actions/preroll-call-to-actions.service.js';
import { PromotedAccountsService } from '../campaigns/promoted-accounts/promoted-accounts.service.js';
import { PromotedPostsService } from '../campaigns/promoted-posts/promoted-posts.service.js';
import { ScheduledPromotedPostsService } from '../campaigns/scheduled-promoted-posts/scheduled-promoted-posts.service.js';
import { TargetingCriteriaService } from '../campaigns/targeting-criteria/targeting-criteria.service.js';
import { TrackingTagsService } from '../campaigns/tracking-tags/tracking-tags.service.js';
import { Clock } from '../common/time/clock.js';
import { PastDelivery } from '../statistics/delivery/past-delivery.service.js';
import { StatisticsJobsService } from '../statistics/jobs/statistics-jobs.service.js';

/** The parameters of a line item, without its campaign and flight dates. */
type Item = Record<string, unknown>;

const ITEMS: Item[] = [
  {
    name: 'Whoever loves coffee',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: ['ALL_ON_PLATFORM'],
    bid_amount_local_micro: 1_500_000,
  },
  {
    name: 'To be deleted',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: ['PLATFORM_TIMELINE'],
    entity_status: 'PAUSED',
  },
];

const IN_STREAM: Item = {
  name: 'Before the film',
  objective: 'PREROLL_VIEWS',
  product_type: 'MEDIA',
  placements: ['ALL_ON_PLATFORM'],
  categories: ['IAB3'],
};

const FOLLOWERS: Item = {
  name: 'Whoever might follow us',
  objective: 'FOLLOWERS',
  product_type: 'PROMOTED_ACCOUNT',
  placements: ['ALL_ON_PLATFORM'],
};

const APPS = { android_app_store_identifier: 'com.example.northwind.coffee', ios_app_store_identifier: '284882215' };

/**
 * Line items of the demo's campaigns: one that runs and one to delete in the first, in-stream videos in the second, and
 * followers in the third.
 */
export async function makeLineItems(
  app: INestApplicationContext,
  account: ActingAccount,
  [first, second, third]: readonly string[],
  now: Date,
) {
  const at = (days: number) => inSeconds(now.getTime() + days * DAY_MS);
  const flight = { start_time: at(-16), end_time: at(365) };
  const wanted = [
    ...ITEMS.map((item) => ({ campaign_id: first, ...item })),
    { campaign_id: second, ...IN_STREAM, start_time: at(-10) },
    { campaign_id: second, ...IN_STREAM, name: 'Before the film, once more' },
    { campaign_id: third, ...FOLLOWERS, start_time: at(-6) },
    { campaign_id: second, ...IN_STREAM, ...APPS, name: 'Before the film, the old way', entity_status: 'PAUSED' },
  ];
  const operations = wanted.map((item) => ({ operation_type: 'Create', params: { ...flight, ...item } }));
  const { items } = await app.get(LineItemsService).batch(account, operations);
  const [lineItem, spare, preroll, sparePreroll, followers, oldPreroll] = items.map(({ item }) => item.id);
  return {
    line_item_id: lineItem,
    spare_line_item_id: spare,
    preroll_line_item_id: preroll,
    spare_preroll_line_item_id: sparePreroll,
    old_preroll_line_item_id: oldPreroll,
    followers_line_item_id: followers,
    line_item_app_id: `${oldPreroll}a`,
    spare_line_item_app_id: `${oldPreroll}i`,
    preroll_campaign_id: second,
    followers_campaign_id: third,
    ...(await makeAbTests(app, account, { videos: [preroll, sparePreroll, oldPreroll], posts: [lineItem, spare] }, at)),
  };
}

/** A/B tests to come: one of the in-stream videos, and one of posts to delete. */
async function makeAbTests(
  app: INestApplicationContext,
  account: ActingAccount,
  { videos, posts }: { videos: string[]; posts: string[] },
  at: (days: number) => string,
) {
  const make = async (name: string, sizes: string[], ids: string[]) => {
    const user_groups = ids.map((id, i) => ({ entity_ids: [id], size: sizes[i] }));
    const times = { start_time: at(30), end_time: at(60) };
    const params = { name, ...times, entity_type: 'LINE_ITEM' as const, user_groups };
    const { test } = await app.get(AbTestsService).create(account, Parsed.complete(params));
    return test.id;
  };
  return {
    ab_test_id: await make('Three videos', ['33.33', '33.33', '33.34'], videos),
    spare_ab_test_id: await make('Two posts', ['50.00', '50.00'], posts),
  };
}

/** A paused line item of the sandbox that shows the user, for engagements. */
export async function makeSandboxItem(
  app: INestApplicationContext,
  account: ActingAccount,
  funding_instrument_id: string,
): Promise<Record<string, string>> {
  const campaign = { funding_instrument_id, name: 'Followers', daily_budget_amount_local_micro: 50_000_000 };
  const { campaign: paused } = await app
    .get(CampaignsService)
    .create(account, Parsed.complete({ ...campaign, entity_status: 'PAUSED' }));
  const now = app.get(Clock).now().getTime();
  const at = (days: number) => inSeconds(now + days * DAY_MS);
  const params = {
    ...FOLLOWERS,
    campaign_id: paused.id,
    start_time: at(0),
    end_time: at(365),
    entity_status: 'PAUSED',
  };
  const { items } = await app.get(LineItemsService).batch(account, [{ operation_type: 'Create', params }]);
  const sandbox_line_item_id = items[0].item.id;
  await app
    .get(PromotedAccountsService)
    .create(account, Parsed.complete({ line_item_id: sandbox_line_item_id, user_id: account.userId }));
  return { sandbox_line_item_id };
}

/** The creatives of the demo and the line items that show them. */
interface CreativeIds {
  line_item_id: string;
  preroll_line_item_id: string;
  spare_preroll_line_item_id: string;
  old_preroll_line_item_id: string;
  followers_line_item_id: string;
  curated_category_id: string;
  [other: string]: string;
}

/**
 * Creates the creatives of the demo's line items, so that its campaigns serve: one of each kind, and one to delete that
 * no other example uses.
 */
export async function makeLineItemCreatives(app: INestApplicationContext, account: ActingAccount, ids: CreativeIds) {
  const { line_item_id, preroll_line_item_id, old_preroll_line_item_id, curated_category_id } = ids;
  const posts = app.get(PromotedPostsService);
  const accounts = app.get(PromotedAccountsService);
  const media = app.get(MediaCreativesService);
  const scheduled = app.get(ScheduledPromotedPostsService);
  const calls = app.get(PrerollCallToActionsService);
  const curated = app.get(LineItemCuratedCategoriesService);
  const promoted = await posts.create(
    account,
    Parsed.complete({ line_item_id, post_ids: [ids.post_id, ids.spare_post_id] }),
  );
  const account_media_id = ids.account_media_id;
  const url = { call_to_action: 'VISIT_SITE', call_to_action_url: 'https://coffee.example/' } as const;
  const followers = { line_item_id: ids.followers_line_item_id };
  const [post, sparePost] = promoted.result.items;
  const { result: user } = await accounts.create(account, Parsed.complete({ ...followers, user_id: account.userId }));
  const { result: spareUser } = await accounts.create(
    account,
    Parsed.complete({ ...followers, user_id: ids.friend_user_id }),
  );
  const { result: creative } = await media.create(
    account,
    Parsed.complete({ line_item_id: preroll_line_item_id, account_media_id }),
  );
  const old = { line_item_id: old_preroll_line_item_id };
  const { result: spareCreative } = await media.create(account, Parsed.complete({ ...old, account_media_id }));
  const { result: waiting } = await scheduled.create(
    account,
    Parsed.complete({ line_item_id, scheduled_post_id: ids.scheduled_post_id }),
  );
  const { result: spareWaiting } = await scheduled.create(
    account,
    Parsed.complete({ line_item_id, scheduled_post_id: ids.spare_scheduled_post_id }),
  );
  const { result: call } = await calls.create(account, Parsed.complete({ line_item_id: preroll_line_item_id, ...url }));
  const { result: spareCall } = await calls.create(account, Parsed.complete({ ...old, ...url }));
  const { result: chosen } = await curated.create(
    account,
    Parsed.complete({ line_item_id: preroll_line_item_id, curated_category_id }),
  );
  const { result: spareChosen } = await curated.create(account, Parsed.complete({ ...old, curated_category_id }));
  return {
    promoted_post_id: post.id,
    spare_promoted_post_id: sparePost.id,
    promoted_account_id: user.id,
    spare_promoted_account_id: spareUser.id,
    media_creative_id: creative.id,
    spare_media_creative_id: spareCreative.id,
    scheduled_promoted_post_id: waiting.id,
    spare_scheduled_promoted_post_id: spareWaiting.id,
    preroll_call_to_action_id: call.id,
    spare_preroll_call_to_action_id: spareCall.id,
    line_item_curated_category_id: chosen.id,
    spare_line_item_curated_category_id: spareChosen.id,
  };
}

/** A tag that counts the clicks on the demo's line item, and one to delete. */
export async function makeTrackingTags(app: INestApplicationContext, account: ActingAccount, line_item_id: string) {
  const url = { tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url: 'https://counter.example/click' } as const;
  const make = () => app.get(TrackingTagsService).create(account, Parsed.complete({ line_item_id, ...url }));
  return { tracking_tag_id: (await make()).id, spare_tracking_tag_id: (await make()).id };
}

const UNITED_STATES = '96683cc9126741d1';
const COFFEE_AND_TEA = '9004';

/** The targeting of the demo's line item: a location, an audience, an interest, and a language to delete. */
export async function makeTargeting(
  app: INestApplicationContext,
  account: ActingAccount,
  ids: { line_item_id: string; custom_audience_id: string },
) {
  const criteria = [
    { targeting_type: 'LOCATION', targeting_value: UNITED_STATES },
    { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: ids.custom_audience_id, operator_type: 'EQ' },
    { targeting_type: 'INTEREST', targeting_value: COFFEE_AND_TEA },
    { targeting_type: 'LANGUAGE', targeting_value: 'en' },
  ];
  const operations = criteria.map((each) => ({
    operation_type: 'Create',
    params: { line_item_id: ids.line_item_id, ...each },
  }));
  const { items } = await app.get(TargetingCriteriaService).batch(account, operations);
  return { targeting_criterion_id: items[0].id, spare_targeting_criterion_id: items.at(-1)!.id };
}

/** A job usually ends before somebody can cancel it, so the one of the demo only waits. */
const YEARS_MS = 3_650 * DAY_MS;

/** Days with figures: 14 that have ended, and today. */
const DAYS = 15;

/** Fills the account with what its line items delivered in the last days, and creates a job to cancel. */
export async function makeStatistics(
  app: INestApplicationContext,
  account: ActingAccount,
  lineItemId: string,
): Promise<{ spare_job_id: string }> {
  await app.get(PastDelivery, { strict: false }).fill(account, DAYS, app.get(Clock).now());
  const today = Math.floor(app.get(Clock).ms() / DAY_MS) * DAY_MS;
  const job = await app.get(StatisticsJobsService).createIdle(
    account,
    Parsed.complete({
      entity: 'LINE_ITEM',
      entity_ids: [lineItemId],
      start_time: new Date(today - 7 * DAY_MS).toISOString(),
      end_time: new Date(today).toISOString(),
      granularity: 'TOTAL',
      metric_groups: ['ENGAGEMENT', 'BILLING'],
      placement: 'ALL_ON_PLATFORM',
    }),
    YEARS_MS,
  );
  return { spare_job_id: job.id };
}
