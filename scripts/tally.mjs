#!/usr/bin/env node
/**
 * Adds up what a run of .ci/run left behind: `node scripts/tally.mjs <folder>`. The last line it prints is
 * `N passed, N failed`; it fails when anything did, or when no test ran at all.
 *
 * `*.jest.json` are Jest's results, `*.checks.json` those of scripts/check.mjs or of a step that is itself a check. A step
 * that was started (`*.started`) and left no results counts as one failure, and so does one that ended badly (`*.failed`)
 * behind good results; the last lines of its output (`*.log`) say more. A step that could not run on this machine (`*.skipped`) is named and counts as neither. `*.seconds` hold
 * how long steps took.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** How many spec files are named for being slow. */
const SHOWN = 12;
/** How much of the reason of a failure is shown. */
const LOG_LINES = 5;
const REASON_LENGTH = 300;

const folder = process.argv[2];
const files = readdirSync(folder).sort();
const read = (file) => {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } catch {
    return undefined; // cut off by a timeout
  }
};

let passed = 0;
let failed = 0;
let tests = 0;
const failures = [];
const skipped = [];
/** How long each spec file took, in each step. */
const timings = [];
const fail = (what, reason = '') => {
  failed += 1;
  failures.push(reason === '' ? what : `${what}\n    ${reason.slice(0, REASON_LENGTH)}`);
};
/** The last lines that a step printed. */
const lastLines = (step) => {
  const log = join(folder, `${step}.log`);
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  return lines
    .filter((line) => line.trim() !== '')
    .slice(-LOG_LINES)
    .join('\n    ');
};
/** The first lines of a test's error. */
const reasonOf = ({ failureMessages = [] }) =>
  stripVTControlCharacters(failureMessages[0] ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, LOG_LINES)
    .join(' | ');

for (const file of files.filter((name) => name.endsWith('.started'))) {
  const step = file.replace(/\.started$/, '');
  if (files.includes(`${step}.skipped`)) {
    skipped.push(step);
    continue;
  }
  const jest = existsSync(join(folder, `${step}.jest.json`)) ? read(`${step}.jest.json`) : undefined;
  const checks = existsSync(join(folder, `${step}.checks.json`)) ? read(`${step}.checks.json`) : undefined;
  const before = failed;
  if (!jest && !checks) fail(`${step}: ended without results`, lastLines(step));
  if (jest) {
    passed += jest.numPassedTests;
    tests += jest.numPassedTests + jest.numFailedTests;
    for (const suite of jest.testResults) {
      const where = `${step}: ${suite.name.slice(process.cwd().length + 1)}`;
      timings.push({ where, seconds: (suite.endTime - suite.startTime) / 1000 });
      const wrong = suite.assertionResults.filter(({ status }) => status === 'failed');
      for (const test of wrong) fail(`${where}: ${test.fullName}`, reasonOf(test));
      if (suite.status === 'failed' && wrong.length === 0) fail(`${where}: the suite itself failed`, suite.message);
    }
    if (!jest.success && jest.numTotalTests === 0 && jest.testResults.length === 0) fail(`${step}: no test ran`);
    if (jest.wasInterrupted) fail(`${step}: interrupted`);
  }
  for (const check of checks ?? []) {
    if (check.passed) passed += 1;
    else fail(`${step}: ${check.name}`, check.name === step ? lastLines(step) : '');
  }
  if (failed === before && files.includes(`${step}.failed`))
    fail(`${step}: ended with an error after its results`, lastLines(step));
}

for (const file of files.filter((name) => name.endsWith('.seconds')))
  console.log(`${String(read(file)).padStart(6)} s  ${file.replace(/\.seconds$/, '')}`);
console.log('\nThe slowest spec files:');
for (const { where, seconds } of timings.sort((one, other) => other.seconds - one.seconds).slice(0, SHOWN))
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${where}`);
console.log('');
for (const step of skipped) console.log(`SKIPPED  ${step}: it could not run on this machine, see above`);
for (const failure of failures) console.log(`FAILED  ${failure}`);
if (tests === 0) console.log('FAILED  not a single test ran');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && tests > 0 ? 0 : 1;
