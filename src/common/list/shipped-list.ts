import { readAsset } from '../asset.js';
import type { Hint } from '../errors/api-error.js';
import { groupedBy } from '../values/grouped.js';
import { didYouMean } from '../http/hints/nearest.js';

/** The lines of a table that ships with the service, such as `targeting/interests.tsv`, without its header. */
export function shippedTable(name: string): string[][] {
  const lines = readAsset(name).trimEnd().split('\n').slice(1);
  return lines.map((line) => line.replace(/\r$/, '').split('\t'));
}

/** An item that clients look up, and target by its value. */
export interface ShippedItem {
  value: string;
  /** Further values that mean the same, the preferred one first. */
  otherValues?: readonly string[];
  name: string;
}

/** How a list suggests an item for an unknown value. */
interface Suggested<T> {
  /** The names of an item, the most certain one first, at the same index for all items. Defaults to its name. */
  namesOf?(this: void, item: T): (string | undefined)[];
  /** Of several items, the one with the highest rank is suggested. Defaults to the order of the list. */
  rankOf?(this: void, item: T): number;
  /** What tells items of the same name apart. */
  kindOf?(this: void, item: T): string;
}

/** A list that ships with the service, read on first use and cached. */
export class ShippedList<T extends ShippedItem> {
  private read?: { items: readonly T[]; byValue: ReadonlyMap<string, T> };
  /** The names in their searchable form, in the order of the items. */
  private names?: string[];
  /** The items of each whole name, in its searchable form without spaces. */
  private byName?: ReadonlyMap<string, readonly T[]>;

  constructor(
    private readonly make: () => T[],
    private readonly suggested: Suggested<T> = {},
  ) {}

  all(): readonly T[] {
    return this.whole().items;
  }

  /** The item with this value, or with this further one. */
  at(value: string): T | undefined {
    return this.whole().byValue.get(value);
  }

  /**
   * Items whose name has words that begin with the words of `q`, ignoring case and accents; all items without `q`.
   * Names that begin with the whole of `q` come first; otherwise the order is kept.
   */
  matching(q: string | undefined, keep?: (item: T) => boolean): T[] {
    const { items } = this.whole();
    if (q === undefined) return keep ? items.filter(keep) : [...items];
    const [first, others] = this.found(q, keep);
    return first.concat(others);
  }

  /** The items whose name begins with the whole of `q`, and those that only have words that begin like its words. */
  private found(q: string, keep?: (item: T) => boolean): [first: T[], others: T[]] {
    const { items } = this.whole();
    const [first, others]: [T[], T[]] = [[], []];
    const words = searched(q).split(' ').filter(Boolean);
    if (words.length === 0) return [first, others];
    // scripts without spaces match inside a name, too
    const wanted = words.map((word) => (ASCII.test(word) ? ` ${word}` : word));
    const beginning = ` ${words.join(' ')}`;
    this.names ??= items.map(({ name }) => ` ${searched(name)}`);
    for (const [i, name] of this.names.entries()) {
      if (!wanted.every((word) => name.includes(word)) || (keep && !keep(items[i]))) continue;
      (name.startsWith(beginning) ? first : others).push(items[i]);
    }
    return [first, others];
  }

  /** The hint for an unknown value. */
  meantBy(given: string): Hint {
    return () => this.suggestionFor(given);
  }

  /** For an unknown value: suggests values when it is a name, or nearly one. */
  suggestionFor(given: unknown): string | undefined {
    const exact = this.exactly(given);
    if (exact.length === 0) {
      const like = this.beginningLike(given);
      return like
        ? `Did you mean ${like.name}? Its value is ${shownValueOf(like)}.`
        : didYouMean(given, this.all().flatMap(valuesOf));
    }
    const isSame = exact.length > 1 && new Set(exact.map(({ name }) => name)).size === 1;
    const values = exact.map((item) => {
      const kind = isSame ? this.suggested.kindOf?.(item) : undefined;
      return `${item.name}${kind === undefined ? '' : ` (${kind})`} is ${shownValueOf(item)}`;
    });
    return `The value of ${values.join(', that of ')}.`;
  }

  /** The items with this whole name; else the one of the highest rank whose name begins like this. */
  named(given: unknown): readonly T[] {
    const exact = this.exactly(given);
    if (exact.length > 0) return exact;
    const like = this.beginningLike(given);
    return like ? [like] : [];
  }

  private exactly(given: unknown): readonly T[] {
    if (!isName(given)) return [];
    return ((this.byName ??= this.readNames()).get(unspaced(given)) ?? []).slice(0, MAX_SUGGESTED);
  }

  private beginningLike(given: unknown): T | undefined {
    if (!isName(given)) return undefined;
    const name = unspaced(given);
    if (this.suggested.namesOf && ASCII.test(name) && name.length < MIN_PREFIX_LENGTH) return undefined;
    const [first, others] = this.found(given);
    return this.byRank(first.length > 0 ? first : others)[0];
  }

  private byRank(items: readonly T[]): readonly T[] {
    const { rankOf } = this.suggested;
    return rankOf ? items.toSorted((one, other) => rankOf(other) - rankOf(one)) : items;
  }

  private readNames(): ReadonlyMap<string, readonly T[]> {
    const namesOf = this.suggested.namesOf ?? (({ name }) => [name]);
    const all = this.byRank(this.all()).map((item) => ({ item, names: namesOf(item) }));
    const byName = new Map<string, T[]>();
    for (let i = 0; all.some(({ names }) => i < names.length); i++) {
      const found = groupedBy(all, ({ names }) => unspaced(names[i] ?? ''));
      found.delete('');
      for (const [name, items] of found)
        if (!byName.has(name))
          byName.set(
            name,
            items.map(({ item }) => item),
          );
    }
    return byName;
  }

  private whole() {
    if (!this.read) {
      const items = this.make();
      const values = items.flatMap((item) => valuesOf(item).map((value) => [value, item] as const));
      const byValue = new Map(values);
      if (byValue.size !== values.length) throw new Error('two entries have the same targeting value');
      this.read = { items, byValue };
    }
    return this.read;
  }
}

const valuesOf = ({ value, otherValues = [] }: ShippedItem): string[] => [value, ...otherValues];

/** The value that clients get and send. */
const shownValueOf = ({ value, otherValues }: ShippedItem): string => otherValues?.[0] ?? value;

const isName = (given: unknown): given is string => typeof given === 'string' && given.length <= MAX_NAME_LENGTH;

const MAX_NAME_LENGTH = 100;
/** Of items with the same name. */
const MAX_SUGGESTED = 3;
/** Where items have codes, two letters are an unknown code rather than the beginning of some name. */
const MIN_PREFIX_LENGTH = 3;
const ASCII = /^[\x20-\x7e]*$/;
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th' };

/**
 * The searchable form of a name: only letters and digits, numbers with their decimal point, without case and accents,
 * words separated by one space.
 */
function searched(name: string): string {
  const lower = name.toLowerCase();
  const plain = ASCII.test(lower)
    ? lower.replace(/'/g, '').replace(/[^a-z0-9&+.]+|\.(?!\d)|(?<!\d)\./g, ' ')
    : lower
        .normalize('NFKD')
        .replace(/[\u0300-\u036F'’]/g, '')
        .replace(/[ßæœøđðłıþ]/g, (letter) => LETTERS[letter])
        .replace(/[^\p{L}\p{M}\p{N}&+.]+|\.(?!\d)|(?<!\d)\./gu, ' ');
  return plain.replace(/ {2,}/g, ' ').trim();
}

/** The same without spaces: `US` is also written `U.S.`. */
const unspaced = (name: string) => searched(name).replaceAll(' ', '');
