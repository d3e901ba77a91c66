import type { EntityManager } from 'typeorm';
import { DirectoryIdentifier, DirectoryUser } from '../../audiences/directory/directory.entity.js';
import { IDENTIFIER_KINDS } from '../../audiences/entities/audience-identifier.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import type { Row } from '../../common/db/query/rows.js';
import { binding, run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import {
  AppEventKey,
  Conversion,
  ConversionToMatch,
  CONVERSION_IDENTIFIERS,
  DEDUPLICATION_MS,
  DIRECTORY_IDENTIFIERS,
  MATCHED_BY,
} from '../conversions/conversion.entity.js';
import { Engagement } from '../entities/engagement.entity.js';
import { ConversionFact, MAX_AMOUNT, MAX_ITEMS, type FactType } from '../entities/conversion-fact.entity.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';
import { CURRENCY_RATES } from './currency-rates.js';

/** The next conversions of all accounts that nobody matches, locked until the end of the transaction. */
export async function claimConversions(tx: EntityManager, limit: number): Promise<string[]> {
  const claimed = await run<{ id: string }>(
    tx,
    {
      text: `SELECT id FROM ${tableOf(tx, ConversionToMatch).table} ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED ${OF_ALL_ACCOUNTS}`,
      values: [limit],
    },
    { planned: 'each time' },
  );
  return claimed.map(({ id }) => id);
}

/** How many conversions were matched by an identifier; null for those that were not. */
export interface MatchedCount {
  matchedBy: number | null;
  count: number;
}

const byteOf = (identifier: (typeof CONVERSION_IDENTIFIERS)[number]) => CONVERSION_IDENTIFIERS.indexOf(identifier);
const rankOf = (identifier: (typeof MATCHED_BY)[number]) => MATCHED_BY.indexOf(identifier);

const FACT_KEY = [
  'accountId',
  'lineItemId',
  'hour',
  'placement',
  'promotedId',
  'audienceId',
  'tagId',
  'type',
  'isClick',
];

/**
 * Attributes these conversions, which the transaction has claimed, and adds them to the sums of the hours of their engagements.
 * Each is attributed once: who claims it deletes its row. Sums are locked in the order of their keys.
 */
export function attribute(tx: EntityManager, ids: readonly string[]): Promise<MatchedCount[]> {
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(tx, entity).table;
  const { bind, values } = binding();
  const claimed = `${bind(ids)}::varchar[] COLLATE "C"`;
  // PostgreSQL finds the partitions by the range, not by the ids
  const [first, last] = [bind(ids[0]), bind(ids[ids.length - 1])];
  const [codes, rates] = [bind(Object.keys(CURRENCY_RATES)), bind(Object.values(CURRENCY_RATES))];
  const directory = DIRECTORY_IDENTIFIERS.map(
    ({ identifier, kind }) => `SELECT k.id, ${rankOf(identifier)} AS rank, u."userId" FROM keys k
      JOIN ${table(DirectoryIdentifier)} i ON i.kind = ${IDENTIFIER_KINDS.indexOf(kind)} AND i.hash = k.hash
      JOIN ${table(DirectoryUser)} u ON u.number = i.number WHERE k.kind = ${byteOf(identifier)}`,
  );
  const lastOf = (isClick: boolean, window: string) =>
    `(SELECT e.* FROM ${table(Engagement)} e WHERE e."userId" = p."userId" AND e."accountId" = g."accountId" AND e."isClick" = ${isClick}
      AND e.at <= g."convertedAt" AND e.at >= g."convertedAt" - g."${window}" * interval '24 hours' AND g."${window}" > 0
      AND (e."isForWebsite" OR e."tagId" = g."tagId") ORDER BY e.at DESC, e.id DESC LIMIT 1)`;
  const key = FACT_KEY.map((name) => `"${name}"`).join(', ');
  const text = `WITH claimed AS MATERIALIZED (
      DELETE FROM ${table(ConversionToMatch)} WHERE id = ANY(${claimed}) RETURNING id, visitor, "receivedAt", "isAgain"),
    given AS MATERIALIZED (
      SELECT c.id, c."accountId", c."tagId", c."convertedAt", c."valueMicro", c.currency, c."numberItems", c.identifiers, q.visitor,
        q."receivedAt", t.type, t."clickWindow", t."viewThroughWindow"
      FROM claimed q JOIN ${table(Conversion)} c ON c.id = q.id AND c.id >= ${first} AND c.id <= ${last}
        JOIN ${table(WebEventTag)} t ON t."accountId" = c."accountId" AND t.id = c."tagId"
      WHERE c."lineItemId" IS NULL),
    keys AS MATERIALIZED (
      SELECT g.id, g."accountId", get_byte(k.key, 0) AS kind, substring(k.key FROM 2) AS hash
      FROM given g CROSS JOIN LATERAL unnest(g.identifiers) AS k (key)),
    people AS MATERIALIZED (
      SELECT DISTINCT id, rank, "userId" FROM (SELECT k.id, ${rankOf('twclid')} AS rank, e."userId" FROM keys k
        JOIN ${table(Engagement)} e ON e."accountId" = k."accountId" AND e."twclidHash" = k.hash WHERE k.kind = ${byteOf('twclid')}
      UNION ALL ${directory.join(' UNION ALL ')}
      UNION ALL SELECT g.id, ${rankOf('ip_address')}, v."userId" FROM given g CROSS JOIN LATERAL (
        SELECT e."userId" FROM ${table(Engagement)} e WHERE e."accountId" = g."accountId" AND e."visitorHash" = g.visitor
          AND e.at <= g."convertedAt" ORDER BY e.at DESC, e.id DESC LIMIT 1) v
      WHERE g.visitor IS NOT NULL) p),
    found AS MATERIALIZED (
      SELECT DISTINCT ON (g.id) g.*, p.rank, e.at, e."isClick", e."lineItemId", e.placement, e."promotedId", e."promotedKind",
        e."audienceId", e.currency AS "ownCurrency"
      FROM people p JOIN given g ON g.id = p.id
        CROSS JOIN LATERAL (${lastOf(true, 'clickWindow')} UNION ALL ${lastOf(false, 'viewThroughWindow')}) e
      ORDER BY g.id, p.rank, e."isClick" DESC, e.at DESC, e.id DESC),
    marked AS (
      UPDATE ${table(Conversion)} c SET "lineItemId" = f."lineItemId", "matchedBy" = f.rank, "isAfterClick" = f."isClick", "engagedAt" = f.at
      FROM found f WHERE c.id = f.id AND c.id >= ${first} AND c.id <= ${last} RETURNING 1),
    rates AS MATERIALIZED (SELECT * FROM unnest(${codes}::varchar[], ${rates}::numeric[]) AS r (code, rate)),
    added AS (
      INSERT INTO ${table(ConversionFact)} AS s (${key}, "promotedKind", conversions, items, amount, "recordedAt")
      SELECT f."accountId", f."lineItemId", date_trunc('hour', f.at, 'UTC'), f.placement, f."promotedId", f."audienceId", f."tagId",
        f.type, f."isClick", min(f."promotedKind"), count(*)::int, LEAST(sum(COALESCE(f."numberItems", 0)), ${MAX_ITEMS})::bigint,
        LEAST(sum(${inOwnCurrency}), ${MAX_AMOUNT})::bigint, max(f."receivedAt")
      FROM found f LEFT JOIN rates given ON given.code = f.currency LEFT JOIN rates own ON own.code = f."ownCurrency"
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
      ON CONFLICT (${key}) DO UPDATE SET conversions = s.conversions + EXCLUDED.conversions,
        items = LEAST(s.items + EXCLUDED.items, ${MAX_ITEMS}), amount = LEAST(s.amount + EXCLUDED.amount, ${MAX_AMOUNT}),
        "recordedAt" = GREATEST(s."recordedAt", EXCLUDED."recordedAt") RETURNING 1)
    SELECT f.rank AS "matchedBy", count(*)::int AS count FROM claimed q LEFT JOIN found f ON f.id = q.id
      WHERE f.id IS NOT NULL OR NOT q."isAgain" GROUP BY 1 ${OF_ALL_ACCOUNTS}`;
  return run<MatchedCount>(tx, { text, values }, { planned: 'each time' });
}

/** The value of a conversion `f`, rounded to a millionth, half of one up; 0 if it has none or the table has no rate. */
const inOwnCurrency = `CASE WHEN f."valueMicro" IS NULL THEN 0 WHEN f.currency = f."ownCurrency" THEN f."valueMicro"
  ELSE COALESCE(div(2 * f."valueMicro"::numeric * given.rate + own.rate, 2 * own.rate), 0) END`;

/** The conversions that wait, up to a number, and the first of them. */
export async function waitingConversions(
  db: EntityManager,
  max: number,
): Promise<{ count: number; first: string | null }> {
  const { table } = tableOf(db, ConversionToMatch);
  const [waiting] = await run<{ count: number; first: string | null }>(db, {
    text: `SELECT (SELECT count(*)::int FROM (SELECT FROM ${table} LIMIT $1) q) AS count, (SELECT min(id) FROM ${table}) AS first ${OF_ALL_ACCOUNTS}`,
    values: [max],
  });
  return waiting;
}

/** An event that is attributed to an engagement when it arrives. */
export interface AttributedEvent {
  engagement: Row<Engagement>;
  tagId: string;
  type: FactType;
  items: number;
  /** In micro-units of the currency of the line item. */
  amount: number;
  /** By the clock of the account. */
  receivedAt: string;
  /** Its AppEventKey, in hexadecimal, and when that arrived. */
  key: string;
  at: string;
}

/** Adds an event to the sums of the hour of its engagement, unless it is a duplicate: the unique key decides. */
export async function addAttributed(db: EntityManager, event: AttributedEvent): Promise<void> {
  const { accountId, lineItemId, at, placement, promotedId, audienceId, isClick, promotedKind } = event.engagement;
  const key = FACT_KEY.map((name) => `"${name}"`).join(', ');
  await run(
    db,
    {
      text: `WITH fresh AS (
          INSERT INTO ${tableOf(db, AppEventKey).table} AS k (key, at) VALUES (decode($14, 'hex'), $15::timestamptz)
          ON CONFLICT (key) DO UPDATE SET at = EXCLUDED.at WHERE k.at <= EXCLUDED.at - $16::int * interval '1 millisecond'
          RETURNING 1)
        INSERT INTO ${tableOf(db, ConversionFact).table} AS s (${key}, "promotedKind", conversions, items, amount, "recordedAt")
        SELECT $1, $2, date_trunc('hour', $3::timestamptz, 'UTC'), $4, $5, $6, $7, $8, $9::boolean, $10, 1, $11::bigint, $12::bigint,
          $13::timestamptz FROM fresh
        ON CONFLICT (${key}) DO UPDATE SET conversions = s.conversions + 1,
          items = LEAST(s.items + EXCLUDED.items, ${MAX_ITEMS}), amount = LEAST(s.amount + EXCLUDED.amount, ${MAX_AMOUNT}),
          "recordedAt" = GREATEST(s."recordedAt", EXCLUDED."recordedAt")`,
      values: [
        ...[
          accountId,
          lineItemId,
          at,
          placement,
          promotedId,
          audienceId,
          event.tagId,
          event.type,
          isClick,
          promotedKind,
        ],
        ...[event.items, event.amount, event.receivedAt, event.key, event.at, DEDUPLICATION_MS],
      ],
    },
    { lockKey: accountId },
  );
}

/** A value in another currency, rounded to a millionth; 0 if the table has no rate. As `inOwnCurrency` has it. */
export function inCurrency(valueMicro: number, from: string, to: string): number {
  if (from === to) return valueMicro;
  const [given, own] = [CURRENCY_RATES[from], CURRENCY_RATES[to]];
  if (given === undefined || own === undefined) return 0;
  const value = (2n * BigInt(valueMicro) * BigInt(given) + BigInt(own)) / (2n * BigInt(own));
  return value > BigInt(MAX_AMOUNT) ? MAX_AMOUNT : Number(value);
}
