#!/usr/bin/env node
/** The `marquee` command. In a checkout it builds first when that is due; an image ships what it needs. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBundle } from './bundle.mjs';
import { stopWithNpm } from './stop-with-npm.mjs';
import { stopWithStdin } from './stop-with-stdin.mjs';

stopWithNpm();
stopWithStdin();

const beside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

let kind;
if (existsSync(beside('src'))) {
  const { buildForCommand } = await import('../scripts/build-if-stale.mjs');
  kind = await buildForCommand(process.argv.slice(2));
  if (kind === undefined) process.exit(1);
}
const { exports, keep } = openBundle('command', { kind });
const exitCode = await exports.command();
keep();
process.exit(exitCode);
