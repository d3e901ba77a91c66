import { edits, nearest } from '../../../src/common/http/nearest.js';
import { meantBy, type KnownEndpoint } from '../../../src/common/http/route-hints.js';

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
    ['GET', '/', undefined],
    ['GET', `/12/accounts/${'x'.repeat(2_000)}/campaign`, undefined],
  ])('of %s %s', (method, path, found) => {
    expect(meant(method, path)).toEqual(found);
  });
});
