import type { EntityManager } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import type { Row } from '../../common/db/query/rows.js';
import { binding, run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Write } from '../../common/db/query/write.js';
import {
  deleteStored,
  deleteStoredBefore,
  deleteStoredOf,
  type StoredRows,
} from '../../common/storage/delete-stored.js';
import { DirectorySample } from '../../audiences/directory/directory.entity.js';
import { Conversion, ConversionToMatch } from '../conversions/conversion.entity.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';
import { Engagement } from '../entities/engagement.entity.js';

/** What the web event tags of an account say about it. */
export interface Measured {
  /** Whether it has one. */
  hasTags: boolean;
  /** When it received the first conversion of any of them; null before. */
  since: string | null;
}

export async function measured(db: EntityManager, accountId: string): Promise<Measured> {
  const [found] = await run<Measured>(db, {
    text: `SELECT COALESCE(bool_or("deletedAt" IS NULL), false) AS "hasTags", min(COALESCE("firstTrackedAt", "lastTrackedAt")) AS since
      FROM ${tableOf(db, WebEventTag).table} WHERE "accountId" = $1`,
    values: [accountId],
  });
  return found;
}

/**
 * So many users of the directory from a place on, and again from the first one. The places of a sample are random, so that
 * these are too.
 */
export async function usersFrom(db: EntityManager, place: bigint, count: number): Promise<string[]> {
  const { table } = tableOf(db, DirectorySample);
  const from = (sign: string) =>
    `(SELECT key, number, "userId", ${sign === '<'} AS again FROM ${table} WHERE key ${sign} $1::bigint ORDER BY key, number LIMIT $2)`;
  const users = await run<{ userId: string }>(db, {
    text: `SELECT s."userId" FROM (${from('>=')} UNION ALL ${from('<')}) s ORDER BY s.again, s.key, s.number LIMIT $2`,
    values: [String(place), count],
  });
  return users.map(({ userId }) => userId);
}

/** Maximum number of conversions of an account that engagements of an earlier time may still match: the last ones. */
const MATCHED_AGAIN = 10_000;

/**
 * Queues the conversions of an account again that arrived with an id after `arrived`, happened at or after `from` and are not
 * attributed. Each still counts once: who takes it from the queue looks at it again.
 */
export const matchAgain = (
  accountId: string,
  { from, arrived, now }: { from: string; arrived: string; now: Date },
): Write => ({
  sql: (
    db,
    bind,
    when,
  ) => `INSERT INTO ${tableOf(db, ConversionToMatch).table} (id, "accountId", "receivedAt", "isAgain")
    SELECT c.id, c."accountId", ${bind(now.toISOString())}::timestamptz, true FROM (
      SELECT * FROM ${tableOf(db, Conversion).table} WHERE "accountId" = ${bind(accountId)} AND id >= ${bind(arrived)}
      ORDER BY id DESC LIMIT ${MATCHED_AGAIN}) c
    WHERE c."tagId" IS NOT NULL AND c."lineItemId" IS NULL AND c."convertedAt" >= ${bind(from)}::timestamptz AND ${when}
    ORDER BY c.id ON CONFLICT (id) DO NOTHING`,
});

/** Which engagement to find. */
export interface SoughtEngagement {
  userId: string;
  /** The account of the line item; absent for any. */
  accountId?: string;
  /** The time of the conversion. */
  before: Date;
  /** Days before it in which a click counts, and a view; 0 for none. */
  clickWindow: number;
  viewThroughWindow: number;
}

/** The last click of a user in the window before a time, else the last view in the window; undefined without any. */
export async function lastEngagement(
  db: EntityManager,
  { userId, accountId, before, clickWindow, viewThroughWindow }: SoughtEngagement,
): Promise<Row<Engagement> | undefined> {
  const { bind, values } = binding();
  const [user, at] = [bind(userId), `${bind(before.toISOString())}::timestamptz`];
  const ofAccount = accountId === undefined ? '' : `AND e."accountId" = ${bind(accountId)}`;
  const lastOf = (isClick: boolean, days: number) =>
    `(SELECT e.* FROM ${tableOf(db, Engagement).table} e WHERE e."userId" = ${user} ${ofAccount} AND e."isClick" = ${isClick}
      AND e.at <= ${at} AND e.at >= ${at} - ${bind(days)}::int * interval '24 hours' AND ${bind(days > 0)}::boolean
      ORDER BY e.at DESC, e.id DESC LIMIT 1)`;
  const text = `SELECT l.* FROM (${lastOf(true, clickWindow)} UNION ALL ${lastOf(false, viewThroughWindow)}) l
    ORDER BY l."isClick" DESC LIMIT 1 ${OF_ALL_ACCOUNTS}`;
  const [found] = await run<Row<Engagement>>(db, { text, values });
  return found;
}

const ENGAGEMENTS: StoredRows = { entity: Engagement, kind: 'ENGAGEMENTS' };

/** Deletes at most `limit` engagements of all accounts with ids before this one; returns their number. */
export const deleteOldEngagements = (db: EntityManager, before: string, limit: number): Promise<number> =>
  deleteStoredBefore(db, ENGAGEMENTS, before, limit);

/** Deletes at most `limit` engagements of an account; returns their number. */
export const deleteEngagementsOfAccount = (db: EntityManager, accountId: string, limit: number): Promise<number> =>
  deleteStoredOf(db, ENGAGEMENTS, accountId, limit);

/** Deletes at most `limit` engagements of a user with all accounts; returns their number. */
export const deleteEngagementsOfUser = (db: EntityManager, userId: string, limit: number): Promise<number> =>
  deleteStored(db, ENGAGEMENTS, `"userId" = $1 LIMIT ${limit}`, [userId]);
