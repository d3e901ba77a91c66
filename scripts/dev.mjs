#!/usr/bin/env node
/**
 * `npm run dev`: builds, serves, and does both again when a source changes. What does not compile is reported, and what was
 * served before goes on.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Editors write a file in several steps, and several files at once. */
const SETTLES_MS = 150;

let service;
let working = Promise.resolve();
let settling;
let watchers = [];

const build = () =>
  spawnSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs'), '--without-bundle'], {
    stdio: 'inherit',
  }).status === 0;

function serve() {
  service = spawn(process.execPath, [join(root, 'dist', 'src', 'main.js')], { cwd: root, stdio: 'inherit' });
  const mine = service;
  mine.once('exit', (code) => {
    if (code) console.error('The service ended; it is started again after the next change.');
    if (service === mine) service = undefined;
  });
}

async function stop() {
  if (!service) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
}

/** Which state of the sources dist/ was built from; nothing while there is no good build. */
function built() {
  try {
    return readFileSync(join(root, 'dist', '.built'), 'utf8');
  } catch {
    return undefined;
  }
}

async function again() {
  const before = built();
  watchFolders();
  if (!build() || (service && built() === before)) return;
  await stop();
  serve();
}

function changed() {
  clearTimeout(settling);
  settling = setTimeout(
    () => (working = working.then(again).catch((error) => console.error(error.message))),
    SETTLES_MS,
  );
}

/** Folder by folder: a recursive watch loses a file that an editor replaces by another. */
function watchFolders() {
  for (const watcher of watchers) watcher.close();
  const below = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const folders = below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  watchers = [root, join(root, 'src'), ...folders].map((folder) => watch(folder, changed));
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });
}
watchFolders();
if (build()) serve();
