#!/usr/bin/env node
/**
 * `node scripts/mutants.mjs [--count 60] [--from 1] [--seed N] [--only <part of a path>] [--end-to-end] [--workers 2]` draws small mistakes
 * in rules, presenters, services and guards. It makes all of them in a copy of this folder, each behind a switch, and changes nothing here. A first
 * run of the tests, with no mistake made, tells which spec files reach which mistake. Then it makes one mistake after the other and runs
 * the spec files that reach it, the quickest first. It prints the mistakes that no test notices. `--from` goes on with an earlier run.
 *
 * The tests are the unit tests that import the files. `--end-to-end` draws from files without such tests, too, and adds the end-to-end
 * tests, all of which it runs first. It needs a build. A mistake that only processes of their own reach is reached by no spec file.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformFileSync } from '@swc/core';
import * as fc from 'fast-check';
import ts from 'typescript';
import { copyTree } from './copy-tree.mjs';

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
/** The most time for a spec file. */
const TIMEOUT_MS = 300_000;

/** The most end-to-end spec files for a mistake. */
const MOST_SPECS = 20;
const isEndToEnd = values['end-to-end'];

/** An operator that a slip of the hand puts in the place of another. */
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** All mistakes that can be made in a file: what stands where is replaced by what. */
function mutantsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, isOnce) => {
    // types and decorators do nothing that a test of rules could see
    if (ts.isTypeNode(node) || ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
    const replace = (place, by) => found.push({ path, start: place.getStart(), end: place.end, by, isOnce });
    const operator = ts.isBinaryExpression(node) && OPERATORS[node.operatorToken.getText()];
    const isText = (each) => ts.isStringLiteral(each) || ts.isTemplateExpression(each);
    if (operator && !isText(node.left) && !isText(node.right))
      replace(node, `(${node.left.getText()}) ${operator} (${node.right.getText()})`);
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    if (ts.isNumericLiteral(node) && node.parent.name !== node) replace(node, `${node.getText()} + 1`);
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      replace(condition, `!(${condition.getText()})`);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText());
    ts.forEachChild(node, (child) => visit(child, isOnce && !ts.isFunctionLike(node)));
  };
  visit(source, true);
  return found;
}

/** The text between two places with each of the mistakes there behind its switch; an outer one comes before those in it. */
function withSwitches(text, from, to, [outer, ...others]) {
  if (!outer) return text.slice(from, to);
  const { number, start, end, by } = outer;
  const within = others.filter((each) => each.end <= end);
  const after = others.filter((each) => each.start >= end);
  const right = withSwitches(text, start, end, within);
  return `${text.slice(from, start)}(isMade(${number}) ? (${by}) : (${right}))${withSwitches(text, end, to, after)}`;
}

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

/** Runs spec files in the copy. A run that takes too long has no status. */
function run(files, variables, ...options) {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config', 'jest.config.mjs'];
  return new Promise((resolve) => {
    const test = spawn('node', [...jest, '--selectProjects', 'unit', 'e2e', ...options, '--runTestsByPath', ...files], {
      cwd: copy,
      stdio: 'ignore',
      timeout: TIMEOUT_MS * files.length,
      env: { ...process.env, ...variables },
    });
    test.on('close', resolve);
  });
}

/** The spec files that reach each mistake: unit tests, those of its domain, others; the quickest first. */
async function specsByMutant() {
  const specs = new Set([...paths.flatMap((path) => tests.get(path) ?? []), ...endToEndSpecs]);
  const [metFile, resultsFile] = [join(copy, 'met.jsonl'), join(copy, 'results.json')];
  const recorder = join(copy, 'scripts/mutant-recorder.mjs');
  const options = ['--setupFilesAfterEnv', recorder, '--json', `--outputFile=${resultsFile}`];
  await run([...specs], { MUTANTS_MET: metFile }, ...options);
  const { testResults } = JSON.parse(readFileSync(resultsFile, 'utf8'));
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(copy, name));
  if (failed.length > 0) console.error(`These fail without any mistake and are left out: ${failed.join(', ')}`);
  const tookMs = new Map(
    testResults.map(({ name, startTime, endTime }) => [relative(copy, name), endTime - startTime]),
  );
  const met = readFileSync(metFile, 'utf8').trim().split('\n').map(JSON.parse);
  const reached = met.map(([spec, numbers]) => [relative(copy, spec), new Set(numbers)]);
  return new Map(
    mutants.map(({ number, path, isOnce }) => {
      const own = specsFor(path);
      // what is evaluated when a file is loaded is reached once in a process, whatever spec file runs
      const all = isOnce ? own : reached.filter(([, numbers]) => numbers.has(number)).map(([spec]) => spec);
      const rank = (spec) => (spec.includes('/unit/') ? 0 : own.includes(spec) ? 1e9 : 2e9) + tookMs.get(spec);
      return [number, all.filter((spec) => !failed.includes(spec)).sort((one, other) => rank(one) - rank(other))];
    }),
  );
}

const [survivors, undecided] = [[], []];

/** Makes one mistake and prints what became of it. */
async function tryMutant({ number, path, start, end, by }, specs) {
  const groups = [specs.filter((spec) => spec.includes('/unit/'))];
  const others = specs.filter((spec) => !spec.includes('/unit/')).slice(0, MOST_SPECS);
  groups.push(others.slice(0, 1), others.slice(1));
  for (const files of groups.filter((group) => group.length > 0)) {
    const status = await run(files, { MUTANT: String(number) }, '--runInBand', '--bail');
    if (status === null) undecided.push(number);
    if (status !== 0) return console.error(`${number} was ${status === null ? 'undecided' : 'noticed'}`);
  }
  const text = readFileSync(join(root, path), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  const ran = groups.flat().map((each) => basename(each));
  survivors.push(number);
  console.log(`${number}: ${path}:${line} ${text.slice(start, end)} -> ${by}  (${ran.join(', ')})`);
}

try {
  copyTree(root, copy);
  if (isEndToEnd) cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const path of paths) writeSwitches(path);
  const specs = await specsByMutant();
  const waiting = mutants.values();
  const next = async () => {
    for (const mutant of waiting) await tryMutant(mutant, specs.get(mutant.number));
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, next));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${survivors.length} of ${mutants.length} mutants survived, and ${undecided.length} took too long`);
