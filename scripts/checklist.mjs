import { writeFileSync } from 'node:fs';

const results = [];

/** Notes a check and what it says; what goes wrong in one does not end the others. */
export async function check(name, work) {
  const began = performance.now();
  let detail;
  let passed = true;
  try {
    detail = await work();
  } catch (error) {
    passed = false;
    detail = error.message;
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)${detail === undefined ? '' : `: ${detail}`}`);
  results.push({ name, passed });
}

export function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

export const havePassed = () => results.every(({ passed }) => passed);

/** Writes the results into a file, if one is named, for `.ci/run`. */
export function writeResults(file) {
  if (file) writeFileSync(file, JSON.stringify(results));
}
