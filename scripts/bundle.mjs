/**
 * Puts the programs and their packages into a few files in dist/bundles, which bin/bundle.mjs runs: to find, read and compile some
 * 2,800 files is most of what a start does. See docs/decisions/0018.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentCommit } from './commit.mjs';

// esbuild reads it when it starts: it collects its garbage half as often, which saves a fifth of its work
process.env.GOGC ??= '400';
const { build, transform } = await import('esbuild');

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
  service: `export { keepRowsYoung, serve, work } from './src/serve.js';
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
    splitting: true,
    format: 'esm',
    // Node warns of its own, which twitter-text asks for
    alias: { punycode: 'punycode/punycode.js' },
    metafile: true,
    ...COMMON,
    plugins: [programs(dist), asIfAlone({ folder: dist, beside: '..', resolved, onDemand: true })],
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

const COMMON = {
  // esbuild resolves aliases here: a stale checkout builds for a command in any folder
  absWorkingDir: dirname(dirname(fileURLToPath(import.meta.url))),
  bundle: true,
  platform: 'node',
  target: 'node20.20',
  external: [...OWN_FILES, ...NOT_THERE],
  define: { 'import.meta.url': 'bundleUrl' },
  legalComments: 'none',
  logLevel: 'error',
  write: false,
};

/** What the commands that only send requests import on demand, in one file with them. */
const LIGHT = /^(file-type|open)$|\/(fixture-file|rewrites|run-and-print|export-fixtures)\.js$/;

/**
 * Makes `command-<digest>.cjs` in `outdir` from the sources below `root`: the commands that need neither service nor store, in a
 * second rather than in ten. What needs more stays out. Several may run at once.
 */
export async function bundleLightCommands(root, outdir) {
  const { outputFiles } = await build({
    entryPoints: { command: join(root, 'src', 'cli', 'main.ts') },
    outdir,
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    banner: { js: `${SCRIPT_BEGINS} ${BUNDLE_URL}` },
    footer: { js: SCRIPT_ENDS },
    ...COMMON,
    plugins: [light, asIfAlone({ folder: root, beside: relative(outdir, root), resolved: new Set() })],
  });
  const [{ path, contents }] = outputFiles;
  mkdirSync(outdir, { recursive: true });
  const others = readdirSync(outdir).filter((name) => !join(outdir, name).startsWith(path));
  for (const name of others) rmSync(join(outdir, name), { recursive: true, force: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}

const light = {
  name: 'light',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !LIGHT.test(path) ? { path, namespace: 'not-light' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'not-light' }, () => ({
      contents: "throw new Error('This needs all of Marquee: run `npm run build` first.');",
    }));
  },
};

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
  return `${SCRIPT_BEGINS} ${BUNDLE_URL}\n${code}\n${SCRIPT_ENDS}`;
}

const SCRIPT_BEGINS = '(function (exports, require, module, __filename, __dirname) {';
const SCRIPT_ENDS = '})';
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

/**
 * Modules of ours find the files beside them, and classes keep the names that they lose to others of the same name. `beside` leads from
 * the bundle to the folder.
 */
const asIfAlone = ({ folder, beside, resolved, onDemand = false }) => ({
  name: 'as-if-alone',
  setup(build) {
    const ours = join(folder, 'src') + sep;
    build.onLoad({ filter: /[\\/]src[\\/].*\.[jt]s$/ }, async ({ path }) => {
      if (!path.startsWith(ours)) return undefined;
      const name = relative(folder, path).replaceAll('\\', '/');
      let code = (await readFile(path, 'utf8')).replace(OWN_REQUIRE, '');
      for (const [, found] of code.matchAll(/\brequire\.resolve\('([^']+)'\)/g)) resolved.add(found);
      const classes = [...code.matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(([, each]) => each);
      if (onDemand) code = withOnDemand(code, name);
      const named = classes.map(
        (each) => `Object.defineProperty(${each}, 'name', { value: '${each}', configurable: true });`,
      );
      const place = JSON.stringify(`${beside.replaceAll('\\', '/')}/${name}`);
      return {
        contents: [code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), ...named].join('\n'),
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
});

/** The code of a module, which imports on demand what the bundle has of other packages and for commands. */
function withOnDemand(code, name) {
  const rewritten = code.replaceAll(DYNAMIC_PACKAGE, (whole, quote, imported) =>
    isAmong(OWN_FILES, imported) || isBuiltin(imported)
      ? whole
      : `import('${PACKAGE}${imported}').then((module) => module.default)`,
  );
  if (!name.startsWith('src/cli/')) return rewritten;
  return rewritten.replaceAll(DYNAMIC_IMPORT, (_, quote, imported) => {
    const target = posix.join(posix.dirname(name), imported);
    return `import('${ON_DEMAND_OF_COMMANDS}').then((modules) => modules.${exportOf(target)})`;
  });
}
