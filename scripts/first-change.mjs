#!/usr/bin/env node
/**
 * `npm run first-change` tries the diffs of docs/first-change.md as a contributor would: in a copy of this folder it applies them,
 * generates the migration and the document, checks the types and runs the commands that the page names for the tests. It does not
 * change this folder. It fails if a diff has more files than its heading allows. `--keep` keeps the copy and prints its path.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTree } from './copy-tree.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keep = process.argv.includes('--keep');
const copy = mkdtempSync(join(tmpdir(), 'marquee-first-change-'));

const page = readFileSync(join(root, 'docs/first-change.md'), 'utf8');

/** The diffs of the page, each with its heading, which ends with the number of files it may touch, and the command of its tests. */
const changes = [...page.matchAll(/^## (.+): (\d+) files\n[^]*?^```sh\n(.+)\n```\n\n```diff\n([^]*?)^```$/gm)].map(
  ([, title, files, tests, diff]) => ({
    title,
    maxFiles: Number(files),
    tests,
    diff,
    files: [...diff.matchAll(/^diff --git a\/\S+ b\/(\S+)$/gm)].map(([, path]) => path),
  }),
);

/** Runs a command in the copy and returns its output, which appears only if the command fails. */
function run(name, command, ...args) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
  console.log(`ok      ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return stdout + stderr;
}

function tryChanges() {
  const sections = page.match(/^## /gm) ?? [];
  if (changes.length === 0 || changes.length !== sections.length)
    throw new Error(
      'docs/first-change.md has no diffs, or a section without "N files" in its heading, command or diff',
    );
  copyTree(root, copy);
  for (const { title, maxFiles, files, diff } of changes) {
    if (files.length > maxFiles) throw new Error(`${title}: ${files.length} files, and ${maxFiles} are allowed`);
    const path = join(copy, '.git-diff');
    writeFileSync(path, diff);
    run(`${title}: ${files.length} files apply`, 'git', 'apply', '-C1', '--recount', path);
    rmSync(path);
  }
  run('build', 'node', 'scripts/build-if-stale.mjs');
  run('migration', 'node', 'scripts/generate-migration.mjs', 'FirstChange');
  run('types', 'node', 'node_modules/typescript/bin/tsc', '--noEmit');
  run('document', 'npm', 'run', '--silent', 'openapi');
  for (const { title, tests } of changes) {
    const output = run(`${title}: tests`, 'sh', '-c', tests);
    // Jest succeeds where `-t` matches nothing.
    if (!/^Tests: .*\d passed/m.test(output)) throw new Error(`${tests} ran no test`);
  }
}

try {
  tryChanges();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (keep) console.log(`The copy is ${copy}.`);
  else rmSync(copy, { recursive: true, force: true });
}
