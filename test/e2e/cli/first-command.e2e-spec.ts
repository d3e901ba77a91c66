import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { jest } from '@jest/globals';
import { VERSION } from '../../../src/operations/version.js';

jest.setTimeout(180_000);

/** No request leaves: fetch refuses this port. */
const NOBODY = /127\.0\.0\.1:9\b/;

describe('the first command in a checkout', () => {
  let checkout: string;
  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'marquee-checkout-'));
    for (const name of ['assets', 'bin', 'scripts', 'src', 'openapi.json', 'package.json', 'package-lock.json'])
      cpSync(name, join(checkout, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  function marquee(...argv: string[]) {
    const { PATH } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, 'bin', 'marquee.mjs'), ...argv], {
      cwd: checkout,
      env: {
        ...{ PATH, HOME: checkout, BASE_URL: 'http://127.0.0.1:9' },
        ...{ MARQUEE_CONSUMER_KEY: 'key', MARQUEE_CONSUMER_SECRET: 'secret' },
        ...{ MARQUEE_ACCESS_TOKEN: 'token', MARQUEE_ACCESS_TOKEN_SECRET: 'secret' },
      },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }
  const isBuilt = (name: string) => existsSync(join(checkout, 'dist', name));

  it('builds only itself, once', () => {
    const building = expect.stringMatching(/^Building the command, .*\n$/);
    expect(marquee('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: building });
    expect(marquee('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect([isBuilt('light'), isBuilt('bundles'), isBuilt('store-template.tar.gz')]).toEqual([true, false, false]);
  });

  it.each([
    { argv: ['help'], status: 0, stdout: /^Usage: marquee / },
    { argv: ['user', 'create', '--help'], status: 0, stdout: /^Usage: marquee user create / },
    { argv: ['completion', 'bash'], status: 0, stdout: /complete/ },
    { argv: ['config', 'print'], status: 0, stdout: /DATA_DIR/ },
    { argv: ['docs'], status: 1, stderr: /^error: there is no demo in / },
    { argv: ['profile', 'list'], status: 0 },
    { argv: ['fixtures', 'none.json'], status: 1, stderr: /none\.json/ },
    { argv: ['request', 'GET', '/12/accounts'], status: 1, stderr: NOBODY },
    { argv: ['request', 'POST', '/1.1/media/upload', 'media=@package.json'], status: 1, stderr: NOBODY },
    { argv: ['logs', 'export'], status: 1, stderr: NOBODY },
    { argv: ['faults', 'list'], status: 1, stderr: NOBODY },
    { argv: ['namespaces', 'list'], status: 1, stderr: NOBODY },
  ])('runs $argv without the service', ({ argv, ...expected }) => {
    const { status, stdout, stderr } = marquee(...argv);
    expect(`${stdout}${stderr}`).not.toMatch(/needs all of Marquee|\n {4}at /);
    expect({ status, stdout, stderr }).toEqual({
      status: expected.status,
      stdout: expect.stringMatching(expected.stdout ?? /^/),
      stderr: expect.stringMatching(expected.stderr ?? /^$/),
    });
    expect(isBuilt('bundles')).toBe(false);
  });

  it('names the source that it could not build', () => {
    appendFileSync(join(checkout, 'src', 'cli', 'main.ts'), '\n}');
    expect(marquee('--version')).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining('src/cli/main.ts') });
  });
});
