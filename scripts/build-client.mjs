#!/usr/bin/env node
/** Builds packages/client into its dist/: one file of JavaScript, and the types beside it. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../packages/client/', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

rmSync(`${folder}dist`, { recursive: true, force: true });
await build({
  entryPoints: [`${folder}src/index.ts`],
  outfile: `${folder}dist/index.js`,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.20',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'error',
});
const { status } = spawnSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' });
process.exitCode = status ?? 1;
