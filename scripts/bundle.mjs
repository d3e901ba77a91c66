/**
 * Puts a program and its packages into one file, such as dist/service.cjs, which bin/bundle.mjs runs: to find, read and compile some
 * 2,800 files is most of what a start does. See docs/decisions/0018.
 */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

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
/** Loaded from node_modules on demand. The image has one file for all packages of a scope (scripts/image/make-app.mjs). */
export const ON_DEMAND = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@opentelemetry/sdk-node'];
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

/** What is bundled, by the name of its file: where it begins. A command loads the service only if it runs in it. */
export const PROGRAMS = {
  service: "export { serve } from './src/serve.js';",
  command: `export { command } from './src/cli/main.js';
    export const startInProcess = async (environment) =>
      (await import('./src/in-process.js')).startInProcess(environment);`,
  'media-reader': "import './src/creatives/media-inspection/media-reader.process.js';",
};

/**
 * Makes the bundle of a program from what was compiled into `dist`. Throws if it cannot find an import. Returns the files in the
 * bundle, and what the bundle loads from node_modules.
 */
export async function bundle(dist, program) {
  const outfile = join(dist, `${program}.cjs`);
  const { metafile } = await build({
    stdin: { contents: `import 'reflect-metadata'; ${PROGRAMS[program]}`, resolveDir: dist },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.20',
    external: [...OWN_FILES, ...ON_DEMAND, ...NOT_THERE],
    metafile: true,
    // bin/bundle.mjs reads it as Latin-1
    charset: 'ascii',
    // a dynamic import from a script with cached code would need an experimental hook
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleUrl' },
    // what Module.wrap adds, here without a second copy of the source in memory
    banner: { js: `(function (exports, require, module, __filename, __dirname) { ${BUNDLE_URL}` },
    footer: { js: '})' },
    legalComments: 'none',
    logLevel: 'error',
    plugins: [asIfAlone(outfile)],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const loaded = imports.filter(({ external, path }) => external && !isBuiltin(path) && !isNotThere(path));
  return { files: Object.keys(metafile.inputs), loaded: [...new Set(loaded.map(({ path }) => path))] };
}

const BUNDLE_URL = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

const isNotThere = (path) =>
  NOT_THERE.some((name) => (name.endsWith('/*') ? path.startsWith(name.slice(0, -1)) : path === name));

/** How our modules load synchronously and on demand. The bundle has its own `require`, which esbuild follows. */
const OWN_REQUIRE = 'const require = createRequire(import.meta.url);';

/** Modules of ours find the files beside them, and classes keep the names that they lose to others of the same name. */
const asIfAlone = (outfile) => ({
  name: 'as-if-alone',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'require-resolve' ? { path, external: true } : undefined,
    );
    build.onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const code = (await readFile(path, 'utf8')).replace(OWN_REQUIRE, '');
      const place = JSON.stringify(`./${relative(dirname(outfile), path).replaceAll('\\', '/')}`);
      const classes = [...code.matchAll(/^(?:export )?class (\w+)/gm)].map(([, name]) => name);
      const named = classes.map(
        (name) => `Object.defineProperty(${name}, 'name', { value: '${name}', configurable: true });`,
      );
      return {
        contents: [code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), ...named].join('\n'),
      };
    });
  },
});
