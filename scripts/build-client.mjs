#!/usr/bin/env node
/** Builds packages/client into its dist/: one file of JavaScript, and the types beside it. */
import { spawnSync } from 'node:child_process';
import { realpathSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../packages/client/', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** The JavaScript alone: that is what examples in a checkout load. */
export const bundleClient = () =>
  build({
    entryPoints: [`${folder}src/index.ts`],
    outfile: `${folder}dist/index.js`,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.20',
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    // for stack traces, which show functions by their names
    keepNames: true,
    logLevel: 'error',
  });

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  rmSync(`${folder}dist`, { recursive: true, force: true });
  await bundleClient();
  const { status } = spawnSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
