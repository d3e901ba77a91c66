import { Column, getMetadataArgsStorage, type ColumnOptions } from 'typeorm';

/** Money in micro-units: bigint in the table, number in code (safe to 9 billion units). */
export const MicroColumn = (options: ColumnOptions = {}) => Column({ type: 'bigint', ...options });

/** Timestamps keep milliseconds, as the clock does: microseconds would not survive a cursor. */
export const TimestampColumn = (options: ColumnOptions = {}) =>
  Column({ type: 'timestamptz', precision: 3, ...options });

/**
 * A time that statements keep up to date by themselves: it is neither read nor stored with its row, and snapshots leave
 * it out. Null until then.
 */
export const KeptTimestampColumn = () =>
  TimestampColumn({ nullable: true, select: false, insert: false, update: false });

/** An id; collation "C" makes its text order the order of creation. */
export const IdColumn = (options: ColumnOptions = {}) => Column({ type: 'varchar', collation: 'C', ...options });

/** The values that a column takes, beside its type. */
export interface ColumnValues {
  /** In words, such as `one of AND, OR`. */
  what: string;
  /** Whether one value, or one of a list, is among them. */
  holds: (value: unknown) => boolean;
}

const values = new Map<object, Map<string, ColumnValues>>();

/** Declares the values of a property of an entity. */
function declare(prototype: object, property: string, declared: ColumnValues): void {
  const known = values.get(prototype) ?? new Map<string, ColumnValues>();
  values.set(prototype, known.set(property, declared));
}

/** The declared values of a property of an entity, or of a class that it extends; undefined if there are none. */
export function valuesOf(entity: { prototype: object }, property: string): ColumnValues | undefined {
  for (let each: object | null = entity.prototype; each !== null; each = Object.getPrototypeOf(each) as object | null) {
    const declared = values.get(each)?.get(property);
    if (declared) return declared;
  }
  return undefined;
}

/** A word of a closed set, or with `array` a list of them. `what` describes a set that is too long to be listed. */
export const WordColumn =
  <Word extends string>(
    words: readonly Word[],
    { what = `one of ${words.join(', ')}`, ...options }: ColumnOptions & { what?: string } = {},
  ) =>
  <Property extends string>(
    prototype: Partial<Record<Property, NoInfer<Word> | readonly NoInfer<Word>[] | null>>,
    property: Property,
  ): void => {
    const known: ReadonlySet<unknown> = new Set(words);
    declare(prototype, property, { what, holds: (value) => known.has(value) });
    Column({ type: 'varchar', ...options })(prototype, property);
  };

/** Beside a column: it has the index of a word in a list. */
export const IndexIn =
  (words: readonly string[]): PropertyDecorator =>
  (prototype, property) => {
    const what = `an index from 0 to ${words.length - 1}, of one of ${words.join(', ')}`;
    const holds = (value: unknown) => Number.isInteger(value) && Object.hasOwn(words, value as number);
    declare(prototype, String(property), { what, holds });
  };

/**
 * Declares an index of names. In `columns`, `name` stands for the expression by which lists compare names; `name?`
 * stands for the one that also orders missing names. A migration creates the index, since TypeORM knows no indexes of expressions.
 */
export const NameIndex =
  (name: string, columns: string[]): ClassDecorator =>
  (target) => {
    getMetadataArgsStorage().indices.push({ target, name, columns, synchronize: false });
  };
