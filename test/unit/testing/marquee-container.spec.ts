import { jest } from '@jest/globals';
import { MarqueeContainer, type StartedMarqueeContainer } from '@marquee/testing/testcontainers';
import { GenericContainer, type StartedTestContainer } from 'testcontainers';

/** What a container is configured with. */
class Inspected extends MarqueeContainer {
  async settings() {
    await this.beforeContainerCreated?.();
    const { environment, exposedPorts, waitStrategy, startupTimeoutMs } = this;
    return { environment, exposedPorts, waitStrategy: { ...waitStrategy }, startupTimeoutMs };
  }
}

const DEMO = { base_url: 'http://localhost:3000', consumer_key: 'key', account_id: 'a1' };

/** Starts a container of which the runtime knows nothing; `outputs`: what its commands print. */
async function startWith(container: MarqueeContainer, outputs: object[]) {
  const commands: string[] = [];
  const started = {
    getHost: () => '::1',
    getMappedPort: (port: number) => port + 40_000,
    exec: async (command: string[]) => {
      commands.push(command.join(' '));
      return { exitCode: 0, stdout: JSON.stringify(outputs.shift()), stderr: '', output: '' };
    },
  };
  const start = jest.spyOn(GenericContainer.prototype, 'start');
  start.mockResolvedValue(started as unknown as StartedTestContainer);
  const marquee: StartedMarqueeContainer = await container.start().finally(() => start.mockRestore());
  return { marquee, commands };
}

it('serves the demo with the workbench, and is ready when it answers so', async () => {
  const { environment, exposedPorts, waitStrategy, startupTimeoutMs } = await new Inspected('marquee').settings();
  expect(environment).toMatchObject({ NODE_ENV: 'development', WORKBENCH: 'true', DEMO: 'true' });
  expect(exposedPorts).toEqual([3000]);
  expect(waitStrategy).toMatchObject({ path: '/health/ready', port: 3000 });
  expect(startupTimeoutMs).toBe(120_000);
});

it('takes a seed, a clock and further variables', async () => {
  const container = new Inspected('marquee').withSeed('empty').withEnvironment({ LOG_LEVEL: 'info' });
  const { environment } = await container.withClock({ startsAt: new Date('2027-03-01T09:00:00Z') }).settings();
  expect(environment).toMatchObject({ DEMO: 'false', LOG_LEVEL: 'info', CLOCK_STARTS_AT: '2027-03-01T09:00:00.000Z' });
});

it('a frozen clock leaves that of the service alone', async () => {
  const { environment } = await new Inspected('marquee').withClock('2027-03-01T09:00:00Z').settings();
  expect(environment).not.toHaveProperty('CLOCK_STARTS_AT');
});

it('rejects what it does not know', async () => {
  const container = new Inspected('marquee');
  expect(() => container.withSeed('full' as 'demo')).toThrow('seed must be demo or empty, not full');
  expect(() => container.withClock('tomorrow')).toThrow('clock must be a time such as');
  expect(() => container.withClock({ frozen: 1 } as object)).toThrow('clock has frozenAt and startsAt, but no frozen');
  await expect(container.withClock({ startsAt: '2027-03-01' }).withReuse().settings()).rejects.toThrow('startsAt');
});

it('has the credentials of the demo with the URLs that this machine uses', async () => {
  const { marquee, commands } = await startWith(new MarqueeContainer('marquee'), [DEMO]);
  expect(commands).toEqual(['cat /var/lib/marquee/demo-credentials.json']);
  expect(marquee.getBaseUrl()).toBe('http://[::1]:43000');
  expect(marquee.getPort()).toBe(43_000);
  expect(marquee.getCredentials()).toEqual({
    ...DEMO,
    base_url: 'http://[::1]:43000',
    ads_base_url: 'http://[::1]:43000',
    ads_sandbox_base_url: 'http://[::1]:43000/sandbox',
  });
  expect(() => marquee.getClock()).toThrow('There is no test clock');
});

it('has everything that a service has', async () => {
  const outputs = [{ ...DEMO, sandbox_account_id: 's1', client_id: 'c1' }, { pixel_id: 'p1' }, { access_token: 'new' }];
  const { marquee, commands } = await startWith(new MarqueeContainer('marquee'), outputs);
  expect(await marquee.pixelToken('Shop')).toEqual({ pixel_id: 'p1' });
  expect(await marquee.oauth2Tokens({ scopes: ['ads.read'] })).toEqual({ access_token: 'new' });
  expect(commands.slice(1).map((command) => command.split(' ', 3).join(' '))).toEqual([
    'marquee pixel tokens',
    'marquee token issue',
  ]);
  const fetched = jest.spyOn(globalThis, 'fetch');
  fetched.mockImplementation(async (url) => Response.json({ data: { id: (url as URL).href } }));
  const workbench = 'http://[::1]:43000/workbench';
  const { id: engagement } = await marquee.engagement({ line_item_id: 'l1', user_id: 'u1' });
  const { id: conversion } = await marquee.conversion({ event_id: 'e1' });
  fetched.mockRestore();
  expect([engagement, conversion]).toEqual([`${workbench}/engagements`, `${workbench}/conversions`]);
});

describe('requests', () => {
  const THINGS = '/12/accounts/:account_id/things';

  /** What a request sends. */
  async function sentBy(...given: Parameters<StartedMarqueeContainer['request']>) {
    const { marquee } = await startWith(new MarqueeContainer('marquee'), [DEMO]);
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
    await marquee.request(...given);
    const [url, { headers, body } = {}] = fetched.mock.lastCall!;
    fetched.mockRestore();
    return { url: (url as URL).href, type: new Headers(headers).get('content-type'), body };
  }

  const url = 'http://[::1]:43000/12/accounts/a1/things';
  const FORM = 'application/x-www-form-urlencoded';
  const JSON_TYPE = 'application/json';

  it.each(['POST', 'PUT', 'DELETE'] as const)('%s has a list or `json` as a JSON body', async (method) => {
    expect(await sentBy(method, THINGS, [{ a: 1 }])).toEqual({ url, type: JSON_TYPE, body: '[{"a":1}]' });
    expect(await sentBy(method, THINGS, {}, { json: { a: [1] } })).toEqual({ url, type: JSON_TYPE, body: '{"a":[1]}' });
    expect(await sentBy(method, THINGS, { q: 'x' }, { json: [] })).toEqual({
      ...{ url: `${url}?q=x`, type: JSON_TYPE, body: '[]' },
    });
  });

  it('have a form or a query otherwise', async () => {
    for (const method of ['POST', 'PUT'] as const)
      expect(await sentBy(method, THINGS, { a: 1, b: undefined })).toEqual({ url, type: FORM, body: 'a=1' });
    for (const method of ['GET', 'DELETE'] as const)
      expect(await sentBy(method, THINGS, { a: 1 })).toEqual({ url: `${url}?a=1`, type: null, body: undefined });
  });
});

it('without the demo it creates a user, who signs', async () => {
  const outputs = [{ username: 'tester' }, { consumer_key: 'key' }, { access_token: 'token' }];
  const { marquee, commands } = await startWith(new MarqueeContainer('marquee').withSeed('empty'), outputs);
  expect(commands.map((command) => command.split(' ', 3).join(' '))).toEqual([
    'marquee user create',
    'marquee app create',
    'marquee token issue',
  ]);
  expect(marquee.getCredentials()).toMatchObject({ consumer_key: 'key', access_token: 'token' });
});
