/**
 * Puts a program and its packages into one file, dist/service.cjs or dist/command.cjs, which bin/bundle.mjs runs: to find, read and
 * compile some 2,800 files is most of what a start does. See docs/decisions/0018.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

/** Loaded from node_modules as before: what has files of its own beside its code, what is seldom needed, and pg, which is one for all. */
const OWN_FILES = [
  '@aws-sdk/*',
  '@electric-sql/pglite',
  '@electric-sql/pglite/*',
  '@node-rs/argon2',
  '@opentelemetry/*',
  'pg',
  'pg/*',
  'pg-protocol/*',
  'sharp',
  'swagger-ui-dist',
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
  'picomatch',
];

/** What is bundled, by the name of its file: where it begins. */
export const PROGRAMS = {
  service: "export { serve } from './src/serve.js';",
  command: "export { command } from './src/cli/main.js';",
};

/** Makes the bundle of a program from what was compiled into `dist`. Throws where something cannot be found. */
export async function bundle(dist, program) {
  const outfile = join(dist, `${program}.cjs`);
  await build({
    stdin: { contents: `import 'reflect-metadata'; ${PROGRAMS[program]}`, resolveDir: dist },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.20',
    external: [...OWN_FILES, ...NOT_THERE],
    // a dynamic import from a script with cached code would need an experimental hook
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    legalComments: 'none',
    logLevel: 'error',
    plugins: [asIfAlone(outfile)],
  });
}

/** Modules of ours find the files beside them, and classes keep the names that they lose to others of the same name. */
const asIfAlone = (outfile) => ({
  name: 'as-if-alone',
  setup(build) {
    build.onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
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
