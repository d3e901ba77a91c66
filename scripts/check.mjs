#!/usr/bin/env node
/**
 * `npm run check`: every `check:*` script of package.json, all of them even when one fails, then a line for each. As many
 * run at once as the machine has cores; each keeps one busy. What a check says is printed when it ends.
 * `--results <file>` also writes them down as JSON.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { results: { type: 'string' } }, allowPositionals: true });
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const all = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const chosen = positionals.length > 0 ? positionals.map((name) => `check:${name.replace(/^check:/, '')}`) : all;

const shell = process.platform === 'win32';

async function run(name) {
  const started = performance.now();
  const said = [];
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'], shell });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const [status] = await once(child, 'close');
  console.log(`\n== ${name}`);
  process.stdout.write(Buffer.concat(said));
  return { name, passed: status === 0, seconds: Math.round((performance.now() - started) / 100) / 10 };
}

const results = [];
const waiting = chosen.values();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const name of waiting) results.push(await run(name));
  }),
);

console.log('');
for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
if (values.results) writeFileSync(values.results, JSON.stringify(results));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
