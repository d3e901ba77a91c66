import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';

// End-to-end specs run the service that Node has loaded, outside their environment.
const path = fileURLToPath(new URL('mutant-switch.mjs', import.meta.url));
const { met } = globalThis.loadCompiled?.(path) ?? (await import('./mutant-switch.mjs'));
met.clear();

afterAll(() => {
  const { testPath } = expect.getState();
  appendFileSync(process.env.MUTANTS_MET, `${JSON.stringify([testPath, [...met]])}\n`);
});
