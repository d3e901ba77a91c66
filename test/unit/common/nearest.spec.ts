import { serviceName, foreignPathHint, useSynonyms } from '../../../src/common/http/hints/synonyms.js';
import { SYNONYMS_OF_X } from '../../../src/names/synonyms.js';
import { edits } from '../../../src/config/edit-distance.js';
import { nearestWord } from '../../../src/common/http/hints/nearest.js';
import { replacementOf } from '../../../src/common/http/hints/former-endpoints.js';
import { similarEndpoint, type KnownEndpoint } from '../../../src/common/http/hints/route-hints.js';
import { absentEndpointAt, absentHint, readReference } from '../../../src/common/http/hints/x-reference.js';

beforeAll(() => useSynonyms(SYNONYMS_OF_X));

describe('how far two words are apart', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['campagin', 'campaign', 1],
    ['ACTIV', 'ACTIVE', 1],
  ])('%s and %s: %i', (one, other, distance) => {
    expect([edits(one, other), edits(other, one)]).toEqual([distance, distance]);
  });
});

describe('the nearest word', () => {
  it.each([
    ['line_item_id', ['campaign_ids', 'line_item_ids'], 'line_item_ids'],
    ['lineItemIds', ['line_item_ids'], 'line_item_ids'],
    ['active', ['PAUSED', 'ACTIVE'], 'ACTIVE'],
    ['daily_budget', ['daily_budget_amount_local_micro'], 'daily_budget_amount_local_micro'],
    ['tweet_ids', ['campaign_ids', 'post_ids'], 'post_ids'],
    ['post_ids', ['tweet_ids'], 'tweet_ids'],
    ['ALL_ON_TWITTER', ['ALL_ON_PLATFORM', 'TAP_FULL'], 'ALL_ON_PLATFORM'],
    ['twitter_timeline', ['PLATFORM_SEARCH', 'PLATFORM_TIMELINE'], 'PLATFORM_TIMELINE'],
    ['TWEET_ENGAGEMENTS', ['APP_ENGAGEMENTS', 'ENGAGEMENTS'], 'ENGAGEMENTS'],
    ['VIDEO_VIEWS_PREROLL', ['VIDEO_VIEWS', 'PREROLL_VIEWS'], 'PREROLL_VIEWS'],
    ['AWARENESS', ['ENGAGEMENTS', 'REACH'], 'REACH'],
    ['automatically_select_bid', ['bid_amount_local_micro', 'bid_strategy'], 'bid_strategy'],
    ['TWEET_COMPOSER', ['POST_COMPOSER'], 'POST_COMPOSER'],
    ['twitter_id', ['email', 'platform_id'], 'platform_id'],
    ['ALL_ON_X', ['TAP_FULL', 'ALL_ON_PLATFORM'], 'ALL_ON_PLATFORM'],
    ['X_SEARCH', ['PLATFORM_PROFILE', 'PLATFORM_SEARCH'], 'PLATFORM_SEARCH'],
    ['KEYWORD', ['EXACT_KEYWORD', 'BROAD_KEYWORD'], 'BROAD_KEYWORD'],
    ['NEGATIVE_EXACT_KEYWORD', ['BROAD_KEYWORD', 'EXACT_KEYWORD'], 'EXACT_KEYWORD'],
    ['TAILORED_AUDIENCE', ['CUSTOM_AUDIENCE_EXPANDED', 'CUSTOM_AUDIENCE'], 'CUSTOM_AUDIENCE'],
    ['media_id', ['media_type', 'media_key'], 'media_key'],
    ['media_key', ['media_id'], 'media_id'],
    ['tweet_image', ['AMPLIFY_VIDEO', 'POST_IMAGE'], 'POST_IMAGE'],
    ['fouth_cta_tweet', ['first_cta_post', 'fourth_cta_post'], 'fourth_cta_post'],
    ['q', ['p'], undefined],
    ['colour', ['ACTIVE', 'PAUSED'], undefined],
    ['', ['ACTIVE'], undefined],
    [17, ['ACTIVE'], undefined],
    ['x'.repeat(65), ['x'.repeat(64)], undefined],
  ])('%p of %p is %p', (word, candidates, found) => {
    expect(nearestWord(word, candidates)).toBe(found);
  });
});

describe('the endpoint that was meant', () => {
  const endpoints: KnownEndpoint[] = [
    { method: 'GET', path: '/12/accounts' },
    { method: 'GET', path: '/12/accounts/:account_id' },
    { method: 'GET', path: '/12/accounts/:account_id/campaigns' },
    { method: 'POST', path: '/12/accounts/:account_id/campaigns' },
    { method: 'GET', path: '/12/accounts/:account_id/cards', planned: true },
    { method: 'POST', path: '/1.1/oauth/invalidate_token' },
    { method: 'POST', path: '/12/accounts/:account_id/post' },
    { method: 'GET', path: '/12/accounts/:account_id/posts' },
    { method: 'GET', path: '/12/accounts/:account_id/scheduled_promoted_posts' },
    { method: 'PUT', path: '/12/accounts/:account_id/custom_audiences/:custom_audience_id' },
  ];
  const meant = (method: string, path: string) => {
    const found = similarEndpoint({ method, path, sandbox: false }, endpoints);
    return found && [found.endpoint.method, found.path, found.sandbox];
  };

  it.each([
    ['GET', '/v12/accounts', ['GET', '/12/accounts', false]],
    ['GET', '//12//accounts//', ['GET', '/12/accounts', false]],
    ['GET', '/sandbox/11/Accounts.json', ['GET', '/12/accounts', true]],
    ['POST', '/accounts/x1/campaing/', ['POST', '/12/accounts/x1/campaigns', false]],
    ['POST', '/oauth/invalidate_token', ['POST', '/1.1/oauth/invalidate_token', false]],
    ['GET', '/12/accounts/x1/card', ['GET', '/12/accounts/x1/cards', false]],
    ['GET', '/12/accounts/x1/weather', undefined],
    ['POST', '/12/accounts/x1/tweet', ['POST', '/12/accounts/x1/post', false]],
    ['GET', '/12/accounts/x1/tweets', ['GET', '/12/accounts/x1/posts', false]],
    ['GET', '/12/accounts/x1/scheduled_promoted_tweets', ['GET', '/12/accounts/x1/scheduled_promoted_posts', false]],
    ['PUT', '/12/accounts/x1/tailored_audiences/a1', ['PUT', '/12/accounts/x1/custom_audiences/a1', false]],
    ['GET', '/account/verify_credentials.json', undefined],
    ['GET', '/1.1/account/settings', undefined],
    ['GET', '/12/account/{account_id}/campaigns', ['GET', '/12/accounts/{account_id}/campaigns', false]],
    ['GET', '/12/accounts//campaigns', ['GET', '/12/accounts/:account_id/campaigns', false]],
    ['GET', '/12/account//campaigns/', ['GET', '/12/accounts/:account_id/campaigns', false]],
    ['GET', '/12//accounts/x1/campaigns', ['GET', '/12/accounts/x1/campaigns', false]],
    ['GET', '/', undefined],
    ['GET', `/12/accounts/${'x'.repeat(2_000)}/campaign`, undefined],
  ])('of %s %s', (method, path, found) => {
    expect(meant(method, path)).toEqual(found);
  });
});

describe('the replacement of a former endpoint', () => {
  it.each([
    ['POST', '/12/accounts/x1/cards/website', 'POST /12/accounts/x1/cards'],
    ['GET', '/5/accounts/x1/cards/video_app_download/c1', 'GET /12/accounts/x1/cards/c1'],
    ['PUT', '/sandbox/12/accounts/x1/cards/image_direct_message/c1', 'PUT /12/accounts/x1/cards/c1'],
    ['POST', '/12/accounts/x1/cards/poll', undefined],
    ['POST', '/2/tweets', 'POST /12/accounts/:account_id/post'],
    ['POST', '/1.1/statuses/update.json', 'POST /12/accounts/:account_id/post'],
    ['GET', '/1.1/statuses/show/17.json', 'GET /12/accounts/:account_id/posts?post_type=PUBLISHED&post_ids=17'],
    ['GET', '/2/tweets/17', 'GET /12/accounts/:account_id/posts?post_type=PUBLISHED&post_ids=17'],
    ['DELETE', '/2/tweets/17', undefined],
    ['POST', '/12/accounts/x1/tweets', 'POST /12/accounts/x1/post'],
    ['POST', '/12/accounts/x1/posts', 'POST /12/accounts/x1/post'],
    ['GET', '/12/accounts/x1/tweets', undefined],
    ['GET', '/12/accounts/x1/posts/17', 'GET /12/accounts/x1/posts?post_type=PUBLISHED&post_ids=17'],
    ['GET', '/12/accounts/x1/tweet/preview/17', 'GET /12/accounts/x1/post_previews?post_type=PUBLISHED&post_ids=17'],
    ['GET', '/12/accounts/x1/campaigns/c1/line_items', 'GET /12/accounts/x1/line_items?campaign_ids=c1'],
    ['POST', '/12/accounts/x1/campaigns/c1/line_items', undefined],
    ['PUT', '/9/accounts/x1/line_item_apps/l1a', 'PUT /12/accounts/x1/line_items/l1'],
    ['POST', '/12/accounts/x1/line_item_apps', undefined],
    ['POST', '/12/accounts/x1/batch/campaigns', 'POST /12/batch/accounts/x1/campaigns'],
    ['POST', '/12/accounts/x1/campaigns/batch', 'POST /12/batch/accounts/x1/campaigns'],
    ['GET', '/12/accounts/x1/campaigns/batch', undefined],
    ['POST', '/media/upload.json', 'POST /1.1/media/upload.json'],
    ['GET', '/12/accounts/x1/webhooks', 'GET /2/webhooks'],
    ['GET', '/1.1/account_activity/all/dev/webhooks.json', 'GET /2/webhooks'],
    ['GET', '/1/accounts/x1/scoped_timeline', 'GET /12/accounts/x1/posts'],
    ['GET', '/1.1/account/verify_credentials.json', 'GET /12/accounts'],
    ['GET', '/2/users/me', 'GET /12/accounts'],
    ['GET', '/12/stats/accounts/x1/campaigns', 'GET /12/stats/accounts/x1?entity=CAMPAIGN&entity_ids=:entity_ids'],
    ['GET', '/0/stats/accounts/x1/line_items/l1', 'GET /12/stats/accounts/x1?entity=LINE_ITEM&entity_ids=l1'],
    [
      'GET',
      '/stats/accounts/x1/promoted_tweets',
      'GET /12/stats/accounts/x1?entity=PROMOTED_POST&entity_ids=:entity_ids',
    ],
    ['GET', '/12/stats/accounts/x1/reach', undefined],
    ['GET', '/12/stats/jobs/accounts/x1/17', 'GET /12/stats/jobs/accounts/x1?job_ids=17'],
    ['DELETE', '/12/stats/jobs/accounts/x1/17', undefined],
    ['GET', '/6/accounts/x1/reach_estimate', 'POST /12/accounts/x1/audience_estimate'],
    ['POST', '/8/accounts/x1/audience_summary', 'POST /12/accounts/x1/audience_estimate'],
    ['GET', '/3/accounts/x1/videos', 'GET /12/accounts/x1/media_library'],
    ['GET', '/12/accounts', undefined],
    ['POST', `/2/${'x'.repeat(2_000)}`, undefined],
  ])('%s %s: %s', (method, path, now) => {
    const found = replacementOf(method, path);
    expect(found && `${found.method} ${found.path}`).toBe(now);
  });
});

describe("names of X's Ads API", () => {
  it.each([
    ['retweeted', 'retweeted'],
    ['retweet_count', 'retweet_count'],
    ['draft_tweet_id', 'draft_post_id'],
    ['PROMOTED_TWEETS', 'PROMOTED_POSTS'],
    ['campaign_ids', 'campaign_ids'],
  ])('%s is %s here', (name, here) => expect(serviceName(name)).toBe(here));

  it('that have no counterpart are told as such', () => {
    for (const path of ['/auction_insights', '/12/accounts/x1/auction_insights'])
      expect(foreignPathHint(path)).toMatch(/is part of X's Ads API but not of this one/);
    expect(foreignPathHint('/12/measurement/app_conversions/x1')).toMatch(
      /^X's Conversion API for App Events has no public/,
    );
    expect(foreignPathHint('/12/accounts/x1/statistics')).toBeUndefined();
  });
});

describe("endpoints of X's reference", () => {
  const reference = readReference();
  const said = (method: string, path: string, among = reference) => {
    const found = absentEndpointAt(method, path, among);
    return found && absentHint(found);
  };

  it('that are missing are named with their method and group', () => {
    const missing = { method: 'GET', path: '/12/reviews', group: 'reviews', state: 'missing' } as const;
    expect(said('GET', '/12/reviews', [...reference, missing])).toBe(
      "GET /12/reviews (reviews) is part of X's Ads API, and this service does not have it.",
    );
    expect(said('GET', '/2/media/analytics')).toBeUndefined();
    expect(said('POST', '/12/accounts/x1/line_item_apps')).toBeUndefined();
    expect(said('POST', '/12/accounts/x1/ad-export/api/v1/exports')).toBeUndefined();
    expect(said('PUT', '/12/accounts/x1/tax_settings')).toBeUndefined();
    expect(said('POST', '/2/media/upload')).toBeUndefined();
    expect(said('GET', '/12/product_catalogs/1/scheduled_feeds')).toBeUndefined();
  });

  it('are found with the names of either vocabulary, and with another method', () => {
    const preview = {
      method: 'GET',
      path: '/12/accounts/:account_id/scheduled_tweets/preview/:scheduled_tweet_id',
      group: 'previews',
      state: 'missing',
    } as const;
    for (const path of ['/12/accounts/x1/scheduled_tweets/preview/17', '/12/accounts/x1/scheduled_posts/preview/17'])
      expect(said('POST', path, [preview])).toMatch(/^GET .*\/scheduled_tweets\/preview\/:scheduled_tweet_id /);
  });

  it('are not found at other paths, nor where the service answers', () => {
    for (const path of ['/12/accounts/x1/campaigns', '/mcp', '/12/accounts', '/', '/12/accounts/x1/lead_forms/a/b'])
      expect(said('POST', path)).toBeUndefined();
  });

  it('have a method and a path once each', () => {
    const routes = reference.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
});
