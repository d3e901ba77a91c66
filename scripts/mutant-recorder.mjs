import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';

// Unit tests load modules anew; end-to-end tests use those that Node has loaded, outside their environment.
const path = fileURLToPath(new URL('mutant-switch.mjs', import.meta.url));
const switches = [await import('./mutant-switch.mjs'), globalThis.loadCompiled(path)];
const forget = () => switches.forEach(({ met }) => met.clear());
forget();

/** Writes which mistakes a test of the spec file reached; no name: what comes before and after tests. */
function record(name) {
  appendFileSync(
    process.env.MUTANTS_MET,
    `${JSON.stringify([expect.getState().testPath, name, switches.flatMap(({ met }) => [...met])])}\n`,
  );
  forget();
}

beforeEach(() => record(null));
afterEach(() => record(expect.getState().currentTestName));
afterAll(() => record(null));
