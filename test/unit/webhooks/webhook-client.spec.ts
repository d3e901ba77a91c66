import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { LookupAddress } from 'node:dns';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/common/time/clock.js';
import { Config } from '../../../src/config/config.js';
import { isAllowedAddress, mistakeOfUrl } from '../../../src/common/http/outgoing/public-url.js';
import type { HostNames } from '../../../src/common/http/outgoing/guarded-agent.js';
import { DEADLINE_MS, MAX_BODY_BYTES, WebhookClient } from '../../../src/webhooks/client/webhook-client.js';

const REFUSED_IN_PRODUCTION = [
  // Schemes, users, ports, fragments, and what is no URL.
  'http://example.com/hook',
  'ftp://example.com/hook',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,hello',
  'https:example.com',
  'https:///example.com/hook',
  '//example.com/hook',
  'example.com/hook',
  '',
  'https://',
  'https://user@example.com/hook',
  'https://user:password@example.com/hook',
  'https://example.com@127.0.0.1/hook',
  'https://127.0.0.1\\@example.com/hook',
  'https://example.com:8443/hook',
  'https://example.com:443/hook',
  'https://example.com:/hook',
  'https://example.com/hook#part',
  'https://exa\tmple.com/hook',
  ' https://example.com/hook',
  'https://example.com/a b',
  'https://ex%61mple.com/hook',
  'https://１２７.0.0.1/hook',
  'https://ex\u200bample.com/hook',
  // Loopback in all spellings.
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://127.0.1/hook',
  'https://2130706433/hook',
  'https://0x7f000001/hook',
  'https://0x7f.0.0.1/hook',
  'https://0177.0.0.1/hook',
  'https://017700000001/hook',
  'https://127.255.255.254/hook',
  'https://0/hook',
  'https://0.0.0.0/hook',
  'https://127.0.0.1./hook',
  'https://%31%32%37.0.0.1/hook',
  'https://[::1]/hook',
  'https://[0:0:0:0:0:0:0:1]/hook',
  'https://[::]/hook',
  'https://[::ffff:127.0.0.1]/hook',
  'https://[::ffff:7f00:1]/hook',
  'https://[::127.0.0.1]/hook',
  'https://[64:ff9b::7f00:1]/hook',
  'https://[64:ff9b::10.0.0.1]/hook',
  'https://[64:ff9b:1::8.8.8.8]/hook',
  'https://[2002:7f00:1::]/hook',
  'https://[2002:808:808::]/hook',
  'https://[2001:0:7f00:1::]/hook',
  // Networks of one's own, and those with a meaning of their own.
  'https://10.0.0.1/hook',
  'https://172.16.0.1/hook',
  'https://172.31.255.255/hook',
  'https://192.168.1.1/hook',
  'https://0xc0a80101/hook',
  'https://100.64.0.1/hook',
  'https://169.254.0.1/hook',
  'https://192.0.0.192/hook',
  'https://192.0.2.1/hook',
  'https://198.18.0.1/hook',
  'https://198.51.100.1/hook',
  'https://203.0.113.1/hook',
  'https://224.0.0.1/hook',
  'https://240.0.0.1/hook',
  'https://255.255.255.255/hook',
  'https://[fe80::1]/hook',
  'https://[fc00::1]/hook',
  'https://[fd12:3456:789a::1]/hook',
  'https://[fec0::1]/hook',
  'https://[ff02::1]/hook',
  'https://[100::1]/hook',
  'https://[2001:db8::1]/hook',
  'https://[3fff::1]/hook',
  'https://[5f00::1]/hook',
  'https://[4000::1]/hook',
  // Where clouds tell machines their secrets.
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://[::ffff:169.254.169.254]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[fd00:ec2::254]/',
  'https://[fd20:ce::254]/',
  'https://168.63.129.16/',
  'https://[::ffff:168.63.129.16]/',
  'https://100.100.100.200/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://METADATA.google.INTERNAL./',
  // Names of this machine and of its networks.
  'https://localhost/hook',
  'https://LOCALHOST/hook',
  'https://localhost./hook',
  'https://app.localhost/hook',
  'https://localhost.localdomain/hook',
  'https://redis/hook',
  'https://printer.local/hook',
  'https://router.home.arpa/hook',
  'https://wiki.corp/hook',
];

const TAKEN_IN_PRODUCTION = [
  'https://example.com/hook',
  'https://example.com',
  'https://EXAMPLE.com/hook?key=value&other=%20',
  'https://hooks.example.co.uk/a/b',
  'https://xn--bcher-kva.example/hook',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]/hook',
  'https://[64:ff9b::808:808]/hook',
  'https://[::ffff:8.8.8.8]/hook',
];

const TAKEN_IN_DEVELOPMENT = [
  'http://localhost:3000/demo/webhook',
  'http://127.0.0.1:8080/',
  'http://[::1]:8080/',
  'http://receiver:9000/hook',
  'http://172.17.0.2/hook',
  'https://example.com:8443/hook',
];

const REFUSED_IN_DEVELOPMENT = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://168.63.129.16/',
  'http://[fe80::1]/',
  'http://224.0.0.1/',
  'http://user:password@localhost/hook',
  'ftp://localhost/hook',
];

describe('URLs of webhooks', () => {
  it.each(REFUSED_IN_PRODUCTION)('production refuses %j', (url) => {
    expect(mistakeOfUrl(url, true)).toMatch(/^must /);
  });
  it.each(TAKEN_IN_PRODUCTION)('production takes %j', (url) => {
    expect(mistakeOfUrl(url, true)).toBeUndefined();
  });
  it.each(TAKEN_IN_DEVELOPMENT)('development takes %j', (url) => {
    expect(mistakeOfUrl(url, false)).toBeUndefined();
  });
  it.each(REFUSED_IN_DEVELOPMENT)('development refuses %j', (url) => {
    expect(mistakeOfUrl(url, false)).toMatch(/^must /);
  });

  it.each(['', 'localhost', 'fe80::1%lo', '999.1.1.1'])('no address: %j', (text) => {
    expect(isAllowedAddress(text, true)).toBe(false);
  });
});

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Where each name leads, and how often it was asked; a list of lists leads elsewhere each time. */
function namesOf(addresses: Record<string, LookupAddress[][]>) {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    const turns = addresses[name];
    if (!turns) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    return turns.length > 1 ? turns.shift()! : turns[0];
  };
  return { asked, lookup } as unknown as HostNames & { asked: string[] };
}

function clientOf(production: boolean, names = namesOf({ localhost: [[{ address: '127.0.0.1', family: 4 }]] })) {
  const client = new WebhookClient(Object.assign(new Config(), { production }), new Clock(), names);
  ends.push(() => client.onApplicationShutdown());
  return client;
}

async function listening(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ends.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serving = async (answer: RequestListener) => `http://localhost:${await listening(createServer(answer))}/hook`;

describe('where it connects to', () => {
  const v4 = (address: string) => ({ address, family: 4 });

  it('is judged by what the name leads to, each time anew', async () => {
    const names = namesOf({ 'rebinding.example.com': [[v4('10.0.0.1')], [v4('169.254.169.254')], [v4('127.0.0.1')]] });
    const client = clientOf(true, names);
    for (let turn = 0; turn < 3; turn++) {
      expect(await client.get('https://rebinding.example.com/')).toMatchObject({ fatal: 'forbidden-address' });
    }
    expect(names.asked).toHaveLength(3);
  });

  it('is refused where one address of several is not allowed', async () => {
    const names = namesOf({ 'both.example.com': [[v4('8.8.8.8'), { address: '::1', family: 6 }]] });
    expect(await clientOf(true, names).get('https://both.example.com/')).toMatchObject({ fatal: 'forbidden-address' });
  });

  it('is an address that was judged, not what the name leads to a moment later', async () => {
    const port = await listening(createSocketServer(() => reached()));
    const reached = jest.fn();
    // Judged when asked first; were it asked again for the connection, that would reach this machine.
    const names = namesOf({ 'turning.example.com': [[v4('192.0.2.1')], [v4('127.0.0.1')]] });
    const client = clientOf(false, names);
    expect(await client.get(`http://turning.example.com:${port}/`)).toMatchObject({ fatal: 'forbidden-address' });
    expect(names.asked).toHaveLength(1);
    expect(reached).not.toHaveBeenCalled();
  });

  it('is not looked up where the URL is refused for what it says', async () => {
    const names = namesOf({});
    const client = clientOf(true, names);
    for (const url of ['https://127.0.0.1/', 'http://example.com/', 'https://app.localhost/', 'nothing'])
      expect(await client.post(url, { body: '{}' })).toMatchObject({ fatal: 'forbidden-address' });
    expect(names.asked).toEqual([]);
  });

  it('is told as a name that does not resolve', async () => {
    const answer = await clientOf(true, namesOf({})).get('https://nowhere.example.com/');
    expect(answer).toMatchObject({ error: 'The host name does not resolve.', body: '' });
    expect(answer).not.toHaveProperty('fatal');
  });
});

describe('what is asked and answered', () => {
  it('sends headers and body, and reads the answer over a connection that is kept', async () => {
    const ports = new Set<number | undefined>();
    const url = await serving((request, response) => {
      ports.add(request.socket.remotePort);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () =>
        response.end(`${request.method} ${request.url} ${request.headers['x-mark'] as string} ${body}`),
      );
    });
    const client = clientOf(false);
    for (let turn = 0; turn < 6; turn++) {
      const answer = await client.post(`${url}?a=b`, { headers: { 'x-mark': 'here' }, body: '{"a":"ü"}' });
      expect(answer).toEqual({
        status: 200,
        body: 'POST /hook?a=b here {"a":"ü"}',
        isCut: false,
        headers: expect.objectContaining({ 'content-length': '30' }),
        latencyMs: expect.any(Number),
      });
    }
    // The next request may begin before the connection of the last one is free again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each([
    [301, { fatal: 'redirect' }],
    [307, { fatal: 'redirect' }],
    [404, { error: 'The response had status 404.' }],
    [503, { error: 'The response had status 503.', retryAfterSeconds: 120 }],
  ])('status %d', async (status, expected) => {
    const url = await serving((_, response) =>
      response.writeHead(status, { 'retry-after': '120', location: 'http://localhost/elsewhere' }).end(),
    );
    expect(await clientOf(false).get(url)).toMatchObject({ status, ...expected });
  });

  it('reads `retry-after` as a date, too', async () => {
    const soon = new Date(Date.now() + 60_000).toUTCString();
    const url = await serving((_, response) => response.writeHead(503, { 'retry-after': soon }).end());
    const { retryAfterSeconds } = await clientOf(false).get(url);
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it('reads a few KiB of an answer without end, and hangs up', async () => {
    const hungUp = new Promise<void>((done) => {
      ends.push(() => done());
      void serving((_, response) => {
        const more = () => {
          if (response.destroyed) return done();
          if (response.write('x'.repeat(10_000))) setImmediate(more);
          else response.once('drain', more);
        };
        response.once('close', done);
        more();
      }).then(async (url) => {
        const answer = await clientOf(false).get(url);
        expect(answer).toMatchObject({ status: 200, body: 'x'.repeat(MAX_BODY_BYTES) });
        expect(answer).not.toHaveProperty('error');
      });
    });
    await hungUp;
  });

  it.each([
    ['says nothing', (_: unknown, response: ServerResponse) => void response],
    ['never ends its answer', (_: unknown, response: ServerResponse) => void response.write('slowly')],
  ])('is done after 10 seconds where the other side %s', async (_, answer) => {
    const url = await serving((request, response) => {
      answer(request, response);
      setImmediate(() => jest.advanceTimersByTime(DEADLINE_MS));
    });
    jest.useFakeTimers({ now: Date.now(), doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    ends.push(() => jest.useRealTimers());
    const given = await clientOf(false).get(url);
    expect(given).toMatchObject({ error: 'No complete response arrived within 10 seconds.' });
  });

  it('gives up when it is told to, also while it waits for the connection', async () => {
    const url = await serving(() => {});
    const stop = new AbortController();
    const asked = [1, 2, 3].map(() => clientOf(false).get(url, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ error: expect.stringMatching(/cancelled/) });
    expect(await clientOf(false).get(url, { signal: AbortSignal.abort() })).toHaveProperty('error');
  });

  it('says what went wrong where nothing answers as it should', async () => {
    const nobody = await listening(createServer());
    await (ends.pop() as () => unknown)();
    const noise = await listening(createSocketServer((socket) => socket.end('nonsense\r\n\r\n')));
    const silence = await listening(createSocketServer((socket) => socket.end()));
    const client = clientOf(false);
    expect(await client.get(`http://localhost:${nobody}/`)).toMatchObject({ error: 'The connection was refused.' });
    expect(await client.get(`http://localhost:${noise}/`)).toMatchObject({
      error: 'The response was not valid HTTP, or its headers were too large.',
    });
    expect(await client.get(`http://localhost:${silence}/`)).toMatchObject({
      error: 'The connection was closed before the response was complete.',
    });
    expect(await client.get(`https://localhost:${noise}/`)).toMatchObject({ fatal: 'tls' });
  });
});
