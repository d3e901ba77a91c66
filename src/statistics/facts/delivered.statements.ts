import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
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

/** What the line items of an account were charged in a range on all placements, in micro-units by a column of theirs. */
export async function chargedIn(
  { id, db, freshness }: AccountReader,
  column: 'campaignId' | 'currency' | 'id',
  range: DeliveryRange,
): Promise<Map<string, number>> {
  const { bind, values } = binding();
  const account = bind(id);
  const { parts, rollup } = deliveredIn(db, range, account, bind);
  const delivered = parts.map(
    ({ table, condition }) => `SELECT f."lineItemId", f."billedChargeLocalMicro" AS charge FROM ${table} f
      WHERE f."accountId" = ${account} AND ${condition}`,
  );
  // an array, or PostgreSQL may read all line items in the order of their ids
  const found = await run<{ key: string; charge: number }>(
    db,
    {
      text: `WITH ${rollup}, charged AS MATERIALIZED (SELECT f."lineItemId", sum(f.charge) AS charge
          FROM (${delivered.join(' UNION ALL ')}) f GROUP BY 1)
        SELECT i."${column}" AS key, sum(c.charge)::int8 AS charge FROM ${tableOf(db, LineItem).table} i JOIN charged c ON c."lineItemId" = i.id
        WHERE i."accountId" = ${account} AND i.id = ANY(ARRAY(SELECT "lineItemId" FROM charged)) GROUP BY 1`,
      values,
    },
    { large: true, planned: 'each time', ...(freshness && { freshness }) },
  );
  return new Map(found.map(({ key, charge }) => [key, charge]));
}
