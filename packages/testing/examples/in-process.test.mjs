import { startMarquee } from '@marquee/testing';

let marquee;

beforeAll(async () => {
  marquee = await startMarquee({ inProcess: true, clock: '2027-03-01T09:00:00Z' });
}, 180_000);
afterAll(() => marquee?.stop());

test('the service has the data of the demo', async () => {
  const { body } = await marquee.request('GET', '/12/accounts/:account_id/campaigns');
  expect(body.data.map(({ name }) => name)).toContain('Cold brew launch');
});

test('an endpoint takes JSON', async () => {
  const json = { targeting_criteria: [{ targeting_type: 'BROAD_KEYWORD', targeting_value: 'coffee' }] };
  const { status } = await marquee.request('POST', '/12/accounts/:account_id/audience_estimate', {}, { json });
  expect(status).toBe(200);
});

test('clocks advance independently of each other', async () => {
  const namespace = await marquee.namespace({ ttl: 600, clock: '2026-12-24T18:00:00Z' });
  expect(await namespace.clock.advance('2026-12-31T18:00:00Z')).toBe('2026-12-31T18:00:00Z');
  expect(marquee.clock.now).toBe('2027-03-01T09:00:00Z');
});
