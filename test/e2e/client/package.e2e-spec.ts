import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Served } from '../docs/served.js';

/** Nearly all of it are the types of some 240 operations. */
const MAX_BYTES = 38_000;
const run = promisify(execFile);

/** A project that has the packed client installed, as a reader of its README has. */
const folder = mkdtempSync(join(tmpdir(), 'marquee-client-'));
const installed = join(folder, 'node_modules/@marquee/client');
const example = join(folder, 'example.mjs');
let served: Served;
let tarball: string;

async function install(): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  await run('npm', ['pack', './packages/client', '--pack-destination', folder], { env: { PATH, HOME } });
  const { version } = JSON.parse(readFileSync('packages/client/package.json', 'utf8')) as { version: string };
  tarball = join(folder, `marquee-client-${version}.tgz`);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const name of ['openapi-fetch', '@types'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(resolve('docs'), join(folder, 'docs'));
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text);
  expect(blocks).toHaveLength(1);
  writeFileSync(example, blocks[0]);
}

beforeAll(async () => {
  [served] = await Promise.all([Served.start(), install()]);
  symlinkSync(served.dataDir, join(folder, 'data'));
}, 180_000);
afterAll(async () => {
  await Promise.all(Served.all.map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

it('is at most 38 kB, and has the files that its types import', () => {
  expect(statSync(tarball).size).toBeLessThanOrEqual(MAX_BYTES);
  const declarations = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.d.ts'));
  const imported = declarations.flatMap((name) =>
    [...readFileSync(join(installed, 'dist', name), 'utf8').matchAll(/ from '(\..+?)\.js'/g)].map(([, path]) => path),
  );
  expect(imported).toContain('../api');
  for (const path of imported) expect(existsSync(join(installed, 'dist', `${path}.d.ts`))).toBe(true);
});

it('has types that fit its README', async () => {
  const types = ['--types', 'node', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023'];
  const args = ['--noEmit', '--strict', '--skipLibCheck', '--allowJs', '--checkJs', ...types, example];
  const { stdout } = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...args], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

it('does what its README shows', async () => {
  const { stdout } = await run(process.execPath, [example], { cwd: folder });
  const [created, ...printed] = stdout.trimEnd().split('\n');
  const id = /^created (\w+)$/.exec(created)?.[1];
  expect(printed).toEqual([
    `${id} From the client PAUSED`,
    'North, South, West',
    '0 %',
    '100 %',
    expect.stringMatching(/^uploaded 3_\d+$/),
    expect.stringMatching(/^400 INVALID_PARAMETER count .*1001/),
  ]);
});
