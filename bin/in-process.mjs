/** Starts the service in the process that imports this file: for the tests of clients (packages/testing). */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBundle } from './bundle.mjs';

const beside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

let opened;

/** The bundle that `marquee serve` runs, so that both use the same compiled code. */
function open() {
  if (existsSync(beside('src'))) {
    const build = [beside('scripts/build-if-stale.mjs'), '--bundle=command'];
    const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('Marquee could not be built');
  }
  return openBundle('command');
}

/** Starts a service with these settings; several may run at once. */
export async function startInProcess(environment) {
  opened ??= open();
  const service = await opened.exports.startInProcess(environment);
  opened.keep();
  return service;
}
