import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

let place: Place;
beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
afterEach(() => place.leave());

it('migrates a new store once', async () => {
  const [first, ...more] = await place.json<string[]>(['migrate']);
  expect([first, ...more]).toEqual(expect.arrayContaining([expect.stringMatching(/^\w+\d{13}$/)]));
  expect(await place.marquee(['migrate'])).toEqual({ exitCode: 0, stdout: 'The schema is up to date.\n', stderr: '' });
});

it('makes the demo in an empty store only, and requests find its credentials', async () => {
  const path = place.path('demo-credentials.json');
  const made = await place.marquee(['demo']);
  expect(made).toEqual({ exitCode: 0, stdout: expect.stringContaining(path), stderr: '' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = await place.marquee(['demo']);
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^error: the store is in use.*demo-cred/) });
  const { account_id } = JSON.parse(readFileSync(path, 'utf8'));
  const { stdout } = await place.marquee(['request', 'GET', '/12/accounts/:account_id', '--dry-run']);
  expect(stdout).toContain(`GET /12/accounts/${account_id} HTTP/1.1`);
});

it('prints the link to the reference with the key of the demo, the same every time', async () => {
  const none = await place.marquee(['docs']);
  expect(none).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^error: there is no demo in/) });
  await place.json(['demo']);
  const { stdout } = await place.marquee(['docs']);
  expect(stdout).toMatch(new RegExp(`^${place.url}/docs#key=[\\w-]{43}\n$`));
  expect(await place.json(['docs'])).toEqual({ url: stdout.trim() });
  const production = { NODE_ENV: 'production', MASTER_KEY: '0123456789abcdef'.repeat(4), EMBEDDED_STORE: 'allow' };
  expect(await place.marquee(['docs'], { env: production })).toMatchObject({ exitCode: 1, stdout: '' });
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
