import { nameHere, onlyAtX } from '../../../src/common/http/hints/x-names.js';
import { edits, nearest } from '../../../src/common/http/hints/nearest.js';
import { meantBy, type KnownEndpoint } from '../../../src/common/http/hints/route-hints.js';

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
    ['TWEET_COMPOSER', ['POST_COMPOSER'], 'POST_COMPOSER'],
    ['twitter_id', ['email', 'platform_id'], 'platform_id'],
    ['fouth_cta_tweet', ['first_cta_post', 'fourth_cta_post'], 'fourth_cta_post'],
    ['q', ['p'], undefined],
    ['colour', ['ACTIVE', 'PAUSED'], undefined],
    ['', ['ACTIVE'], undefined],
    [17, ['ACTIVE'], undefined],
    ['x'.repeat(65), ['x'.repeat(64)], undefined],
  ])('%p of %p is %p', (word, candidates, found) => {
    expect(nearest(word, candidates)).toBe(found);
  });
});

describe('the endpoint that was meant', () => {
  const endpoints: KnownEndpoint[] = [
    { method: 'GET', path: '/12/accounts' },
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
    const found = meantBy({ method, path, sandbox: false }, endpoints);
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
    ['GET', '/', undefined],
    ['GET', `/12/accounts/${'x'.repeat(2_000)}/campaign`, undefined],
  ])('of %s %s', (method, path, found) => {
    expect(meant(method, path)).toEqual(found);
  });
});

describe("names of X's Ads API", () => {
  it.each([
    ['retweeted', 'retweeted'],
    ['retweet_count', 'retweet_count'],
    ['draft_tweet_id', 'draft_post_id'],
    ['PROMOTED_TWEETS', 'PROMOTED_POSTS'],
    ['campaign_ids', 'campaign_ids'],
  ])('%s is %s here', (name, here) => expect(nameHere(name)).toBe(here));

  it('that have no counterpart are told as such', () => {
    for (const path of ['/12/accounts/x1/line_item_apps', '/tracking_tags', '/12/accounts/x1/web_event_tags'])
      expect(onlyAtX(path)).toMatch(/is part of X's Ads API but not of this one/);
    expect(onlyAtX('/12/accounts/x1/statistics')).toBeUndefined();
  });
});
