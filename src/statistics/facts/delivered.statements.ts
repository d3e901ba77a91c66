import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { run, type Bind } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryDay, DeliveryRollup } from './delivery-day.entity.js';
import { DeliveryFact } from './delivery-fact.entity.js';
import type { DeliveryRange } from './delivery-range.rules.js';

/** A table with what was delivered in a part of a range. */
interface DeliveredPart {
  table: string;
  /** Begins `start` for days and `hour` for facts: the beginning of a row `f`. */
  time: 'start' | 'hour';
  /** That a row `f` is in this part. */
  condition: string;
}

/** The parts of a range, which have no row in common and together all, and a common table expression that they need. */
export interface DeliveredSpend {
  parts: DeliveredPart[];
  /** Without parentheses and WITH. */
  rollup: string;
}

/**
 * Where to read what an account delivered in a range: whole local days that are rolled up are rows of `delivery_days`,
 * everything else is facts. The statement itself finds out which days are, so a roll-up beside it neither loses nor
 * doubles anything. `account`: the placeholder of its id.
 */
export function deliveredIn(
  db: EntityManager,
  { start, end, days }: DeliveryRange,
  account: string,
  bind: Bind,
): DeliveredSpend {
  const at = (time: string) => `${bind(time)}::timestamptz`;
  const facts = tableOf(db, DeliveryFact).table;
  const factsIn = (from: string, to: string): DeliveredPart => ({
    table: facts,
    time: 'hour',
    condition: `f.hour >= ${from} AND f.hour < ${to}`,
  });
  if (!days) return { parts: [factsIn(at(start), at(end))], rollup: 'rollup AS (SELECT true)' };
  const [first, last] = [at(days.start), at(days.end)];
  const cut = '(SELECT cut FROM rollup)';
  return {
    parts: [
      ...(start < days.start ? [factsIn(at(start), first)] : []),
      {
        table: tableOf(db, DeliveryDay).table,
        time: 'start',
        // by the last bound PostgreSQL estimates the number of rows
        condition: `f.start >= ${first} AND f.start < ${cut} AND f.start < ${last}`,
      },
      factsIn(cut, at(end)),
    ],
    rollup: `rollup AS MATERIALIZED (SELECT GREATEST(${first}, LEAST(${last}, COALESCE((SELECT r.until
      FROM ${tableOf(db, DeliveryRollup).table} r WHERE r."accountId" = ${account}), ${first}))) AS cut)`,
  };
}

/** Which of these accounts have facts. */
export async function servedAmong(db: EntityManager, accountIds: readonly string[]): Promise<Set<string>> {
  const found = await run<{ id: string }>(db, {
    text: `SELECT a.id FROM ${tableOf(db, Account).table} a WHERE a.id = ANY($1)
      AND EXISTS (SELECT FROM ${tableOf(db, DeliveryFact).table} f WHERE f."accountId" = a.id)`,
    values: [accountIds],
  });
  return new Set(found.map(({ id }) => id));
}
