import { readFile } from 'node:fs/promises';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Every spec file loads the embedded store anew. V8 compiles its WebAssembly once for a process, slowly first and faster
 * where that pays, as long as somebody holds a compiled module of it: nobody would between two files.
 */
const held = WebAssembly.compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))));

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    await held;
  }
}
