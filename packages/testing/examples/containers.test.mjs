import { MarqueeContainer } from '@marquee/testing/testcontainers';

let container;

beforeAll(async () => {
  container = await new MarqueeContainer(process.env.MARQUEE_IMAGE).withClock('2027-03-01T09:00:00Z').start();
}, 180_000);
afterAll(() => container?.stop());

test('the service knows the URL at which this machine reaches it', async () => {
  const { body } = await container.request('GET', '/version');
  expect(body.base_url).toBe(container.getBaseUrl());
});

test('the clock of the container and that of a namespace advance', async () => {
  expect(await container.getClock().advance('1d')).toBe('2027-03-02T09:00:00Z');
  const namespace = await container.namespace({ ttl: 600 });
  expect(await namespace.clock.advance('2027-04-01T00:00:00Z')).toBe('2027-04-01T00:00:00Z');
});
