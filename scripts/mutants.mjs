#!/usr/bin/env node
/**
 * `node scripts/mutants.mjs [--count 60] [--seed N] [--only <part of a path>]` draws small mistakes in rules, presenters, services and
 * guards, makes each in a copy of this folder, and runs the unit tests that import the file. It prints those that no test notices, and
 * changes nothing here. A file without unit tests has its tests in test/e2e, and is left out.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import ts from 'typescript';
import { copyTree } from './copy-tree.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TIMEOUT_MS = 120_000;

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

const tests = testsBySource();
const candidates = [...tests.keys()]
  .filter((path) => /\.(rules|presenter|service|guard)\.ts$/.test(path) && path.includes(values.only))
  .sort()
  .flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')));
const seed = Number(values.seed);
const [drawn] = fc.sample(fc.shuffledSubarray(candidates, { minLength: candidates.length }), { seed, numRuns: 1 });
console.log(`seed ${seed}, ${values.count} of ${candidates.length} mutants`);

const copy = mkdtempSync(join(tmpdir(), 'marquee-mutants-'));
const survivors = [];
try {
  copyTree(root, copy);
  for (const { path, start, end, by } of drawn.slice(0, Number(values.count))) {
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(copy, path), text.slice(0, start) + by + text.slice(end));
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'unit'];
    const args = [...jest, '--runInBand', '--bail', '--config', 'jest.config.mjs', ...tests.get(path)];
    const { status } = spawnSync('node', args, { cwd: copy, stdio: 'ignore', timeout: TIMEOUT_MS });
    writeFileSync(join(copy, path), text);
    if (status !== 0) continue;
    const line = text.slice(0, start).split('\n').length;
    survivors.push(
      `${path}:${line} ${text.slice(start, end)} -> ${by}  (${tests
        .get(path)
        .map((each) => basename(each))
        .join(', ')})`,
    );
    console.log(survivors.at(-1));
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${survivors.length} of ${values.count} mutants survived`);
