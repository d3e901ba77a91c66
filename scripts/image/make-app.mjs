#!/usr/bin/env node
/**
 * Puts what the image ships into a new folder: `node scripts/image/make-app.mjs <folder>`, after a build.
 *
 * The programs are bundles. Of node_modules the folder has what these bundles load from there, and what that depends on. Nothing
 * is listed by hand: esbuild names the packages, and their package.json names the others.
 *
 * Finally the service starts from the folder and answers a request of the `marquee` command. What V8 compiled by then is
 * stored beside the bundles, because a container cannot write there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.mjs';
import { licensesOf, packageOf, readManifest } from '../packages.mjs';
import { freePort } from './free-port.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const dist = join(root, 'dist');
const app = resolve(process.argv[2] ?? '');

/** Files that no program reads. */
const UNUSED = /\.(map|md|markdown|ts|mts|cts|flow)$/;
const START_MS = 60_000;

const copy = (path, filter = () => true) =>
  cpSync(join(root, path), join(app, path), { recursive: true, filter: (source) => filter(relative(root, source)) });

/** The folder of a package as a package in `importer` finds it; undefined if it is not installed. */
function folderOf(name, importer) {
  const candidate = join(importer, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return candidate;
  return importer === root ? undefined : folderOf(name, dirname(importer));
}

/** Copies a package and what it depends on. Dependencies that are not installed are those of other platforms. */
function copyPackage(name, importer, copied) {
  const folder = folderOf(name, importer);
  if (folder === undefined || copied.has(folder)) return;
  copied.add(folder);
  const nested = join(relative(root, folder), 'node_modules');
  copy(relative(root, folder), (path) => path !== nested && !UNUSED.test(path));
  const { dependencies, optionalDependencies, peerDependencies } = readManifest(folder);
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    copyPackage(each, folder, copied);
}

const hasCachedCode = (program) =>
  readdirSync(join(app, 'dist', 'bundles')).some((name) => name.endsWith(`.${program}.cache`));

async function waitFor(what, isSo, service) {
  const until = performance.now() + START_MS;
  while (!isSo()) {
    if (service.exitCode !== null) throw new Error(`${what}: the service ended`);
    if (performance.now() > until) throw new Error(`${what}: not within ${START_MS / 1000} s`);
    await pause(50);
  }
}

/** Runs both programs as the image does, with the same options: V8 uses stored code only under the options it was compiled with. */
async function storeCompiledCode() {
  const data = mkdtempSync(join(tmpdir(), 'marquee-image-'));
  const { PATH } = process.env;
  const env = { PATH, NODE_ENV: 'development', HOST: '127.0.0.1', PORT: String(await freePort()), DATA_DIR: data };
  const [, ...start] = readManifest(root).scripts['start:prod'].split(' ');
  const service = spawn(process.execPath, start, { cwd: app, env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await waitFor('the start', () => hasCachedCode('service'), service);
    const command = ['bin/marquee.mjs', 'request', 'GET', '/12/accounts'];
    const { status } = spawnSync(process.execPath, command, { cwd: app, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0 || !hasCachedCode('command')) throw new Error(`marquee request: exit code ${status}`);
  } finally {
    service.kill('SIGTERM');
    if (service.exitCode === null) await once(service, 'exit');
    rmSync(data, { recursive: true, force: true });
  }
}

async function main() {
  if (process.argv[2] === undefined) throw new Error('usage: node scripts/image/make-app.mjs <folder>');
  if (existsSync(app)) throw new Error(`${app} exists`);
  const { files, loaded } = await bundle(dist);
  for (const path of ['package.json', 'LICENSE', 'openapi.json', 'llms.txt', 'assets', 'bin']) copy(path);
  copy('dist/bundles', (path) => !path.endsWith('.cache'));
  copy('dist/store-template.tar.gz');
  copy('dist/commit');
  // templates and the like, which the bundles read beside the code
  for (const path of readdirSync(join(dist, 'src'), { recursive: true }))
    if (extname(path) !== '' && !/\.(js|map|md)$/.test(path)) copy(join('dist/src', path));
  const copied = new Set();
  for (const name of new Set(loaded.map(packageOf))) copyPackage(name, root, copied);
  writeFileSync(join(app, 'LICENSES-OF-PACKAGES'), licensesOf(files));
  await storeCompiledCode();
}

await main();
