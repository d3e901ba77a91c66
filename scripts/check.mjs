#!/usr/bin/env node
/**
 * `npm run check`: every `check:*` script of package.json, all of them even when one fails, then a line for each.
 * `--results <file>` also writes them down as JSON.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { results: { type: 'string' } }, allowPositionals: true });
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const all = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const chosen = positionals.length > 0 ? positionals.map((name) => `check:${name.replace(/^check:/, '')}`) : all;

const results = chosen.map((name) => {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', name], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return { name, passed: status === 0, seconds: Math.round((performance.now() - started) / 100) / 10 };
});

console.log('');
for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
if (values.results) writeFileSync(values.results, JSON.stringify(results));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
