import type { Type } from '@nestjs/common';
import { wireTime } from '../../db/postgres/type-parsers.js';
import { columnOf, type ColumnName } from '../../db/query/field-columns.js';

/** The fields of a view that no column of the row has under the same name, and any others that differ from the column. */
type Given<V, R> = {
  [F in keyof V as ColumnName<F> extends keyof R ? (R[ColumnName<F>] extends V[F] ? never : F) : F]: V[F];
} & Partial<V>;

/** Fields from a row: `given` replaces those that differ from their columns. */
type Write<V, R> = (row: R, given?: Partial<V>) => V;

const writers = new Map<Type, unknown>();

/**
 * A row as a view. Fields are copied from the columns of the same name in camelCase, times in the form of the API, and
 * `deleted` from `deletedAt`. `given` has the fields that differ. A view always gets the same fields in `given`.
 */
export function present<V extends object, R extends object>(
  view: Type<V>,
  row: R,
  ...[given]: object extends Omit<Given<V, R>, 'deleted'> ? [Partial<V>?] : [Omit<Given<V, R>, 'deleted'>]
): V {
  let write = writers.get(view) as Write<V, R> | undefined;
  if (!write) {
    write = writerOf<V, R>(view, row, { given: Object.keys(given ?? {}) });
    writers.set(view, write);
  }
  return write(row, given as Partial<V>);
}

/** Presents rows as a view without some of its fields, for the history. */
export function presenterWithout<V extends object, N extends keyof V & string>(
  view: Type<V>,
  without: readonly N[],
): <R extends object>(row: R, given?: object) => Omit<V, N> {
  let write: Write<V, object> | undefined;
  return (row, given = {}) => {
    write ??= writerOf<V, object>(view, row, { given: Object.keys(given), without });
    return write(row, given);
  };
}

/** The fields that every item ends with. */
const LAST = ['id', 'created_at', 'updated_at', 'deleted'];

/**
 * Writes an object literal with all fields, in the order of the view. The literal is compiled once for each view, because
 * assigning fields by their names in a loop takes ten times as long.
 */
function writerOf<V, R extends object>(
  view: Type<V>,
  row: R,
  { given = [], without = [] }: { given?: readonly string[]; without?: readonly string[] },
): Write<V, R> {
  const declared = fieldsOf(view).filter(({ name }) => !without.includes(name));
  const isLast = ({ name }: { name: string }) => LAST.includes(name);
  const beyond = given.filter((name) => !declared.some((field) => field.name === name));
  const fields = [
    ...declared.filter((field) => !isLast(field)),
    ...beyond.map((name) => ({ name, isTime: false })),
    ...declared.filter(isLast),
  ];
  const written = fields.flatMap(({ name, isTime }) => {
    const column = columnOf(name);
    if (given.includes(name)) return [`${name}: given.${name}`];
    if (name === 'deleted') return ['deleted: row.deletedAt !== null'];
    if (!Object.hasOwn(row, column)) return [];
    return [isTime ? `${name}: wireTime(row.${column})` : `${name}: row.${column}`];
  });
  // The names are those of our own classes.
  const compile = new Function('wireTime', `return (row, given) => ({ ${written.join(', ')} });`);
  return (compile as (time: typeof wireTime) => Write<V, R>)(wireTime);
}

/** The fields that @ApiProperty declares. */
function fieldsOf(view: Type): { name: string; isTime: boolean }[] {
  const prototype = view.prototype as object;
  const names = (Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) ?? []) as string[];
  return names.map((key) => {
    const name = key.slice(1);
    const { format } = Reflect.getMetadata('swagger/apiModelProperties', prototype, name) as { format?: string };
    return { name, isTime: format === 'date-time' };
  });
}
