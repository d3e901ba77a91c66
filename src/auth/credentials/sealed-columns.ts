import { applyDecorators, type Type } from '@nestjs/common';
import { Column, Index } from 'typeorm';

/** The columns to rewrite when the master key changes. */
export interface SealedColumns {
  /** Columns that hold secrets sealed by the Vault. */
  sealed: string[];
  /** Columns with the keyed hash of a secret, mapped to the sealed column with the secret. */
  lookups: Record<string, string>;
}

const known = new Map<Type, SealedColumns>();

/** All entities with such columns. The decorators register them when the entity is imported. */
export const sealedEntities = (): ReadonlyMap<Type, SealedColumns> => known;

/** A column for a secret, sealed by the Vault. */
export const SealedColumn = ({ nullable = false } = {}): PropertyDecorator =>
  applyDecorators(
    (prototype: object, name: string | symbol) => void columnsOf(prototype).sealed.push(String(name)),
    Column({ type: 'varchar', nullable }),
  );

/** A column for the keyed hash by which a secret is found; `of` is its sealed column. */
export const LookupColumn = (of: string): PropertyDecorator =>
  applyDecorators(
    (prototype: object, name: string | symbol) => void (columnsOf(prototype).lookups[String(name)] = of),
    Index({ unique: true }),
    Column({ type: 'varchar', collation: 'C' }),
  );

function columnsOf(prototype: object): SealedColumns {
  const entity = prototype.constructor as Type;
  const columns = known.get(entity) ?? { sealed: [], lookups: {} };
  known.set(entity, columns);
  return columns;
}
