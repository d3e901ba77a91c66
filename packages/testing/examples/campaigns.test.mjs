import { startMarquee } from '@marquee/testing';

let marquee;
let namespace;

beforeAll(async () => {
  marquee = await startMarquee({ seed: 'empty', clock: '2027-03-01T09:00:00Z' });
}, 180_000);
afterAll(() => marquee?.stop());
beforeEach(async () => {
  namespace = await marquee.namespace({ ttl: 600 });
});

const campaigns = '/12/accounts/:account_id/campaigns';
const sandbox = { sandbox: true };

const createCampaign = () =>
  namespace.request(
    'POST',
    campaigns,
    {
      name: 'Autumn',
      funding_instrument_id: namespace.credentials.sandbox_funding_instrument_id,
      daily_budget_amount_local_micro: 5_500_000,
    },
    sandbox,
  );

test('a campaign is created at the time of the test', async () => {
  const { status, body } = await createCampaign();
  expect(status).toBe(201);
  expect(body.data.created_at).toBe('2027-03-01T09:00:00Z');
});

test('time passes when the test says so', async () => {
  await createCampaign();
  expect(await namespace.clock.advance('90d')).toBe('2027-05-30T09:00:00Z');
  const { body } = await createCampaign();
  expect(body.data.created_at).toBe(namespace.clock.now);
});

test('a test sees only its own campaigns', async () => {
  const { body } = await namespace.request('GET', campaigns, {}, sandbox);
  expect(body.data).toEqual([]);
  expect((await namespace.request('GET', '/12/accounts', {}, sandbox)).body.data).toHaveLength(1);
});
