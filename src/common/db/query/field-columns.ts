import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';
import type { Row } from './rows.js';
import type { Resource } from '../../entity/resource.entity.js';

/** The column of a field of the API: `line_item_id` is `lineItemId`. */
export type ColumnName<F> = F extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<ColumnName<Tail>>}` : F;

const columns = new Map<string, string>();

/** The column of a field of the API. */
export function columnOf(field: string): string {
  let column = columns.get(field);
  if (column === undefined) {
    column = field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    columns.set(field, column);
  }
  return column;
}

/** The field of the API for a column: `lineItemId` is `line_item_id`. */
export const fieldOf = (column: string): string => column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns that every resource has. */
type Common = keyof Row<Resource>;
const COMMON: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt'] satisfies Common[]);

const fields = new Map<Type, readonly (readonly [column: string, field: string])[]>();

/** The own columns of a resource with their fields. */
function fieldsOf(entity: Type): readonly (readonly [column: string, field: string])[] {
  let own = fields.get(entity);
  if (!own) {
    own = getMetadataArgsStorage()
      .filterColumns(entity)
      .filter(({ propertyName }) => !COMMON.has(propertyName))
      .map(({ propertyName }) => [propertyName, fieldOf(propertyName)] as const);
    fields.set(entity, own);
  }
  return own;
}

type OrNull<V> = undefined extends V ? Exclude<V, undefined> | null : V;

/** The columns that take a parameter of the same name as it is. */
type Same<P, C> = {
  [
    F in keyof P as ColumnName<F> extends keyof C
      ? OrNull<P[F]> extends C[ColumnName<F>]
        ? ColumnName<F>
        : never
      : never
  ]: F;
};

/**
 * The columns of a new row: from the parameters of the same name, null for absent ones. `given` has the columns that
 * differ from their parameter or have none.
 */
export function newColumns<T extends Resource, P extends object>(
  entity: Type<T>,
  params: P,
  given: Omit<Row<T>, Common | keyof Same<P, Row<T>>> & Partial<Row<T>>,
): Omit<Row<T>, Common> {
  const sent = params as Record<string, unknown>;
  const row: Record<string, unknown> = {};
  for (const [column, field] of fieldsOf(entity)) row[column] = sent[field] ?? null;
  return Object.assign(row, given);
}

/** The columns that an update changes: from the parameters of the same name. `given` has those that differ. */
export function changedColumns<T extends Resource>(
  entity: Type<T>,
  params: object,
  given: Partial<Row<T>>,
): Partial<Row<T>> {
  const sent = params as Record<string, unknown>;
  const changed: Record<string, unknown> = {};
  for (const [column, field] of fieldsOf(entity)) if (sent[field] !== undefined) changed[column] = sent[field];
  return Object.assign(changed, given);
}
