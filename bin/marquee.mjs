#!/usr/bin/env node
/** The `marquee` command. In a checkout it builds first when that is due; an image ships what it needs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBundle } from './bundle.mjs';
import { stopWithNpm } from './stop-with-npm.mjs';

stopWithNpm();

const beside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

if (existsSync(beside('src'))) {
  // What the build says goes to standard error: a command's own output may be piped somewhere.
  const build = [beside('scripts/build-if-stale.mjs'), '--without-store-template', '--bundle=command'];
  const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
const { exports, keep } = openBundle('command');
const exitCode = await exports.command();
keep();
process.exit(exitCode);
