import { InvalidArgumentError } from 'commander';
import { checkedCallbacks } from '../auth/credentials/callbacks.js';

/** One of these words, in whatever case it is given. */
export const oneOf = <T extends string>(allowed: readonly T[]) =>
  withChoices(allowed, (given: string): T => {
    const found = allowed.find((each) => each.toLowerCase() === given.toLowerCase());
    if (!found) throw new InvalidArgumentError(`Allowed are ${allowed.join(', ')}.`);
    return found;
  });

/** Some of these words, with commas; the option may be repeated. */
export const someOf = <T extends string>(allowed: readonly T[]) =>
  withChoices(allowed, (given: string, before: T[] = []): T[] => [
    ...before,
    ...given
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
      .map(oneOf(allowed)),
  ]);

/** What reads a value, with the words that it takes: completions show them. */
const withChoices = <F extends object>(choices: readonly string[], parse: F): F => Object.assign(parse, { choices });

/** The words that a value is one of; none where it can be anything. */
export const choicesOf = (parse: object | undefined): readonly string[] =>
  (parse as { choices?: readonly string[] } | undefined)?.choices ?? [];

export const wholeNumber =
  (least: number, most: number) =>
  (given: string): number => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Allowed are whole numbers from ${least} to ${most}.`);
  };

export const text =
  (most = 255) =>
  (given: string): string => {
    const value = given.trim();
    if (value.length >= 1 && value.length <= most) return value;
    throw new InvalidArgumentError(`It takes 1 to ${most} characters.`);
  };

/** All digits would be taken for an id. */
export function username(given: string): string {
  if (/^(?!\d+$)\w{1,30}$/.test(given)) return given;
  throw new InvalidArgumentError('It takes 1 to 30 letters, digits and underscores, not digits alone.');
}

/** A time zone by its name, such as Europe/Berlin. */
export function timezone(given: string): string {
  try {
    if (!/^[a-z]/i.test(given)) throw new RangeError('an offset');
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    // Names that mean the same are left as they are given, but for their case.
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given;
  } catch {
    throw new InvalidArgumentError('It takes the name of a time zone, such as Europe/Berlin.');
  }
}

/** A callback URL beside those given before. */
export function callback(given: string, before: string[] = []): string[] {
  try {
    return checkedCallbacks([...before, given]);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** The instant at which the day began that it is now in a time zone. */
export function startOfDay(now: Date, timeZone: string): Date {
  const day = dayOf(now, timeZone);
  // Zones differ from UTC by whole quarters of an hour, and days last 23 to 25 hours.
  const quarter = 900_000;
  let start = Math.floor(now.getTime() / quarter) * quarter;
  while (dayOf(new Date(start - quarter), timeZone) === day) start -= quarter;
  return new Date(start);
}

const dayOf = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' }).format(at);
