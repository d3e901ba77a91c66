import { startMarquee } from '@marquee/testing';

let marquee;

beforeAll(async () => {
  marquee = await startMarquee({ inProcess: true, clock: '2027-03-01T09:00:00Z' });
}, 120_000);
afterAll(() => marquee?.stop());

test('the service has the data of the demo', async () => {
  const { body } = await marquee.request('GET', '/12/accounts/:account_id/campaigns');
  expect(body.data.map(({ name }) => name)).toContain('Cold brew launch');
});

test('clocks advance independently of each other', async () => {
  const namespace = await marquee.namespace({ ttl: 600, clock: '2026-12-24T18:00:00Z' });
  expect(await namespace.clock.advance('2026-12-31T18:00:00Z')).toBe('2026-12-31T18:00:00Z');
  expect(marquee.clock.now).toBe('2027-03-01T09:00:00Z');
});
