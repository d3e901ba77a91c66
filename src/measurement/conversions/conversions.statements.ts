import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { Engagement } from '../entities/engagement.entity.js';
import { WebAudience } from '../entities/web-audience.entity.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';
import {
  Conversion,
  ConversionDay,
  ConversionKey,
  ConversionToMatch,
  DEDUPLICATION_MS,
  WITHIN_CONVERSION_QUOTA,
} from './conversion.entity.js';

/** A conversion that is stored unless it is a duplicate. */
export interface NewConversion {
  id: string;
  tagId: string | null;
  eventName: string | null;
  convertedAt: string;
  valueMicro: number | null;
  currency: string | null;
  numberItems: number | null;
  conversionId: string | null;
  /** As JSON. */
  details: string | null;
  /** In hexadecimal. */
  identifiers: readonly string[];
  /** The hash of the address and the agent of the visitor, in hexadecimal. */
  visitor: string | null;
  /** The first half of the SHA-256 of the `conversionId`, in hexadecimal; null without a tag. */
  key: string | null;
}

/** The columns of a new row with their types in a statement. */
const COLUMNS: [keyof NewConversion, string][] = [
  ['id', 'text'],
  ['tagId', 'text'],
  ['eventName', 'text'],
  ['convertedAt', 'timestamptz'],
  ['valueMicro', 'bigint'],
  ['currency', 'text'],
  ['numberItems', 'int'],
  ['conversionId', 'text'],
  ['details', 'json'],
  ['identifiers', 'text'],
  ['visitor', 'text'],
  ['key', 'text'],
];
const STORED = COLUMNS.slice(0, 9).map(([name]) => `"${name}"`);

/** How many conversions an account may store, and the days that count: today, and those before that are kept. */
export interface ConversionQuota {
  max: number;
  /** In days since 1970. */
  today: number;
  daysKept: number;
}

/**
 * SQL that counts the stored conversions in their day. Those beyond the quota become -1, which a constraint rejects: the
 * statement fails and stores nothing. Comes last, so that the row is locked for a short time.
 */
function countStored(
  db: EntityManager,
  account: string,
  { max, today, daysKept }: ConversionQuota,
  bind: Bind,
): string {
  const { table } = tableOf(db, ConversionDay);
  const [day, most] = [`${bind(today)}::int`, `${bind(max)}::bigint`];
  const others = `(SELECT coalesce(sum(o.stored), 0) FROM ${table} o
      WHERE o."accountId" = ${account} AND o.day > ${day} - ${bind(daysKept)}::int AND o.day <> ${day})`;
  return `INSERT INTO ${table} AS d ("accountId", day, stored)
      SELECT ${account}, ${day}, CASE WHEN n.by + ${others} <= ${most} THEN n.by ELSE -1 END
      FROM (SELECT count(*)::int AS by FROM stored) n WHERE n.by > 0
      ON CONFLICT ("accountId", day) DO UPDATE SET stored =
        CASE WHEN EXCLUDED.stored >= 0 AND d.stored + EXCLUDED.stored + ${others} <= ${most} THEN d.stored + EXCLUDED.stored ELSE -1 END`;
}

/** Whether a statement failed because an account would store more conversions than it may. */
export const isConversionQuotaExceeded = (error: unknown): boolean =>
  sqlStateOf(error).constraint === WITHIN_CONVERSION_QUOTA;

/** How many conversions an account stores that count in its quota. */
export async function countedConversions(
  db: EntityManager,
  accountId: string,
  { today, daysKept }: Pick<ConversionQuota, 'today' | 'daysKept'>,
): Promise<number> {
  const [{ used }] = await run<{ used: number }>(db, {
    text: `SELECT coalesce(sum(stored), 0)::int8 AS used FROM ${tableOf(db, ConversionDay).table} WHERE "accountId" = $1 AND day > $2`,
    values: [accountId, today - daysKept],
  });
  return used;
}

/** Deletes the counts of days before this one. */
export const deleteOldDays = (db: EntityManager, before: number): Promise<unknown> =>
  run(db, {
    text: `DELETE FROM ${tableOf(db, ConversionDay).table} WHERE day < $1 ${OF_ALL_ACCOUNTS}`,
    values: [before],
  });

/** The text of an array of bytes. */
const bytesArray = (hex: readonly string[]): string => `{${hex.map((each) => `"\\\\x${each}"`).join(',')}}`;

/**
 * Stores conversions in one statement, and returns how many were no duplicates. The unique key decides, so that of equal ones
 * in several requests at a time one is stored. Keys are in order: requests with the same keys do not wait for each other in a
 * circle.
 */
export async function storeConversions(
  db: EntityManager,
  accountId: string,
  conversions: readonly NewConversion[],
  now: string,
  quota: ConversionQuota,
): Promise<number> {
  const { bind, values } = binding();
  const given = COLUMNS.map(([name, type]) => {
    const column = conversions.map((each) => (name === 'identifiers' ? bytesArray(each.identifiers) : each[name]));
    return `${bind(column)}::${type}[]`;
  });
  const [account, at] = [`${bind(accountId)}::text`, `${bind(now)}::timestamptz`];
  const keys = tableOf(db, ConversionKey).table;
  // in both directions: a test clock that was ahead may be deleted
  const window = `${bind(DEDUPLICATION_MS)}::int * interval '1 millisecond'`;
  const names = COLUMNS.map(([name]) => `"${name}"`).join(', ');
  const text = `WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${given.join(', ')}) WITH ORDINALITY AS g (${names}, place)),
    fresh AS (
      INSERT INTO ${keys} AS k ("accountId", "tagId", key, "at", "firstId", duplicates, "duplicateAt")
      SELECT ${account}, g."tagId", decode(g.key, 'hex'), ${at}, g.id, g.others, CASE WHEN g.others > 0 THEN ${at} END
      FROM (SELECT DISTINCT ON ("tagId", key) "tagId", key, id, count(*) OVER (PARTITION BY "tagId", key) - 1 AS others
        FROM given WHERE key IS NOT NULL ORDER BY "tagId", key, place) g ORDER BY 2, 3
      ON CONFLICT ("accountId", "tagId", key) DO UPDATE SET "at" = EXCLUDED."at", "firstId" = EXCLUDED."firstId",
        duplicates = EXCLUDED.duplicates, "duplicateAt" = EXCLUDED."duplicateAt"
        WHERE k."at" <= EXCLUDED."at" - ${window} OR k."at" >= EXCLUDED."at" + ${window}
      RETURNING "tagId", encode(key, 'hex') AS key),
    chosen AS (
      SELECT g.*, row_number() OVER (PARTITION BY g."tagId", g.key ORDER BY g.place) AS nth, f.key IS NOT NULL AS "isFresh"
      FROM given g LEFT JOIN fresh f ON f."tagId" = g."tagId" AND f.key = g.key),
    repeated AS (
      UPDATE ${keys} k SET duplicates = k.duplicates + n.others, "duplicateAt" = ${at}
      FROM (SELECT "tagId", key, count(*)::int AS others FROM chosen WHERE key IS NOT NULL AND NOT "isFresh" GROUP BY 1, 2) n
      WHERE k."accountId" = ${account} AND k."tagId" = n."tagId" AND k.key = decode(n.key, 'hex')),
    stored AS (
      INSERT INTO ${tableOf(db, Conversion).table} ("accountId", ${STORED.join(', ')}, identifiers)
      SELECT ${account}, ${STORED.map((name) => `c.${name}`).join(', ')}, c.identifiers::bytea[]
      FROM chosen c WHERE c.key IS NULL OR (c."isFresh" AND c.nth = 1)
      RETURNING id, "tagId"),
    queued AS (
      INSERT INTO ${tableOf(db, ConversionToMatch).table} (id, "accountId", visitor, "receivedAt")
      SELECT s.id, ${account}, decode(g.visitor, 'hex'), ${at} FROM stored s JOIN given g ON g.id = s.id WHERE s."tagId" IS NOT NULL),
    counted AS (${countStored(db, account, quota, bind)})
    SELECT count(*)::int AS stored FROM stored`;
  const [{ stored }] = await run<{ stored: number }>(db, { text, values }, { lockKey: accountId });
  return stored;
}

/**
 * Notes the time of the last conversion of tags, unless it is a little later already, and that their audiences have new visitors.
 * The time goes back where a test clock was ahead and is gone.
 */
export async function noteTracked(
  db: EntityManager,
  accountId: string,
  tagIds: readonly string[],
  { now, serviceTime }: { now: string; serviceTime: string },
): Promise<void> {
  const { table } = tableOf(db, WebEventTag);
  await run(
    db,
    {
      text: `WITH visited AS (
          INSERT INTO ${tableOf(db, WebAudience).table} AS w ("accountId", "tagId", "fedUntil", "visitAt")
          SELECT "accountId", id, to_timestamp(0), $4::timestamptz FROM ${table}
          WHERE "accountId" = $1 AND id = ANY($2::text[]) AND "retargetingEnabled" AND "deletedAt" IS NULL ORDER BY id
          ON CONFLICT ("accountId", "tagId") DO UPDATE SET "visitAt" = LEAST(w."visitAt", EXCLUDED."visitAt"))
        UPDATE ${table} SET "lastTrackedAt" = $3::timestamptz,
          "firstTrackedAt" = LEAST("firstTrackedAt", $3::timestamptz)
        WHERE "accountId" = $1 AND id = ANY($2::text[])
          AND ("lastTrackedAt" IS NULL OR "lastTrackedAt" NOT BETWEEN $3::timestamptz AND $3::timestamptz + interval '1 minute')`,
      values: [accountId, [...tagIds], now, serviceTime],
    },
    { lockKey: accountId },
  );
}

/**
 * Deletes at most `limit` keys that are older than this, also by the test clock of their account if it has one; returns
 * their number.
 */
export async function deleteOldKeys(db: EntityManager, before: string, limit: number): Promise<number> {
  const { table } = tableOf(db, ConversionKey);
  const counts = `"frozenTime" - ${DEDUPLICATION_MS} * interval '1 millisecond' < k."at"`;
  const gone = await run(db, {
    text: `WITH old AS MATERIALIZED (
        SELECT k."accountId", k."tagId", k.key FROM ${table} k
        WHERE k."at" < $1 AND NOT EXISTS (SELECT FROM ${tableOf(db, Account).table} WHERE id = k."accountId" AND ${counts})
        ORDER BY k."at" LIMIT ${limit} FOR UPDATE OF k SKIP LOCKED)
      DELETE FROM ${table} k USING old o
      WHERE k."accountId" = o."accountId" AND k."tagId" = o."tagId" AND k.key = o.key RETURNING 1 ${OF_ALL_ACCOUNTS}`,
    values: [before],
  });
  return gone.length;
}

/** Deletes at most `limit` conversions of an account; returns their number. */
export async function deleteOfAccount(db: EntityManager, accountId: string, limit: number): Promise<number> {
  const { table } = tableOf(db, Conversion);
  const gone = await run(db, {
    text: `WITH chosen AS MATERIALIZED (SELECT id FROM ${table} WHERE "accountId" = $1 ORDER BY id LIMIT ${limit})
      DELETE FROM ${table} c USING chosen WHERE c."accountId" = $1 AND c.id = chosen.id RETURNING 1`,
    values: [accountId],
  });
  return gone.length;
}

/** Deletes at most `limit` keys of an account; returns their number. */
export async function deleteKeysOfAccount(db: EntityManager, accountId: string, limit: number): Promise<number> {
  const { table } = tableOf(db, ConversionKey);
  const gone = await run(db, {
    text: `WITH chosen AS MATERIALIZED (SELECT "tagId", key FROM ${table} WHERE "accountId" = $1 LIMIT ${limit})
      DELETE FROM ${table} k USING chosen c WHERE k."accountId" = $1 AND k."tagId" = c."tagId" AND k.key = c.key RETURNING 1`,
    values: [accountId],
  });
  return gone.length;
}

/** Deletes the counts of an account. */
export const deleteDaysOfAccount = (db: EntityManager, accountId: string): Promise<unknown> =>
  run(db, { text: `DELETE FROM ${tableOf(db, ConversionDay).table} WHERE "accountId" = $1`, values: [accountId] });

/** Deletes at most `limit` conversions of an account that wait; returns their number. */
export async function deleteWaitingOfAccount(db: EntityManager, accountId: string, limit: number): Promise<number> {
  const { table } = tableOf(db, ConversionToMatch);
  const gone = await run(db, {
    text: `WITH chosen AS MATERIALIZED (SELECT id FROM ${table} WHERE "accountId" = $1 LIMIT ${limit})
      DELETE FROM ${table} q USING chosen c WHERE q."accountId" = $1 AND q.id = c.id RETURNING 1`,
    values: [accountId],
  });
  return gone.length;
}

/** Number of conversions that one statement looks at. */
const LOOKED_AT = 20_000;

/**
 * Removes what identifies a person, among the next conversions after a position: those with any of the identifiers, in
 * hexadecimal, or with the click id of a click of the user. Returns the last conversion looked at; null after the last of
 * all. An index over identifiers would cost every conversion more than it saves here.
 */
export async function forgetPerson(
  db: EntityManager,
  after: string,
  { userId, identifiers }: { userId: string; identifiers: readonly string[] },
): Promise<string | null> {
  const { table } = tableOf(db, Conversion);
  const [{ last, seen }] = await run<{ last: string | null; seen: number }>(
    db,
    {
      text: `WITH slice AS MATERIALIZED (SELECT id, identifiers FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${LOOKED_AT}),
        cleared AS (
          UPDATE ${table} c SET identifiers = '{}', "conversionId" = NULL, details = NULL
          FROM slice s WHERE c.id = s.id AND c.id > $1 AND c.id <= (SELECT max(id) FROM slice) AND (s.identifiers && $2::text::bytea[] OR EXISTS (
            SELECT FROM unnest(s.identifiers) i WHERE substring(i FROM 2) IN (
              SELECT e."twclidHash" FROM ${tableOf(db, Engagement).table} e WHERE e."userId" = $3 AND e."twclidHash" IS NOT NULL)))
          RETURNING 1)
        SELECT max(id) AS last, count(*)::int AS seen, (SELECT count(*) FROM cleared) FROM slice ${OF_ALL_ACCOUNTS}`,
      values: [after, bytesArray(identifiers), userId],
    },
    { planned: 'each time' },
  );
  return seen === LOOKED_AT ? last : null;
}
