import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import type { SealedColumns } from './sealed-columns.js';

/** The id of a row with its sealed secrets or their hashes; null where a secret is absent. */
export type SealedRow = Record<string, string | null> & { id: string };

/** The next rows after an id. */
interface Page {
  /** The id of the last one; absent after the last row of the table. */
  last?: string;
  /** Those with a secret that is sealed with another key, with all their sealed columns. */
  old: SealedRow[];
}

/** The next `limit` rows after an id: no statement looks at more, however many are sealed already. */
export async function pageOfSealed(
  db: EntityManager,
  entity: Type,
  sealed: string[],
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<Page> {
  const isOld = sealed.map((column) => `coalesce(${quoteIdentifier(column)} NOT LIKE $1, false)`).join(' OR ');
  const columns = sealed.map(
    (column) => `CASE WHEN ${isOld} THEN ${quoteIdentifier(column)} END AS ${quoteIdentifier(column)}`,
  );
  const found = await run<SealedRow & { isOld: boolean }>(
    db,
    {
      text: `SELECT id, ${isOld} AS "isOld", ${columns.join(', ')} FROM ${tableOf(db, entity).table}
        WHERE id > $2 ORDER BY id LIMIT ${limit}`,
      values: [`${keyId}.%`, after],
    },
    { large: true },
  );
  return { last: found.at(-1)?.id, old: found.filter((row) => row.isOld) };
}

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
