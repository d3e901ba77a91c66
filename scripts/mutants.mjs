#!/usr/bin/env node
/**
 * `node scripts/mutants.mjs [--count 60] [--from 1] [--seed N] [--only <part of a path>] [--end-to-end] [--workers 2]` draws small mistakes
 * in rules, presenters, services and guards. It makes all of them in a copy of this folder, each behind a switch, and changes nothing here. A first
 * run of the tests, with no mistake made, tells which tests reach which mistake. Then it makes one mistake after the other and runs
 * the tests that reach it, spec file by spec file. It prints the mistakes that no test notices. `--from` goes on with an earlier run.
 *
 * The tests are the unit tests that import the files. `--end-to-end` draws from files without such tests, too, and adds the end-to-end
 * tests, all of which it runs first. It needs a build. A mistake that only processes of their own reach is reached by no test.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformFileSync } from '@swc/core';
import * as fc from 'fast-check';
import pg from 'pg';
import { copyTree } from './copy-tree.mjs';
import { mutantsOf, withSwitches } from './mutant-candidates.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
    'end-to-end': { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The most time for the tests of a spec file. */
const TIMEOUT_MS = 120_000;
/** The most end-to-end spec files for a mistake, and the most time that their tests took without it. */
const [MOST_SPECS, MOST_MS] = [8, 20_000];
/** Spec files leave behind what V8 cannot collect, so a process runs only so many. */
const MOST_RUNS = 15;
/** The number of no mistake. */
const NONE = -1;
const isEndToEnd = values['end-to-end'];

/** The unit tests that import each file of `src`, by its path there. */
function testsBySource() {
  const tests = new Map();
  const files = readdirSync(join(root, 'test/unit'), { recursive: true }).filter((file) => file.endsWith('.spec.ts'));
  for (const test of files.map((file) => `test/unit/${file}`))
    for (const [, path] of readFileSync(join(root, test), 'utf8').matchAll(/from '(?:\.\.\/)+(src\/[^']+)\.js'/g))
      tests.set(`${path}.ts`, [...(tests.get(`${path}.ts`) ?? []), test]);
  return tests;
}

/** The folders of end-to-end tests, where they are not the one that is called as the folder of `src`. */
const FOLDERS = {
  'app-measurement': ['measurement'],
  auth: ['auth', 'mcp'],
  common: ['http', 'lists'],
  config: ['cli', 'operations'],
  demo: ['cli'],
  'lead-exports': ['creatives'],
};

const endToEndSpecs = isEndToEnd
  ? readdirSync(join(root, 'test/e2e'), { recursive: true })
      .filter((file) => file.endsWith('.e2e-spec.ts'))
      .map((file) => `test/e2e/${file}`)
  : [];

/** The tests of a file: the unit tests that import it, and the end-to-end tests of its domain. */
function specsFor(path) {
  const [, domain] = path.split('/');
  const folders = (FOLDERS[domain] ?? [domain]).map((folder) => `test/e2e/${folder}/`);
  const specs = endToEndSpecs.filter((spec) => folders.some((folder) => spec.startsWith(folder)));
  return [...(tests.get(path) ?? []), ...specs];
}

const tests = testsBySource();
const sources = isEndToEnd
  ? readdirSync(join(root, 'src'), { recursive: true }).map((file) => `src/${file}`)
  : [...tests.keys()];
const candidates = sources
  .filter((path) => /\.(rules|presenter|service|guard)\.ts$/.test(path) && path.includes(values.only))
  .sort()
  .flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')));
const seed = Number(values.seed);
const [drawn] = fc.sample(fc.shuffledSubarray(candidates, { minLength: candidates.length }), { seed, numRuns: 1 });
const [count, first] = [Number(values.count), Number(values.from) - 1];
console.log(`seed ${seed}, ${count} of ${candidates.length} mutants, from ${first + 1} on`);

const mutants = drawn.slice(first, first + count).map((mutant, i) => ({ ...mutant, number: first + i + 1 }));
const paths = [...new Set(mutants.map(({ path }) => path))];
const copy = mkdtempSync(join(tmpdir(), 'marquee-mutants-'));

/** Writes a file of the copy with the switches of its mistakes. End-to-end tests read what was compiled. */
function writeSwitches(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const mistakes = mutants.filter((mutant) => mutant.path === path);
  const outerFirst = mistakes.sort((one, other) => one.start - other.start || other.end - one.end);
  const imports = `import { isMade } from ${JSON.stringify(join(copy, 'scripts/mutant-switch.mjs'))};\n`;
  writeFileSync(join(copy, path), imports + withSwitches(text, 0, text.length, outerFirst));
  if (!isEndToEnd) return;
  const { code } = transformFileSync(join(copy, path), { cwd: copy, swcrc: true });
  writeFileSync(join(copy, 'dist', path.replace(/\.ts$/, '.js')), code);
}

/** Runs all spec files in the copy, without a mistake, and returns what Jest says of them and what each test reached. */
async function recorded() {
  const specs = new Set([...paths.flatMap((path) => tests.get(path) ?? []), ...endToEndSpecs]);
  const [metFile, resultsFile] = [join(copy, 'met.jsonl'), join(copy, 'results.json')];
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config', 'jest.config.mjs'];
  const recorder = ['--setupFilesAfterEnv', join(copy, 'scripts/mutant-recorder.mjs')];
  const options = [...jest, '--selectProjects', 'unit', 'e2e', ...recorder, '--json', `--outputFile=${resultsFile}`];
  const env = { ...process.env, MUTANTS_MET: metFile };
  await once(spawn('node', [...options, '--runTestsByPath', ...specs], { cwd: copy, stdio: 'ignore', env }), 'close');
  const { testResults } = JSON.parse(readFileSync(resultsFile, 'utf8'));
  return { testResults, reached: readFileSync(metFile, 'utf8').trim().split('\n').map(JSON.parse) };
}

/**
 * The tests that reach each mistake, by spec file: unit tests, those of its domain, others; the quickest first. Tests that fail without
 * a mistake are none of them. Without names of tests, the whole spec file is meant.
 */
async function testsByMutant() {
  const { testResults, reached } = await recorded();
  const tookMs = new Map();
  for (const { name: file, assertionResults } of testResults)
    for (const { fullName, status, duration } of assertionResults)
      if (status === 'passed') tookMs.set(`${relative(copy, file)} ${fullName}`, duration ?? 0);
      else if (status === 'failed') console.error(`${relative(copy, file)} fails without a mistake: ${fullName}`);
  const found = new Map(mutants.map(({ number }) => [number, new Map()]));
  const breadth = new Map();
  for (const [file, name, numbers] of reached) {
    const spec = relative(copy, file);
    const test = `${spec} ${name}`;
    breadth.set(test, numbers.length);
    for (const number of numbers)
      if (name === null || tookMs.has(test)) {
        const specs = found.get(number);
        specs.set(spec, [...(specs.get(spec) ?? []), ...(name === null ? [] : [name])]);
      }
  }
  return new Map(mutants.map((mutant) => [mutant.number, chosenFor(mutant, found, { tookMs, breadth })]));
}

/** The spec files for a mistake, with the tests in them. */
function chosenFor({ number, path, isOnce }, found, { tookMs, breadth }) {
  const own = specsFor(path);
  if (isOnce) {
    // what is evaluated when a file is loaded is reached once in a process, whatever spec file runs
    const inFile = mutants.filter((each) => each.path === path && !each.isOnce);
    const beside = inFile.flatMap((each) => [...found.get(each.number).keys()]);
    return [...new Set([...own, ...beside])].map((spec) => ({ spec, names: [] }));
  }
  const specs = [...found.get(number)].map(([spec, all]) => {
    const msOf = (name) => tookMs.get(`${spec} ${name}`);
    const broad = (name) => breadth.get(`${spec} ${name}`);
    let took = 0;
    // tests that reach little are more likely about this
    const names = all.sort((one, other) => broad(one) - broad(other)).filter((name) => (took += msOf(name)) < MOST_MS);
    return { spec, names, rank: (isUnit({ spec }) ? 0 : own.includes(spec) ? 1e9 : 2e9) + took };
  });
  // what only preparations reach is not what their spec files are about
  const inTests = specs.filter(({ names }) => names.length > 0);
  return (inTests.length > 0 ? inTests : specs).sort((one, other) => one.rank - other.rank);
}

const isUnit = ({ spec }) => spec.includes('/unit/');

/** A process that runs spec files with one mistake after the other. */
class Worker {
  runs = 0;

  /** Runs tests with a mistake: 'passed', 'failed', or 'too long'. A mistake may end the process. */
  async run(number, { spec, names }) {
    if (this.runs === MOST_RUNS) await this.end();
    if (this.runs++ === 0) this.start(number);
    const stopped = new globalThis.AbortController();
    const { signal } = stopped;
    this.process.send({ number, spec, names });
    const outcome = await Promise.race([
      once(this.process, 'message', { signal }).then(([{ passes }]) => (passes ? 'passed' : 'failed')),
      once(this.process, 'exit', { signal }).then(() => 'ended'),
      pause(TIMEOUT_MS, 'too long', { signal }),
    ]).finally(() => stopped.abort());
    if (outcome === 'too long' || outcome === 'ended') await this.end();
    return outcome === 'ended' ? 'failed' : outcome;
  }

  start(number) {
    this.process = fork(join(copy, 'scripts/mutant-worker.mjs'), {
      cwd: copy,
      stdio: 'ignore',
      env: { ...process.env, MUTANT: String(number), TEST_KEEPS_TEMPLATE: 'true' },
      execArgv: ['--experimental-vm-modules'],
    });
  }

  /** The databases of its spec files begin with the name of their template, which has the id of the process. */
  async end() {
    if (this.runs === 0) return;
    this.runs = 0;
    if (this.process.kill('SIGKILL')) await once(this.process, 'exit');
    if (!process.env.TEST_DATABASE_URL) return;
    const client = new pg.Client(process.env.TEST_DATABASE_URL);
    await client.connect();
    const named = `SELECT datname FROM pg_database WHERE datname ~ $1`;
    const { rows } = await client.query(named, [`^marquee_test_${this.process.pid}(_|$)`]);
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    await client.end();
  }
}

const survivors = [];

/** Makes one mistake and prints what became of it. A mistake after which a test goes on for ever is noticed. */
async function tryMutant({ number, path, start, end, by, isOnce }, specs, worker) {
  const units = specs.filter(isUnit);
  const ran = [...units, ...specs.slice(units.length, units.length + MOST_SPECS)];
  if (isOnce) await worker.end();
  for (const each of ran) {
    const outcome = await worker.run(number, each);
    if (outcome === 'passed') continue;
    // a test may need what those before it did
    if (each.names.length > 0 && (await worker.run(NONE, each)) !== 'passed') continue;
    if (isOnce) await worker.end();
    return console.error(
      `${number} was noticed by ${each.spec}${outcome === 'too long' ? ', which took too long' : ''}`,
    );
  }
  if (isOnce) await worker.end();
  const text = readFileSync(join(root, path), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  const names = ran.map(({ spec }) => basename(spec)).join(', ');
  survivors.push(number);
  console.log(
    `${number}: ${path}:${line} ${text.slice(start, end)} -> ${by}  (${ran.length} of ${specs.length}: ${names})`,
  );
}

try {
  copyTree(root, copy);
  if (isEndToEnd) cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const path of paths) writeSwitches(path);
  const specs = await testsByMutant();
  const waiting = mutants.values();
  const next = async () => {
    const worker = new Worker();
    for (const mutant of waiting) await tryMutant(mutant, specs.get(mutant.number), worker);
    await worker.end();
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, next));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${survivors.length} of ${mutants.length} mutants survived`);
