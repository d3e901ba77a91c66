import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import type { SealedColumns } from './sealed-columns.js';

/** The id of a row with its sealed secrets or their hashes; null where a secret is absent. */
export type SealedRow = Record<string, string | null> & { id: string };

/** Some rows, by id, with a secret that is sealed with another key; all their sealed columns. */
export const rowsSealedOtherwise = (
  db: EntityManager,
  entity: Type,
  sealed: string[],
  { keyId, limit }: { keyId: string; limit: number },
): Promise<SealedRow[]> =>
  run<SealedRow>(
    db,
    {
      text: `SELECT id, ${sealed.map(quoteIdentifier).join(', ')} FROM ${tableOf(db, entity).table}
        WHERE ${sealed.map((column) => `${quoteIdentifier(column)} NOT LIKE $1`).join(' OR ')} ORDER BY id LIMIT ${limit}`,
      values: [`${keyId}.%`],
    },
    { large: true },
  );

/**
 * Replaces the secrets and hashes of rows by those in `next`, except for rows whose secrets differ from `before` by now.
 * Both lists have the same rows in the same order.
 */
export async function replaceSealed(
  db: EntityManager,
  entity: Type,
  { sealed, lookups }: SealedColumns,
  before: readonly SealedRow[],
  next: readonly SealedRow[],
): Promise<void> {
  const columns = [...sealed, ...Object.keys(lookups)];
  const was = (column: string) => `was_${column}`;
  const given = next.map((row, i) => ({
    ...row,
    ...Object.fromEntries(sealed.map((column) => [was(column), before[i][column]])),
  }));
  const typed = ['id', ...columns, ...sealed.map(was)].map((column) => `${quoteIdentifier(column)} varchar`);
  const set = columns.map((column) => `${quoteIdentifier(column)} = n.${quoteIdentifier(column)}`);
  const unchanged = sealed.map(
    (column) => `r.${quoteIdentifier(column)} IS NOT DISTINCT FROM n.${quoteIdentifier(was(column))}`,
  );
  await run(db, {
    text: `UPDATE ${tableOf(db, entity).table} r SET ${set.join(', ')}
      FROM json_to_recordset($1::json) AS n (${typed.join(', ')}) WHERE r.id = n.id AND ${unchanged.join(' AND ')}`,
    values: [JSON.stringify(given)],
  });
}
