/**
 * What the model reads in a request, and the problems it expects of it. Written from the specification and docs/gaps.md,
 * so it shares no code with the service.
 */
export type Raw = string | number | boolean | null | undefined;
/** The parameters of a request or an operation; undefined is not sent. */
export type RawParams = Record<string, Raw>;

/** Code and parameter of an error. */
export type Problem = readonly [code: string, parameter: string];

export const invalid = (parameter: string): Problem => ['INVALID_PARAMETER', parameter];
export const missing = (parameter: string): Problem => ['MISSING_PARAMETER', parameter];
export const unknown = (parameter: string, code = 'NOT_FOUND'): Problem => [code, parameter];

/** A time as requests and answers have it. */
export const wire = (time: number) => new Date(time).toISOString().replace(/\.\d+/, '');

/** How long a currency's amounts may be cut: US dollars have cents. */
export const CENT = 10_000;

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

  /** What is wrong whatever is stored. */
  unreadable = (): Problem[] => this.problems.filter(([, parameter]) => this.unread.has(parameter));

  private sent = (name: string): boolean => this.has(name) && this.params[name] !== '' && this.params[name] !== null;

  reject(problem: Problem): undefined {
    this.problems.push(problem);
    this.unread.add(problem[1]);
    return undefined;
  }

  /** Says that something is wrong with a parameter that could be read. */
  blame(problem: Problem): void {
    this.problems.push(problem);
  }

  optional<T>(name: string, read: (raw: string) => T | undefined): T | null | undefined {
    if (!this.has(name)) return this.isUpdate ? undefined : null;
    if (!this.sent(name)) return null;
    const value = read(String(this.params[name]));
    return value === undefined ? this.reject(invalid(name)) : value;
  }

  /** One that a new resource needs, and that cannot be unset. */
  private required<T>(name: string, read: (raw: string) => T | undefined): T | undefined {
    if (!this.has(name)) return this.isUpdate ? undefined : this.reject(missing(name));
    const value = this.sent(name) ? read(String(this.params[name])) : undefined;
    return value === undefined ? this.reject(invalid(name)) : value;
  }

  text = (name: string, longest: number) => this.required(name, upTo(longest));
  optionalText = (name: string, longest: number) => this.optional(name, upTo(longest));
  id = (name: string) => this.required(name, (raw) => (/^[0-9a-z]+$/i.test(raw) ? raw.toLowerCase() : undefined));
  decimal = (name: string) => this.required(name, (raw) => (/^\d{1,19}$/.test(raw) ? raw : undefined));
  word = <T extends string>(name: string, words: readonly T[]) => this.required(name, among(words));
  optionalWord = <T extends string>(name: string, words: readonly T[]) => this.optional(name, among(words));
  whole = (name: string) => this.optional(name, (raw) => (/^-?\d{1,18}$/.test(raw) ? Number(raw) : undefined));
  number = (name: string, isOne: (value: number) => boolean) =>
    this.required(name, (raw) => (/^\d+$/.test(raw) && isOne(Number(raw)) ? Number(raw) : undefined));
  flag = (name: string) => this.optional(name, asFlag);
  requiredFlag = (name: string) => this.required(name, asFlag);
  time = (name: string) =>
    this.required(name, (raw) => {
      const at = Date.parse(raw);
      return Number.isNaN(at) ? undefined : at;
    });
  /** Words that stand behind each other, with commas between them. */
  words = <T extends string>(name: string, words: readonly T[]) =>
    this.required(name, (raw) => {
      const each = [...new Set(raw.split(','))];
      return each.every((word) => words.includes(word as T)) ? (each as T[]) : undefined;
    });

  /** One of these words, which a resource always has: an absent one is the first; undefined where an update leaves it. */
  status = <T extends string>(name: string, words: readonly T[]) =>
    this.has(name) ? this.word(name, words) : undefined;

  /** An amount of money: more than nothing, and no fraction of a cent. */
  money(name: string): number | null | undefined {
    const amount = this.whole(name);
    if (typeof amount === 'number' && amount <= 0) return this.reject(invalid(name));
    return this.cents(name, amount);
  }

  /** An amount that other rules bound. */
  boundedMoney = (name: string) => this.cents(name, this.whole(name));

  private cents(name: string, amount: number | null | undefined): number | null | undefined {
    if (amount === undefined || amount === null) return amount;
    if (amount > 0 && amount % CENT !== 0) this.blame(['INVALID_DENOMINATION', name]);
    return amount;
  }
}

const asFlag = (raw: string) => ({ true: true, false: false })[raw.toLowerCase()];
const upTo = (longest: number) => (raw: string) => ([...raw].length <= longest ? raw : undefined);
const among =
  <T extends string>(words: readonly T[]) =>
  (raw: string) =>
    words.find((word) => word === raw);
