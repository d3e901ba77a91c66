import { readAsset } from '../asset.js';
import type { Hint } from '../errors/api-error.js';
import { didYouMean } from '../http/hints/nearest.js';

/** The lines of a table that ships with the service, such as `targeting/interests.tsv`, without its heading. */
export function shippedTable(name: string): string[][] {
  const lines = readAsset(name).trimEnd().split('\n').slice(1);
  return lines.map((line) => line.replace(/\r$/, '').split('\t'));
}

/** What can be looked up and targeted by its value. */
export interface Shipped {
  value: string;
  name: string;
}

/** A list that ships with the service: read when it is first asked, and kept. */
export class ShippedList<T extends Shipped> {
  private read?: { items: readonly T[]; byValue: ReadonlyMap<string, T> };
  /** The names as they are searched, in the order of the items. */
  private names?: string[];

  constructor(private readonly make: () => T[]) {}

  all(): readonly T[] {
    return this.whole().items;
  }

  /** The one that has this value. */
  at(value: string): T | undefined {
    return this.whole().byValue.get(value);
  }

  /**
   * Those whose name has words that begin with the words of `q`, without case and accents; of all items unless given. Names
   * that begin with the whole of `q` come first, otherwise the order stays.
   */
  matching(q: string | undefined, keep?: (item: T) => boolean): T[] {
    const { items } = this.whole();
    if (q === undefined) return keep ? items.filter(keep) : [...items];
    const words = searched(q).split(' ').filter(Boolean);
    if (words.length === 0) return [];
    // what is written without spaces is found inside, too
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

  /** For a value that nobody has: what may have been meant by it, where it is a name, or nearly one. */
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
      if (byValue.size !== items.length) throw new Error('two things that can be targeted have the same value');
      this.read = { items, byValue };
    }
    return this.read;
  }
}

const MAX_NAME_LENGTH = 100;
const ASCII = /^[\x20-\x7e]*$/;
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th' };

/**
 * A name as it is compared: letters and digits alone, numbers with their point, without case and accents, words apart by one
 * space.
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
