import { readAsset } from '../asset.js';
import type { Hint } from '../errors/api-error.js';
import { didYouMean } from '../http/hints/nearest.js';

/** The lines of a table that ships with the service, such as `targeting/interests.tsv`, without its header. */
export function shippedTable(name: string): string[][] {
  const lines = readAsset(name).trimEnd().split('\n').slice(1);
  return lines.map((line) => line.replace(/\r$/, '').split('\t'));
}

/** An item that clients look up, and target by its value. */
export interface Shipped {
  value: string;
  name: string;
}

/** A list that ships with the service, read on first use and cached. */
export class ShippedList<T extends Shipped> {
  private read?: { items: readonly T[]; byValue: ReadonlyMap<string, T> };
  /** The names in their searchable form, in the order of the items. */
  private names?: string[];

  constructor(private readonly make: () => T[]) {}

  all(): readonly T[] {
    return this.whole().items;
  }

  /** The item with this value. */
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
    const words = searched(q).split(' ').filter(Boolean);
    if (words.length === 0) return [];
    // scripts without spaces match inside a name, too
    const wanted = words.map((word) => (ASCII.test(word) ? ` ${word}` : word));
    const beginning = ` ${words.join(' ')}`;
    this.names ??= items.map(({ name }) => ` ${searched(name)}`);
    const [first, others]: [T[], T[]] = [[], []];
    for (const [i, name] of this.names.entries()) {
      if (!wanted.every((word) => name.includes(word)) || (keep && !keep(items[i]))) continue;
      (name.startsWith(beginning) ? first : others).push(items[i]);
    }
    return first.concat(others);
  }

  /** For an unknown value: suggests values when it is a name, or nearly one. */
  meantBy(given: string): Hint {
    return () => {
      const called = given.length <= MAX_NAME_LENGTH ? this.matching(given).slice(0, 1) : [];
      if (called.length > 0) return `The value of ${called[0].name} is ${called[0].value}.`;
      return didYouMean(
        given,
        this.all().map(({ value }) => value),
      );
    };
  }

  private whole() {
    if (!this.read) {
      const items = this.make();
      const byValue = new Map(items.map((item) => [item.value, item]));
      if (byValue.size !== items.length) throw new Error('two entries have the same targeting value');
      this.read = { items, byValue };
    }
    return this.read;
  }
}

const MAX_NAME_LENGTH = 100;
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
