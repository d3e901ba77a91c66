#!/usr/bin/env node
/**
 * What `npm pack` runs before and after it packs. Before: builds, and gives package.json only the dependencies that the bundles load
 * from node_modules. After: puts package.json back. `node scripts/package.mjs before|after`.
 */
import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build-if-stale.mjs';
import { bundle } from './bundle.mjs';
import { licensesOf, packageOf, readManifest } from './packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = join(root, 'package.json');
const original = join(root, 'dist', 'package.json.original');
const licenses = join(root, 'LICENSES-OF-PACKAGES');

/** What npm shows of a package, and what runs it. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'files', 'mcpName'];

async function before() {
  after(); // an interrupted one
  if (!(await buildIfStale({ template: true, bundles: false }))) throw new Error('Marquee could not be built');
  const { files, loaded } = await bundle(join(root, 'dist'));
  const source = readManifest(root);
  const dependencies = [...new Set(loaded.map(packageOf))].map((name) => [name, source.dependencies[name]]);
  writeFileSync(licenses, licensesOf(files));
  copyFileSync(manifest, original);
  const kept = Object.fromEntries(KEPT.map((name) => [name, source[name]]));
  writeFileSync(manifest, `${JSON.stringify({ ...kept, dependencies: Object.fromEntries(dependencies) }, null, 2)}\n`);
}

function after() {
  if (existsSync(original)) renameSync(original, manifest);
}

if (process.argv[2] === 'after') after();
else await before();
