/** Which mistake of `scripts/mutants.mjs` this process makes; none while the tests that meet each are looked for. */
const made = Number(process.env.MUTANT);

/** The numbers of the mistakes whose place was reached. */
export const met = new Set();

/** Whether the mistake with this number is to be made. */
export function isMade(number) {
  met.add(number);
  return number === made;
}
