#!/usr/bin/env node
/**
 * Builds dist/ when a source changed since the last build, and says nothing otherwise. `--force` builds in any case.
 * Several may run at once: the first one builds, the others wait for it.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
  mkdirSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const lock = join(dist, '.building');
const sources = ['src', 'ormconfig.ts', 'nest-cli.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** A build takes seconds; a lock this old was left behind by a process that was killed. */
const LOCK_LIVES_MS = 5 * 60_000;

/** The newest change below a path; that of a folder counts too, or a deleted file would go unnoticed. */
function newestChange(path) {
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) return 0;
  if (!about.isDirectory()) return about.mtimeMs;
  return readdirSync(path, { withFileTypes: true }).reduce(
    (newest, entry) => Math.max(newest, newestChange(join(path, entry.name))),
    about.mtimeMs,
  );
}

/** What the stamp holds: compared for equality, so neither a wrong clock nor files older than before go unnoticed. */
const stateOfSources = () => String(Math.max(...sources.map((path) => newestChange(join(root, path)))));

const isFresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOfSources();

/** Takes the lock, or answers false when somebody else builds at this moment. */
function takeLock() {
  mkdirSync(dist, { recursive: true });
  try {
    const file = openSync(lock, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned() {
  const taken = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (taken === undefined) return false;
  const age = Date.now() - taken;
  if (age > LOCK_LIVES_MS) return true;
  const builder = Number(readFileSync(lock, { encoding: 'utf8' }));
  if (!builder) return age > 2_000; // between creating the file and writing into it
  try {
    process.kill(builder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** What was compiled from a source that is gone would still be found, a deleted migration for one. */
function removeOrphans(folder = join(dist, 'src')) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const source = join(root, path.slice(dist.length + 1));
    if (entry.isDirectory()) {
      if (existsSync(source)) removeOrphans(path);
      else rmSync(path, { recursive: true });
    } else if (!existsSync(source) && !existsSync(source.replace(/\.js(\.map)?$/, '.ts'))) {
      rmSync(path);
    }
  }
}

/** The empty embedded store that first starts begin with; made again when the packages changed, PostgreSQL's among them. */
function makeStoreTemplate() {
  const script = join(root, 'scripts', 'make-store-template.mjs');
  const template = join(dist, 'store-template.tar.gz');
  const made = statSync(template, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (!existsSync(script) || made > Math.max(newestChange(join(root, 'package-lock.json')), newestChange(script)))
    return;
  rmSync(template, { force: true }); // or the new one would be made from it
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.stderr.write('No store template could be made; first starts take two seconds longer.\n');
}

function build() {
  const state = stateOfSources(); // read first: a source saved while the compiler runs makes the next call build again
  rmSync(stamp, { force: true });
  const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) return status ?? 1;
  removeOrphans();
  makeStoreTemplate();
  writeFileSync(stamp, state);
  return 0;
}

async function main() {
  const force = process.argv.includes('--force');
  // An image ships dist/ alone: nothing to compare with, nothing to build with.
  if (!existsSync(join(root, 'src')) || (!force && isFresh())) return 0;
  while (!takeLock()) await pause(100);
  try {
    if (!force && isFresh()) return 0;
    if (!force) process.stderr.write('Building, because the sources changed since the last build ...\n');
    return build();
  } finally {
    rmSync(lock, { force: true });
  }
}

process.exitCode = await main();
