/** Starts the service in the process that imports this file: for the tests of clients (packages/testing). */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBundle } from './bundle.mjs';

const beside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

let opened;

/** The bundle that `npm start` runs. */
async function open() {
  if (existsSync(beside('src'))) {
    const { buildIfStale } = await import('../scripts/build-if-stale.mjs');
    if (!(await buildIfStale({ template: true }))) throw new Error('Marquee could not be built');
  }
  return openBundle('service', { use: 'in-process' });
}

/** Starts a service with these settings; several may run at once. */
export async function startInProcess(environment) {
  const { exports, keep } = await (opened ??= open());
  const service = await exports.startInProcess(environment);
  keep();
  return service;
}
