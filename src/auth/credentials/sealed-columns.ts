import { applyDecorators, type Type } from '@nestjs/common';
import { Column, Index } from 'typeorm';

/** What has to be written anew when the master key changes. */
export interface SealedColumns {
  /** Columns that hold secrets sealed by the Vault. */
  sealed: string[];
  /** Columns that hold the keyed hash of a secret, and the sealed column that holds the secret itself. */
  lookups: Record<string, string>;
}

const known = new Map<Type, SealedColumns>();

/** Every entity with such columns; they make themselves known by being loaded. */
export const sealedEntities = (): ReadonlyMap<Type, SealedColumns> => known;

/** A secret that has to be read again, sealed by the Vault. */
export const SealedColumn = ({ nullable = false } = {}): PropertyDecorator =>
  applyDecorators(
    (prototype: object, name: string | symbol) => void columnsOf(prototype).sealed.push(String(name)),
    Column({ type: 'varchar', nullable }),
  );

/** The keyed hash by which a secret is found; `of` is the column that holds the secret sealed. */
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
