import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage } from 'typeorm';
import {
  referenceOf,
  snapshotOptionsOf,
  type ColumnReferenceKind,
  type RowReference,
  type SnapshotOptions,
} from '../../common/entity/snapshots.js';

/** A column with ids of rows of the same account. */
export interface ColumnReference extends RowReference {
  column: string;
}

/** A table whose rows belong to accounts, as its entity declares it. */
export interface SnapshotTable extends SnapshotOptions {
  entity: Type;
  /** The name in snapshots and their files. */
  name: string;
  /** The columns that refer to rows of the same account. */
  rowReferences: readonly ColumnReference[];
  /** The columns that refer to something else. */
  columnsOf: (kind: ColumnReferenceKind) => readonly string[];
}

let tables: readonly SnapshotTable[] | undefined;

/** The tables of a snapshot, which a reset empties. There are no foreign keys, so any order is right. */
export const snapshotTables = (): readonly SnapshotTable[] =>
  (tables ??= getMetadataArgsStorage()
    .tables.flatMap(({ target, name = '' }) => declaredTable(target as Type, name))
    .sort((one, other) => (one.name < other.name ? -1 : 1)));

function declaredTable(entity: Type, name: string): SnapshotTable[] {
  const options = snapshotOptionsOf(entity);
  if (!options) return [];
  const rowReferences: ColumnReference[] = [];
  const others = new Map<ColumnReferenceKind, string[]>();
  for (const { target, propertyName: column } of getMetadataArgsStorage().columns) {
    if (target !== entity && !(entity.prototype instanceof (target as Type))) continue;
    const reference = referenceOf(entity, column);
    if (typeof reference === 'object') rowReferences.push({ column, ...reference });
    else if (reference) others.set(reference, [...(others.get(reference) ?? []), column]);
  }
  return [{ ...options, entity, name, rowReferences, columnsOf: (kind) => others.get(kind) ?? [] }];
}
