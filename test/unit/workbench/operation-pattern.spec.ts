import { isKnownOperation, matchesOperation, readOperation } from '../../../src/workbench/faults/operation-pattern.js';

const OPERATIONS = [
  { id: 'listCampaigns', routes: ['GET /12/accounts/:account_id/campaigns'] },
  { id: 'addMedia', routes: ['POST /1.1/media/upload', 'POST /1.1/media/upload.json'] },
];

const request = (method: string, path: string) => ({ id: 'listCampaigns', method, path });

it.each([
  ['listCampaigns', true],
  ['GET /12/accounts/*/campaigns', true],
  ['get /12/accounts/{account_id}/campaigns', true],
  ['GET /12/accounts/18ce54d4x5t/campaigns', true],
  ['GET /12/*/*/*', true],
  ['POST /1.1/media/upload.json', true],
  ['POST /12/accounts/*/campaigns', false],
  ['GET /12/accounts/*', false],
  ['GET /12/accounts/*/campaigns/*', false],
  ['GET', false],
  ['/12/accounts/*/campaigns', false],
  ['ListCampaigns', false],
])('%s is known: %s', (text, isKnown) => {
  expect(isKnownOperation(readOperation(text), OPERATIONS)).toBe(isKnown);
});

it.each([
  ['listCampaigns', true],
  ['createCampaign', false],
  ['GET /12/accounts/*/campaigns', true],
  ['GET /12/accounts/18CE/campaigns', true],
  ['GET /12/accounts/18cf/campaigns', false],
  ['POST /12/accounts/*/campaigns', false],
  ['GET /12/accounts/*/campaigns/*', false],
])('%s selects the list of campaigns: %s', (text, isSelected) => {
  expect(matchesOperation(readOperation(text), request('GET', '/12/accounts/18ce/campaigns'))).toBe(isSelected);
});
