import { InvalidArgumentError } from 'commander';
import { checkedCallbacks } from '../auth/credentials/callbacks.js';
import { mainTimeZone } from '../common/time/time-zones.js';

/** Parses one of these words, case-insensitive. */
export const choice = <T extends string>(allowed: readonly T[]) =>
  withChoices(allowed, (given: string): T => {
    const found = allowed.find((each) => each.toLowerCase() === given.toLowerCase());
    if (!found) throw new InvalidArgumentError(`Allowed values: ${allowed.join(', ')}.`);
    return found;
  });

/** Parses a comma-separated list of these words; the option may be repeated. */
export const someOf = <T extends string>(allowed: readonly T[]) =>
  withChoices(allowed, (given: string, before: T[] = []): T[] => [
    ...before,
    ...given
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
      .map(choice(allowed)),
  ]);

/** A parser with its allowed words, for completions. */
const withChoices = <F extends object>(choices: readonly string[], parse: F): F => Object.assign(parse, { choices });

/** The allowed words of a value; none where it can be anything. */
export const choicesOf = (parse: object | undefined): readonly string[] =>
  (parse as { choices?: readonly string[] } | undefined)?.choices ?? [];

export const wholeNumber =
  (min: number, max: number) =>
  (given: string): number => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

export const textArgument =
  (max = 255) =>
  (given: string): string => {
    const value = given.trim();
    if (value.length >= 1 && value.length <= max) return value;
    throw new InvalidArgumentError(`It must have 1 to ${max} characters.`);
  };

/** Not only digits, because that would look like an id. */
export function username(given: string): string {
  if (/^(?!\d+$)\w{1,30}$/.test(given)) return given;
  throw new InvalidArgumentError('It must have 1 to 30 letters, digits and underscores, and not only digits.');
}

/** Parses the name of a time zone, such as Europe/Berlin. */
export function timezone(given: string): string {
  const main = mainTimeZone(given);
  if (main === undefined) throw new InvalidArgumentError('It must be the name of a time zone, such as Europe/Berlin.');
  // An alias stays as it is given, except for its case.
  return main.toLowerCase() === given.toLowerCase() ? main : given;
}

/** Adds the value of an option that may be repeated to those given before. */
export const collectValues = (given: string, before: string[] = []): string[] => [...before, given];

/** Adds a callback URL to those given before. */
export function callback(given: string, before: string[] = []): string[] {
  try {
    return checkedCallbacks([...before, given]);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** The start of the current day in a time zone. */
export function startOfDateArgument(now: Date, timeZone: string): Date {
  const day = dayOf(now, timeZone);
  // Offsets from UTC are multiples of 15 minutes, and days last 23 to 25 hours.
  const quarter = 900_000;
  let start = Math.floor(now.getTime() / quarter) * quarter;
  while (dayOf(new Date(start - quarter), timeZone) === day) start -= quarter;
  return new Date(start);
}

const dayOf = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' }).format(at);
