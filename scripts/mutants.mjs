#!/usr/bin/env node
/**
 * `node scripts/mutants.mjs [--count 60] [--from 1] [--seed N] [--only <part of a path>] [--end-to-end]` draws small mistakes in rules,
 * presenters, services and guards, makes each in a copy of this folder, and runs the unit tests that import the file. It prints those that
 * no test notices, and changes nothing here. `--from` goes on with an earlier run. A file without unit tests has its tests in test/e2e.
 * `--end-to-end` draws from those files, too, and runs the end-to-end tests of their domain after the unit tests; the specs whose names fit
 * the file best come first. It needs a build.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TIMEOUT_MS = 120_000;
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
  const replace = (node, by) => found.push({ path, start: node.getStart(), end: node.end, by });
  const visit = (node) => {
    // types and decorators do nothing that a unit test of rules could see
    if (ts.isTypeNode(node) || ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
    const operator = ts.isBinaryExpression(node) && OPERATORS[node.operatorToken.getText()];
    const isText = (each) => ts.isStringLiteral(each) || ts.isTemplateExpression(each);
    if (operator && !isText(node.left) && !isText(node.right)) replace(node.operatorToken, operator);
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    if (ts.isNumericLiteral(node)) replace(node, `(${node.getText()} + 1)`);
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      replace(condition, `!(${condition.getText()})`);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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

/** The folders of end-to-end tests, where not the one folder with the name of that of `src`. */
const FOLDERS = {
  'app-measurement': ['measurement'],
  auth: ['auth', 'mcp'],
  common: ['http', 'lists'],
  config: ['cli', 'operations'],
  demo: ['cli'],
  'lead-exports': ['creatives'],
};

const wordsOf = (path) => new Set(path.split(/[/.-]/));

/** The end-to-end specs of the domain of a file: those that share most words with its path first. */
function specsFor(path) {
  const [, domain] = path.split('/');
  const words = wordsOf(path.slice(`src/${domain}/`.length));
  const shared = (spec) => [...wordsOf(basename(spec))].filter((word) => words.has(word)).length;
  return (FOLDERS[domain] ?? [domain])
    .map((folder) => `test/e2e/${folder}`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.e2e-spec.ts'))
    .sort((one, other) => shared(other) - shared(one));
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

const copy = mkdtempSync(join(tmpdir(), 'marquee-mutants-'));

/** How many mutants were not decided: their tests took too long, which a busy machine does, too. */
let undecided = 0;

/** Whether all of these tests pass in the copy. Tests that take too long do not. */
function pass(project, files) {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', project];
  const args = [...jest, '--runInBand', '--bail', '--config', 'jest.config.mjs', ...files];
  const { status, error } = spawnSync('node', args, { cwd: copy, stdio: 'ignore', timeout: TIMEOUT_MS * files.length });
  if (error) undecided++;
  return status === 0;
}

/** End-to-end tests read what was compiled. */
function compile(path) {
  const { code } = transformFileSync(join(copy, path), { cwd: copy, swcrc: true });
  writeFileSync(join(copy, 'dist', path.replace(/\.ts$/, '.js')), code);
}

/** The tests that a mutant survived; undefined if one noticed it. */
function survived(path) {
  const units = tests.get(path) ?? [];
  if (units.length > 0 && !pass('unit', units)) return undefined;
  if (!isEndToEnd) return units;
  compile(path);
  const [nearest, ...others] = specsFor(path);
  if (nearest && !pass('e2e', [nearest])) return undefined;
  if (others.length > 0 && !pass('e2e', others)) return undefined;
  return [...units, ...specsFor(path)];
}

const survivors = [];
try {
  copyTree(root, copy);
  if (isEndToEnd) cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const [i, { path, start, end, by }] of drawn.slice(first, first + count).entries()) {
    const n = first + i + 1;
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(copy, path), text.slice(0, start) + by + text.slice(end));
    const ran = survived(path);
    writeFileSync(join(copy, path), text);
    if (isEndToEnd) compile(path);
    if (!ran) {
      console.error(`${n} was noticed`);
      continue;
    }
    const line = text.slice(0, start).split('\n').length;
    const specs = ran.map((each) => basename(each)).join(', ');
    survivors.push(`${n}: ${path}:${line} ${text.slice(start, end)} -> ${by}  (${specs})`);
    console.log(survivors.at(-1));
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${survivors.length} of ${count} mutants survived, and ${undecided} took too long`);
