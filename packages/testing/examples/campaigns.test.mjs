import { startMarquee } from '@marquee/testing';

let marquee;
let namespace;

beforeAll(async () => {
  marquee = await startMarquee({ seed: 'empty', clock: '2027-03-01T09:00:00Z' });
}, 120_000);
afterAll(() => marquee?.stop());
beforeEach(async () => {
  namespace = await marquee.namespace({ ttl: 600 });
});

const campaign = () => ({
  name: 'Autumn',
  funding_instrument_id: namespace.credentials.funding_instrument_id,
  daily_budget_amount_local_micro: 5_500_000,
});

test('a campaign is created at the time of the test', async () => {
  const { status, body } = await namespace.request('POST', '/12/accounts/:account_id/campaigns', campaign());
  expect(status).toBe(201);
  expect(body.data.created_at).toMatch(/^2027-03-01T09:/);
});

test('a test sees only its own campaigns', async () => {
  const { body } = await namespace.request('GET', '/12/accounts/:account_id/campaigns');
  expect(body.data).toEqual([]);
  expect((await namespace.request('GET', '/12/accounts', {}, { sandbox: true })).body.data).toHaveLength(1);
});
