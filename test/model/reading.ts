/**
 * Parameters of requests: what they mean, what sequences send in them, and the problems that the model expects. Written from the
 * specification and docs/gaps.md, so it shares no code with the service.
 */
import * as fc from 'fast-check';

export type Raw = string | number | boolean | null | undefined;
/** The parameters of a request or an operation; undefined is not sent. */
export type RawParams = Record<string, Raw>;

/** Code and parameter of an error. */
export type Problem = readonly [code: string, parameter: string];

export const invalid = (parameter: string): Problem => ['INVALID_PARAMETER', parameter];
export const missing = (parameter: string): Problem => ['MISSING_PARAMETER', parameter];
export const unknown = (parameter: string, code = 'NOT_FOUND'): Problem => [code, parameter];
export const forbidden = (parameter: string): Problem => ['ACTION_NOT_ALLOWED', parameter];

/** A time as requests and answers have it; two of them compare like their times. */
export const wire = (time: number) => new Date(time).toISOString().replace(/\.\d+/, '');

/** How long a currency's amounts may be cut: US dollars have cents. */
export const CENT = 10_000;

/** What one parameter may say. */
export interface Field {
  /** What a text means; undefined: nothing. */
  read: (raw: string) => unknown;
  /** What sequences send. */
  draw: fc.Arbitrary<Raw>;
  /** What it is if a new resource does not name it; otherwise it must. */
  initial?: { is: unknown };
  /** What it is if it is sent empty; otherwise it cannot be. */
  unset?: { is: unknown };
  /** Sent nearly always, as if it were required. */
  isUsual?: true;
  /** The code of a mistake in what can be read. */
  flaw?: (value: unknown) => string | false;
  /** What is wrong inside it, each with its place. */
  within?: (raw: string) => Problem[];
}
export type Table = Record<string, Field>;

/** Mostly the first, now and then one of the others. */
export const mostly = <T>(common: fc.Arbitrary<T>, ...rare: T[]) =>
  fc.oneof({ weight: 40, arbitrary: common }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
export const field = (read: Field['read'], right: readonly Raw[], ...wrong: Raw[]): Field => ({
  read,
  draw: mostly<Raw>(fc.constantFrom(...right), '', ...wrong),
});

/** What requests send of these: what a new one needs nearly always, anything else now and then. */
export function sending(table: Table, isNew: boolean): fc.Arbitrary<RawParams> {
  const nothing = fc.constant(undefined);
  const or = ({ draw, initial, isUsual }: Field) =>
    isNew && (!initial || isUsual)
      ? fc.oneof({ weight: 40, arbitrary: draw }, { weight: 1, arbitrary: nothing })
      : fc.oneof({ weight: 1, arbitrary: draw }, { weight: 3, arbitrary: nothing });
  return fc.record(Object.fromEntries(Object.entries(table).map(([name, each]) => [name, or(each)])));
}

export const NAMES = ['Spring', 'spring sale', 'Summer', 'Größe ☃'];
export const text = (longest: number, texts: readonly string[] = NAMES, ...rare: string[]) =>
  field((raw) => ([...raw].length <= longest ? raw : undefined), texts, 'x'.repeat(longest + 1), ...rare);
export const word = (words: readonly string[], sent = words) =>
  field((raw) => words.find((each) => each === raw), sent, 'NONSENSE');
/** Words that stand behind each other, with commas between them. */
export const words = (all: readonly string[], sent = all) => field((raw) => listed(raw, all), sent, 'NONSENSE');
function listed(raw: string, all: readonly string[]): string[] | undefined {
  const each = [...new Set(raw.split(','))];
  return each.every((one) => all.includes(one)) ? each : undefined;
}
export const flag = (sent = [true, false]) =>
  field((raw) => ({ true: true, false: false })[raw.toLowerCase()], sent, 'perhaps');
const numeric = (isOne: (value: number) => boolean, sent: readonly number[], ...wrong: number[]) => {
  const read = (raw: string) => (/^-?\d{1,18}$/.test(raw) && isOne(Number(raw)) ? Number(raw) : undefined);
  return field(read, sent, 'much', ...wrong);
};
export const number = (numbers: readonly number[]) =>
  numeric((value) => numbers.includes(value), numbers, Math.max(...numbers) + 1);
export const between = (least: number, most: number, sent = [least, most]) =>
  numeric((value) => value >= least && value <= most, sent, ...[least - 1, most + 1].filter(Number.isFinite));
/** What matches, as it is. */
export const like = (pattern: RegExp, sent: readonly Raw[], ...wrong: Raw[]) =>
  field((raw) => (pattern.test(raw) ? raw : undefined), sent, ...wrong);
/** The parent of a new resource; sequences choose it. */
export const ID = field((raw) => (/^[0-9a-z]+$/i.test(raw) ? raw.toLowerCase() : undefined), ['']);
/** Times that many hours from now. */
export const time = (hours: readonly number[], ...rare: number[]) =>
  field((raw) => (Number.isNaN(Date.parse(raw)) ? undefined : wire(Date.parse(raw))), hours, 'soon', ...rare);
/** An amount without fractions of a cent. */
export const money = (isOne: (amount: number) => boolean): Field => ({
  ...numeric(isOne, [1_000_000, 2_000_000, 5_000_000, 20_000_000], 0, -1, 15),
  flaw: (amount) => Number(amount) > 0 && Number(amount) % CENT !== 0 && 'INVALID_DENOMINATION',
});

/** A field that may be absent, or sent empty. */
export const optional = (of: Field, is: unknown = null): Field => ({ ...of, initial: { is }, unset: { is } });
/** The same of one that is then not shown. */
export const hidden = (of: Field): Field => ({ ...of, initial: { is: undefined }, unset: { is: undefined } });

/** Reads the parameters of one request and collects what is wrong with them. */
export class Reading {
  readonly problems: Problem[] = [];
  /** Parameters that were sent and could not be read: rules that need them are not checked. */
  private readonly unread = new Set<string>();

  constructor(
    private readonly params: RawParams,
    private readonly isUpdate: boolean,
  ) {}

  has = (name: string): boolean => this.params[name] !== undefined;

  /** Whether a rule that needs these parameters can be checked. */
  knows = (...names: string[]): boolean => !names.some((name) => this.unread.has(name));

  /** Of an unknown currency nobody knows how far its amounts can be cut. */
  forgetDenominations(): void {
    const others = this.problems.filter(([code]) => code !== 'INVALID_DENOMINATION');
    this.problems.splice(0, this.problems.length, ...others);
  }

  reject(problem: Problem): undefined {
    this.problems.push(problem);
    this.unread.add(problem[1]);
    return undefined;
  }

  /** Says that something is wrong with a parameter that could be read. */
  blame(problem: Problem): void {
    this.problems.push(problem);
  }

  /** What the request says; an update leaves out what it does not name. */
  all(table: Table): Record<string, unknown> {
    const values = Object.entries(table).map(([name, each]) => [name, this.one(name, each)] as const);
    return Object.fromEntries(
      values.filter(([name, value]) => value !== undefined || (this.has(name) && this.knows(name))),
    );
  }

  one(name: string, { read, initial, unset, flaw, within }: Field): unknown {
    const raw = this.params[name];
    if (raw === undefined) return this.isUpdate ? undefined : initial ? initial.is : this.reject(missing(name));
    if (raw === '' || raw === null) return unset ? unset.is : this.reject(invalid(name));
    const inner = within?.(String(raw)) ?? [];
    if (inner.length > 0) {
      this.problems.push(...inner);
      this.unread.add(name);
      return undefined;
    }
    const value = read(String(raw));
    if (value === undefined) return this.reject(invalid(name));
    const code = flaw?.(value);
    if (code) this.blame([code, name]);
    return value;
  }
}
