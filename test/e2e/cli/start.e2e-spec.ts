import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import pg from 'pg';
import { replicaAdminPath } from '../../../src/cli/admin-protocol.js';
import {
  databaseUrl,
  onServer,
  SERVER,
  serverEnvironment,
  TEMPLATE_DATABASE,
  untilReplayed,
} from '../../support/environment.js';
import { type Ended, Place } from './marquee.js';

jest.setTimeout(180_000);

/** A store with the demo, which nobody has open. The command that makes it takes seconds, a copy of it does not. */
let withDemo: Place;
/** How that command ended. */
let made: Ended;
beforeAll(async () => {
  withDemo = await Place.make({ LOG_LEVEL: 'warn' });
  made = await withDemo.marquee(['demo']);
});
afterAll(() => withDemo?.leave());

describe('start', () => {
  it('a start while Redis is not available succeeds', async () => {
    const other = await Place.make({ LOG_LEVEL: 'error', DEMO: 'false', REDIS_URL: `redis://127.0.0.1:1` });
    try {
      await other.serve();
      const answer = await fetch(`${other.url}/health/ready`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          status: 'ok',
          database: 'ok',
          redis: 'away',
          degraded: expect.stringMatching(/^requests are still served/),
        },
      ]);
    } finally {
      await other.leave();
    }
  });

  it('a rejection that nothing handles is counted and ends no process; an error outside of promises ends it', async () => {
    const faults = `let count = 0;
      process.on('SIGUSR2', () => {
        if (count++ < 2) void Promise.reject(new Error('nobody waits for this'));
        else throw new Error('the state is unknown');
      });`;
    const preload = `--import data:text/javascript,${encodeURIComponent(faults)}`;
    const other = await Place.make({ LOG_LEVEL: 'error', DEMO: 'false', NODE_OPTIONS: preload });
    const counted = async () =>
      /^marquee_unhandled_errors_total (\d+)$/m.exec(await (await fetch(`${other.url}/metrics`)).text())?.[1];
    try {
      await other.serve();
      expect(await counted()).toBe('0');
      for (const count of ['1', '2']) {
        const ended = other.signal('SIGUSR2');
        while ((await counted()) !== count) await Promise.race([ended, pause(50)]);
      }
      expect((await fetch(`${other.url}/health/ready`)).status).toBe(200);
      expect(await other.signal('SIGUSR2')).not.toBe(0);
    } finally {
      await other.leave();
    }
  });

  it('SIGTERM to npm ends the service that npm start has started', async () => {
    const other = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false' });
    try {
      await other.serveWithNpm();
      // npm itself ends at once; the pipes close when the service has ended, too
      await other.stop();
      await expect(fetch(`${other.url}/health/live`)).rejects.toThrow('fetch failed');
      // the store is no longer locked
      await other.serve();
    } finally {
      await other.leave();
    }
  });

  it('the end of its standard input stops a service that tests started', async () => {
    const other = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false', MARQUEE_STOP_WITH_STDIN: 'true' });
    try {
      await other.serve();
      expect(await other.endInput()).toBe(0);
    } finally {
      await other.leave();
    }
  });
});

(SERVER ? describe : describe.skip)('start on a server', () => {
  let place: Place;
  let database: string;
  beforeAll(async () => {
    database = `${process.env[TEMPLATE_DATABASE]}_start`;
    await onServer(`CREATE DATABASE ${database} TEMPLATE ${process.env[TEMPLATE_DATABASE]}`);
    await untilReplayed(database);
    place = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false', ...serverEnvironment(database) });
  });
  afterAll(() => place?.leave());

  it('a second one on the same address leaves the admin socket of the first', async () => {
    await place.serve();
    const running = async () =>
      (JSON.parse((await place.marquee(['config', 'print', '--running', '--json'])).stdout) as { pid: number }).pid;
    const pid = await running();
    expect(await place.marquee(['serve'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is in use by another program'),
    });
    expect(await running()).toBe(pid);
    await place.stop();
  });

  it('one that fails afterwards leaves no admin socket', async () => {
    const client = new pg.Client({ connectionString: databaseUrl(database) });
    await client.connect();
    await client.query('TRUNCATE pgboss.queue CASCADE');
    await client.end();
    const { path } = replicaAdminPath({ host: '127.0.0.1', port: Number(new URL(place.url).port) });
    expect(await place.marquee(['serve'])).toMatchObject({ exitCode: 1 });
    expect(existsSync(path)).toBe(false);
  });
});

describe('first start', () => {
  let place: Place;
  beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterEach(() => place.leave());

  it('a start on a port that is taken says so, and has written nothing', async () => {
    const port = Number(new URL(place.url).port);
    const other = createServer((_, response) => response.end('<html>')).listen(port, '127.0.0.1');
    await once(other, 'listening');
    const next = createServer().listen(port + 1, '127.0.0.1');
    // somebody else may have it
    await once(next, 'listening').catch(() => undefined);
    try {
      const { exitCode, stdout, stderr } = await place.marquee(['serve']);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(
        /^Port \d+ of 127\.0\.0\.1 is in use by another program; `PORT=\d+ npm start` uses a free one\.\n$/,
      );
      const suggested = Number(/PORT=(\d+)/.exec(stderr)![1]);
      expect(suggested).toBeGreaterThan(port + 1);
      const free = createServer().listen(suggested, '127.0.0.1');
      await once(free, 'listening');
      free.close();
      expect(readdirSync(place.dataDir)).toEqual([]);

      // A request is not blamed on the credentials there.
      const credentials = readFileSync(withDemo.path('demo-credentials.json'), 'utf8');
      writeFileSync(place.path('demo-credentials.json'), credentials.replaceAll(withDemo.url, place.url));
      const asked = await place.marquee(['request', 'GET', '/12/accounts']);
      expect(asked.stderr).toMatch(
        /^200 OK {2}GET http:\/\/localhost:\d+\/12\/accounts\nThe program at \S+ is not Marquee/,
      );
    } finally {
      other.close();
      next.close();
    }
  });

  it('names variables that are no settings but look like some', async () => {
    const env = { MASTER_KY: 'x', HOSTNAME: 'here', EDITOR: 'vi' };
    const { child, ended } = place.run(['serve'], { env: { ...env, DEMO: 'false' } });
    for (let i = 0; i < 300 && child.exitCode === null; i++) {
      if (await fetch(`${place.url}/health/live`).catch(() => undefined)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    child.kill('SIGTERM');
    const { stdout } = await ended;
    expect(stdout).toContain('MASTER_KY is not a setting of Marquee. Did you mean MASTER_KEY?');
    expect(stdout).not.toMatch(/HOSTNAME|EDITOR/);
    const refused = await place.marquee(['serve'], { env: { ...env, NODE_ENV: 'production' } });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/MASTER_KEY: is required in production mode[^]*\nMASTER_KY is not a setting/);
  });

  it('has the port from the first moment, and answers 503 there until it is ready', async () => {
    const { child, ended } = place.run(['serve']);
    const statuses = new Set<number>();
    let body: unknown;
    try {
      while (!statuses.has(200) && child.exitCode === null) {
        const answer = await fetch(`${place.url}/health/ready`).catch(() => undefined);
        if (!answer) continue;
        statuses.add(answer.status);
        if (answer.status === 503) body = await answer.json();
      }
      expect([...statuses]).toEqual([503, 200]);
      expect(body).toEqual({ status: 'unavailable', starting: true });
      // It is complete by then.
      expect(await place.marquee(['request', 'GET', '/12/accounts'])).toMatchObject({ exitCode: 0 });
    } finally {
      child.kill('SIGTERM');
      expect((await ended).exitCode).toBe(0);
    }
  });

  it('its URLs follow the port of each start, in the credentials and in the callback of the demo', async () => {
    const credentials = () =>
      JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
    cpSync(withDemo.dataDir, place.dataDir, { recursive: true });
    const before = credentials();
    const moved = await place.on();
    try {
      await moved.serve();
      expect(credentials()).toEqual({
        ...before,
        base_url: moved.url,
        ads_base_url: moved.url,
        ads_sandbox_base_url: `${moved.url}/sandbox`,
        callback_url: `${moved.url}/demo/callback`,
      });
      expect(moved.url).not.toBe(before.base_url);
      // Without PORT, as a command is pasted.
      const asked = await place.marquee(['request', 'GET', '/12/accounts']);
      expect(asked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`GET ${moved.url}/12/accounts\n`) });
      expect((await moved.json<{ callbacks: string[] }[]>(['app', 'list']))[0].callbacks).toEqual([
        `${moved.url}/demo/callback`,
        `${moved.url}/docs/assets/swagger-ui/oauth2-redirect.html`,
        'http://127.0.0.1/callback',
      ]);
      const version = await (await fetch(`${moved.url}/version`)).json();
      expect(version).toMatchObject({
        name: 'marquee',
        base_url: moved.url,
        ads_sandbox_base_url: `${moved.url}/sandbox`,
      });
    } finally {
      await moved.stop();
    }
  });
});

describe('local', () => {
  let place: Place;
  beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterEach(() => place.leave());

  it('begins with a migrated store', async () => {
    expect(await place.json<string[]>(['migrate'])).toEqual([]);
    expect(await place.marquee(['migrate'])).toEqual({
      exitCode: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });
  });

  it('makes the demo in an empty store only, and requests find its credentials', async () => {
    const path = withDemo.path('demo-credentials.json');
    expect(made).toEqual({ exitCode: 0, stdout: expect.stringContaining(path), stderr: '' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await withDemo.marquee(['demo']);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: the store is not empty.*demo-cred/),
    });
    const found = JSON.parse(readFileSync(path, 'utf8'));
    const sent = async (named: string) => (await withDemo.marquee(['request', 'GET', named, '--dry-run'])).stdout;
    expect(await sent('/12/accounts/:account_id')).toContain(`GET /12/accounts/${found.account_id} HTTP/1.1`);
    const catalog = `/12/product_catalogs/${found.product_catalog_id}`;
    expect(await sent('/12/product_catalogs/:product_catalog_id/product_sets/:product_set_id')).toContain(
      `GET ${catalog}/product_sets/${found.product_set_id} HTTP/1.1`,
    );
    expect(await sent('/12/product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id/fetch')).toContain(
      `GET ${catalog}/scheduled_feeds/${found.scheduled_feed_id}/fetch HTTP/1.1`,
    );
  });

  it('prints the link to the reference with the key of the demo, the same every time', async () => {
    const none = await place.marquee(['docs']);
    expect(none).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: there is no demo in/),
    });
    const { stdout } = await withDemo.marquee(['docs']);
    expect(stdout).toMatch(new RegExp(`^${withDemo.url}/docs#key=[\\w-]{43}\n$`));
    expect(await withDemo.json(['docs'])).toEqual({ url: stdout.trim() });
    const production = { NODE_ENV: 'production', MASTER_KEY: '0123456789abcdef'.repeat(4), EMBEDDED_STORE: 'allow' };
    expect(await withDemo.marquee(['docs'], { env: production })).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('two commands at once on a closed store wait for each other', async () => {
    const all = await Promise.all(['ann', 'ben'].map((name) => place.json(['user', 'create', name, '--no-password'])));
    expect(all.map(({ username }) => username)).toEqual(['ann', 'ben']);
  });

  it('reaches a service whose data directory has a long name', async () => {
    const long = { DATA_DIR: join(place.dataDir, 'd'.repeat(100)) };
    const far = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false', ...long });
    try {
      await far.serve();
      expect(await far.marquee(['user', 'create', 'ann', '--no-password'])).toMatchObject({ exitCode: 0 });
    } finally {
      await far.leave();
    }
  });

  it('prints the configuration without secrets', async () => {
    const env = { DATABASE_URL: 'postgres://u:hush@db/x', MASTER_KEY: Buffer.alloc(32, 'x').toString('base64') };
    const { exitCode, stdout } = await place.marquee(['config', 'print'], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^DATABASE_URL +postgres:\/\/u:\*\*\*@db\/x$/m);
    expect(stdout).not.toContain('hush');
    expect(stdout).not.toContain(env.MASTER_KEY);
    const broken = await place.marquee(['config', 'print'], { env: { PORT: 'x', LOG_LEVEL: 'loud' } });
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/PORT: must be[^]*LOG_LEVEL: must be/) });
  });

  it('explains itself', async () => {
    const help = await place.marquee(['--help']);
    expect(help.exitCode).toBe(0);
    for (const command of [
      'serve',
      'migrate',
      'demo',
      'app',
      'user',
      'account',
      'funding',
      'directory',
      'token',
      'config',
      'docs',
      'request',
      'login',
      'completion',
    ])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} +\\w`, 'm'));
    expect((await place.marquee(['help', 'request'])).stdout).toContain('MARQUEE_CONSUMER_KEY');
    expect((await place.marquee(['account', 'grant', '--help'])).stdout).toContain('PARTNER_AUDIENCE_MANAGER');
    expect((await place.marquee(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await place.marquee([])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
