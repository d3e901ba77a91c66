/** Which mistake of `scripts/mutants.mjs` this process makes; none while the tests that meet each are looked for. */
let made = Number(process.env.MUTANT);

/** From now on makes this one. What was evaluated before stays as it is. */
export function make(number) {
  made = number;
}

/** The numbers of the mistakes whose place was reached. */
export const met = new Set();

/** Whether the mistake with this number is to be made. */
export function isMade(number) {
  met.add(number);
  return number === made;
}
