import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Loads a module as Node does, once for a process. */
const load = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

// Each application waits for the end of the process, to flush its log.
process.setMaxListeners(0);

let isServing = false;

/** What spec files leave to the next one in this process: test/support/kept.ts. */
const kept = (globalThis.kept = { names: 0 });

/** Lets the spec files of an environment, whose global object this is, use the modules that Node has loaded. */
export function serveModules(global) {
  global.loadCompiled = load;
  global.kept = kept;
  // TypeScript's decorators ask it for the `metadata` that reflect-metadata has given to ours, and name these types.
  Object.assign(global, { Reflect, String, Number, Boolean, Date });
  isServing = true;
}

export function stopServingModules() {
  isServing = false;
}

/** A package, or what was compiled of a source. */
const compiledOf = (path) =>
  path.includes('/node_modules/') ? path : `${root}dist/${path.slice(root.length).replace(/\.ts$/, '.js')}`;

/** A module for Jest that exports what the module exports that Node has loaded. */
function forward(source, path, { supportsStaticESM }) {
  // global-setup and what it loads run in no environment
  if (!isServing) return source;
  const file = compiledOf(path);
  const loading = `loadCompiled(${JSON.stringify(file)})`;
  if (!supportsStaticESM) return `module.exports = ${loading};`;
  const names = Object.keys(load(file)).map((name, i) => [name, `export${i}`]);
  const parts = names.map(([name, local]) => `${JSON.stringify(name)}: ${local}`);
  return `const { ${parts.join(', ')} } = ${loading};
    export { ${names.map(([name, local]) => `${local} as ${JSON.stringify(name)}`).join(', ')} };`;
}

/**
 * Spec files share the compiled service and the packages: Node loads them once for each process of Jest, where Jest would
 * load some 2,000 modules anew for each spec file, in three seconds. Spec files and their support have modules of their own.
 */
export default {
  process: (...given) => ({ code: forward(...given) }),
  getCacheKey: (...given) =>
    createHash('sha256')
      .update(forward(...given))
      .digest('hex'),
};
