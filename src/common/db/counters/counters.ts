import type { EntityManager } from 'typeorm';
import { rows, type Row } from '../query/rows.js';
import { sqlStateOf } from '../sqlstate.js';
import type { Write } from '../query/write.js';
import { Counter, WITHIN_LIMIT } from './counter.entity.js';

/** The change of a counter. */
export interface CounterChange {
  ownerId: string;
  kind: string;
  by: number;
  /** The limit of a new counter; never below the maximum increase of one statement. */
  limit: number;
}

const FORM = 'AS d ("ownerId" varchar, kind varchar, by int, "limit" int)';

/**
 * Changes any number of counters at once. A counter that would exceed its limit is set to -1, which its constraint
 * rejects: the whole statement fails and stores nothing (see isLimitReached). Decreases always succeed.
 */
export function changeCounters(changes: readonly CounterChange[]): Write[] {
  const inOrder = changes.toSorted((a, b) => (a.ownerId + a.kind < b.ownerId + b.kind ? -1 : 1));
  const more = inOrder.filter(({ by }) => by > 0);
  const fewer = inOrder.filter(({ by }) => by < 0);
  return [
    {
      empty: more.length === 0,
      sql: (
        _,
        bind,
        when,
      ) => `INSERT INTO counters AS c ("ownerId", kind, value, "limit") SELECT d."ownerId", d.kind, CASE WHEN d.by <= d."limit" THEN d.by ELSE -1 END, d."limit"
        FROM json_to_recordset(${bind(JSON.stringify(more))}) ${FORM} WHERE ${when}
        ON CONFLICT ("ownerId", kind) DO UPDATE SET value = CASE WHEN c.value + EXCLUDED.value <= c."limit" THEN c.value + EXCLUDED.value ELSE -1 END`,
    },
    {
      empty: fewer.length === 0,
      sql: (_, bind, when) => `UPDATE counters c SET value = c.value + d.by
        FROM json_to_recordset(${bind(JSON.stringify(fewer))}) ${FORM} WHERE c."ownerId" = d."ownerId" AND c.kind = d.kind AND ${when}`,
    },
  ];
}

/** Whether a statement failed because a counter would have exceeded its limit. */
export const isLimitReached = (error: unknown): boolean => sqlStateOf(error).constraint === WITHIN_LIMIT;

/** The current counters of these owners. */
export const countersOf = (db: EntityManager, ownerIds: readonly string[]): Promise<Row<Counter>[]> =>
  rows(db, Counter).whereIn('ownerId', ownerIds).getMany();

/** Sets the limit of a counter; creates the counter if needed. */
export const limitCounter = ({ ownerId, kind, limit }: Omit<CounterChange, 'by'>): Write => ({
  sql: (
    _,
    bind,
    when,
  ) => `INSERT INTO counters ("ownerId", kind, value, "limit") SELECT ${bind(ownerId)}, ${bind(kind)}, 0, ${bind(limit)}::int WHERE ${when}
    ON CONFLICT ("ownerId", kind) DO UPDATE SET "limit" = EXCLUDED."limit"`,
});
