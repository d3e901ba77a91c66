/**
 * Puts the programs and their packages into a few files in dist/bundles, which bin/bundle.mjs runs: to find, read and compile some
 * 2,800 files is most of what a start does. See docs/decisions/0018.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { currentCommit } from './commit.mjs';

/** Loaded from node_modules: packages with files beside their code, and pg, which must be loaded once. */
const OWN_FILES = [
  '@electric-sql/pglite',
  '@electric-sql/pglite/*',
  '@node-rs/argon2',
  'pg',
  'pg/*',
  'pg-protocol/*',
  'sharp',
];
/** What packages look for and do without. */
const NOT_THERE = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/platform-express',
  '@nestjs/websockets/*',
];

/** What is bundled, by the name of its file: where it begins. */
const PROGRAMS = {
  service: `export { serve, work } from './src/serve.js';
    export { startInProcess } from './src/in-process.js';`,
  command: "export { command } from './src/cli/main.js';",
  'media-reader': "import './src/creatives/media-inspection/media-reader.process.js';",
};
/** Begins the names of modules that this script writes. */
const PREFIX = 'marquee:';
const ENTRY = `${PREFIX}program `;
/** What commands import on demand, in one file: most commands only send a request, and load none of it. */
const ON_DEMAND_OF_COMMANDS = `${PREFIX}on-demand`;
/** A package that our modules import on demand. If it is CommonJS, only such a module has its exports by name. */
const PACKAGE = `${PREFIX}package `;

/**
 * Makes the bundles of all programs in `<dist>/bundles` from what was compiled into `dist`. What programs share is in files of its
 * own. Throws if it cannot find an import. Returns the modules in the bundles, and what the bundles load from node_modules.
 */
export async function bundle(dist) {
  const outdir = join(dist, 'bundles');
  /** What our modules look for in node_modules without loading it. */
  const resolved = new Set();
  const { metafile, outputFiles } = await build({
    entryPoints: Object.keys(PROGRAMS).map((program) => ({ in: `${ENTRY}${program}`, out: program })),
    outdir,
    // the digest tells bin/bundle.mjs whose compiled code it keeps: V8 looks at the length of the source only
    entryNames: '[name]-[hash]',
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.20',
    external: [...OWN_FILES, ...NOT_THERE],
    // Node warns of its own, which twitter-text asks for
    alias: { punycode: 'punycode/punycode.js' },
    metafile: true,
    define: { 'import.meta.url': 'bundleUrl' },
    legalComments: 'none',
    logLevel: 'error',
    write: false,
    plugins: [programs(dist), asIfAlone(dist, resolved)],
  });
  rmSync(outdir, { recursive: true, force: true });
  writeFileSync(join(dist, 'commit'), currentCommit());
  mkdirSync(outdir, { recursive: true });
  await Promise.all(
    outputFiles.map(async ({ path, text }) => writeFile(path.replace(/\.js$/, '.cjs'), await asScript(text))),
  );
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const loaded = imports.filter(
    ({ external, path }) => external && !isBuiltin(path) && !path.startsWith('node:') && !isAmong(NOT_THERE, path),
  );
  return {
    files: Object.keys(metafile.inputs),
    loaded: [...new Set([...loaded.map(({ path }) => path), ...resolved])].sort(),
  };
}

/** A module as a script, whose compiled code Node 20 can keep; that of modules it cannot. */
async function asScript(module) {
  const { code } = await transform(module.replaceAll(/(["'])(\.\/[\w-]+)\.js\1/g, '"$2.cjs"'), {
    format: 'cjs',
    platform: 'node',
    target: 'node20.20',
    // bin/bundle.mjs reads it as Latin-1
    charset: 'ascii',
    // a dynamic import from a script with cached code would need an experimental hook
    supported: { 'dynamic-import': false },
  });
  // what Module.wrap adds, here without a second copy of the source in memory
  return `(function (exports, require, module, __filename, __dirname) { ${BUNDLE_URL}\n${code}\n})`;
}

const BUNDLE_URL = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

/** Whether a package or file of one is among these, of which `name/*` are all files of a package. */
const isAmong = (names, path) =>
  names.some((name) => (name.endsWith('/*') ? path.startsWith(name.slice(0, -1)) : path === name));

/** Finds the programs, and what their commands import on demand. */
const programs = (dist) => ({
  name: 'programs',
  setup(build) {
    build.onResolve({ filter: /^marquee:/ }, ({ path }) => ({ path, namespace: 'marquee' }));
    build.onLoad({ filter: /./, namespace: 'marquee' }, ({ path }) => ({
      contents: contentsOf(path, dist).join('\n'),
      resolveDir: dist,
    }));
  },
});

function contentsOf(path, dist) {
  if (path === ON_DEMAND_OF_COMMANDS)
    return importedOnDemand(dist).map((name) => `export * as ${exportOf(name)} from './${name}';`);
  if (path.startsWith(PACKAGE))
    return [`import * as exported from '${path.slice(PACKAGE.length)}';`, 'export default exported;'];
  return [`import 'reflect-metadata';`, PROGRAMS[path.slice(ENTRY.length)]];
}

const DYNAMIC_PACKAGE = /\bimport\((["'])([^."'][^"']*)\1\)/g;
const DYNAMIC_IMPORT = /\bimport\((["'])(\.{1,2}\/[^"']+)\1\)/g;
const exportOf = (name) => name.replaceAll(/\W/g, '_');

/** The modules that those of the command line import on demand, relative to `dist`. */
function importedOnDemand(dist) {
  const folder = join(dist, 'src', 'cli');
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  const names = files.flatMap((name) => {
    const file = join(folder, name);
    const imports = readFileSync(file, 'utf8').matchAll(DYNAMIC_IMPORT);
    return [...imports].map(([, , path]) => relative(dist, join(dirname(file), path)).replaceAll('\\', '/'));
  });
  return [...new Set(names)].sort();
}

/** How our modules load synchronously and on demand. The bundle has its own `require`, which esbuild follows. */
const OWN_REQUIRE = 'const require = createRequire(import.meta.url);';

/** Modules of ours find the files beside them, and classes keep the names that they lose to others of the same name. */
const asIfAlone = (dist, resolved) => ({
  name: 'as-if-alone',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'require-resolve' ? { path, external: true } : undefined,
    );
    build.onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const name = relative(dist, path).replaceAll('\\', '/');
      let code = (await readFile(path, 'utf8')).replace(OWN_REQUIRE, '');
      for (const [, found] of code.matchAll(/\brequire\.resolve\('([^']+)'\)/g)) resolved.add(found);
      const classes = [...code.matchAll(/^(?:export )?class (\w+)/gm)].map(([, each]) => each);
      code = code.replaceAll(DYNAMIC_PACKAGE, (whole, quote, imported) =>
        isAmong(OWN_FILES, imported) || isBuiltin(imported)
          ? whole
          : `import('${PACKAGE}${imported}').then((module) => module.default)`,
      );
      if (name.startsWith('src/cli/')) {
        code = code.replaceAll(DYNAMIC_IMPORT, (_, quote, imported) => {
          const target = relative(dist, join(dirname(path), imported)).replaceAll('\\', '/');
          return `import('${ON_DEMAND_OF_COMMANDS}').then((modules) => modules.${exportOf(target)})`;
        });
      }
      const named = classes.map(
        (each) => `Object.defineProperty(${each}, 'name', { value: '${each}', configurable: true });`,
      );
      const place = JSON.stringify(`../${name}`);
      return {
        contents: [code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), ...named].join('\n'),
      };
    });
  },
});
