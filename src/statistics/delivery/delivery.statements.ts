import type { EntityManager } from 'typeorm';
import type { AccountApproval } from '../../accounts/entities/account.entity.js';
import { CRITERIA_ORDER, SET_ID } from '../../campaigns/spending/servable-items.statements.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryAudience } from '../facts/delivery-audience.entity.js';

/** An hour of an account that is to be simulated. */
export interface DueHour {
  accountId: string;
  /** When it begins, as PostgreSQL writes it. */
  hour: string;
}

/** The account of a simulation. */
export interface SimulatedAccount {
  id: string;
  timezone: string;
  approvalStatus: AccountApproval;
  /** An administrator, or another member, in whose name the spend is recorded; null without members. */
  userId: string | null;
}

/** The conditions are those of the index of live line items: an account may have many more that are deleted. */
const ACTIVE = `EXISTS (SELECT FROM line_items l WHERE l."accountId" = a.id AND l."entityStatus" = 'ACTIVE' AND l."deletedAt" IS NULL AND NOT l."campaignDeleted")`;
const hourOf = (time: string) => `date_trunc('hour', ${time}, 'UTC')`;

/** An account in the sandbox; undefined for others and deleted ones. */
export async function simulatedAccount(db: EntityManager, id: string): Promise<SimulatedAccount | undefined> {
  const [account] = await run<SimulatedAccount>(db, {
    text: `SELECT a.id, a.timezone, a."approvalStatus", (SELECT m."userId" FROM account_memberships m WHERE m."accountId" = a.id
          ORDER BY m.role = 'ACCOUNT_ADMIN' DESC, m."userId" LIMIT 1) AS "userId"
      FROM accounts a WHERE a.id = $1 AND a.environment = 'sandbox' AND a."deletedAt" IS NULL`,
    values: [id],
  });
  return account;
}

/**
 * The hours of accounts with a test clock that end until a time. An account without active line items has only the last
 * one, which moves its position.
 */
const FROZEN_HOURS = `FROM (SELECT a.id, ${ACTIVE} AS active, ${hourOf('a."frozenTime"')} AS first, p.hour
      FROM accounts a LEFT JOIN delivery_positions p ON p."accountId" = a.id AND p."accountId" = ANY($1)
      WHERE a.id = ANY($1) AND a."deletedAt" IS NULL) s
    CROSS JOIN LATERAL (SELECT COALESCE(GREATEST(s.hour, s.first - interval '1 hour'), s.first) AS begin,
      ${hourOf('$2::timestamptz')} - interval '1 hour' AS last) r
    CROSS JOIN LATERAL generate_series(CASE WHEN s.active THEN r.begin ELSE r.last END, r.last, interval '1 hour') AS h (hour)
    WHERE h.hour >= r.begin`;

/** The next hours of these accounts that end until a time, earliest first. */
export const dueHours = (
  db: EntityManager,
  accountIds: readonly string[],
  until: string,
  limit: number,
): Promise<DueHour[]> =>
  run<DueHour>(db, {
    text: `SELECT s.id AS "accountId", h.hour ${FROZEN_HOURS} ORDER BY h.hour, s.id LIMIT $3`,
    values: [accountIds, until, limit],
  });

/** The number of hours of these accounts that end until a time. */
export async function countDueHours(db: EntityManager, accountIds: readonly string[], until: string): Promise<number> {
  const [{ hours }] = await run<{ hours: number }>(db, {
    text: `SELECT count(*)::int AS hours ${FROZEN_HOURS}`,
    values: [accountIds, until],
  });
  return hours;
}

/**
 * Moves the positions of sandbox accounts without a test clock: to this hour if they have none, nothing active or one in
 * the future, and to `earliest` if they are older. Only what moves is locked: another replica may hold the others while it delivers.
 */
export async function movePositions(db: EntityManager, now: string, earliest: string): Promise<void> {
  await run(db, {
    text: `INSERT INTO delivery_positions AS p ("accountId", hour)
      SELECT a.id, ${hourOf('$1::timestamptz')} FROM accounts a LEFT JOIN delivery_positions d ON d."accountId" = a.id
      WHERE a.environment = 'sandbox' AND a."deletedAt" IS NULL AND a."clockId" IS NULL AND ${ACTIVE}
        AND (d."accountId" IS NULL OR d.hour > ${hourOf('$1::timestamptz')} OR d.hour < $2::timestamptz)
      ON CONFLICT ("accountId") DO UPDATE SET hour = CASE WHEN p.hour > EXCLUDED.hour THEN EXCLUDED.hour
        ELSE ${hourOf('$2::timestamptz')} END
      WHERE p.hour > EXCLUDED.hour OR p.hour < $2::timestamptz ${OF_ALL_ACCOUNTS}`,
    values: [now, earliest],
  });
  await run(db, {
    text: `UPDATE delivery_positions p SET hour = ${hourOf('$1::timestamptz')} FROM accounts a
      WHERE a.id = p."accountId" AND a."clockId" IS NULL AND NOT ${ACTIVE} AND p.hour <> ${hourOf('$1::timestamptz')} ${OF_ALL_ACCOUNTS}`,
    values: [now],
  });
}

/** Accounts that get a test clock deliver from its hour on. A later position is of another clock, or of the time of the service. */
export async function setPositionsBack(db: EntityManager, accountIds: readonly string[], time: string): Promise<void> {
  await run(db, {
    text: `UPDATE delivery_positions SET hour = ${hourOf('$2::timestamptz')}
      WHERE "accountId" = ANY($1) AND hour > $2::timestamptz`,
    values: [accountIds, time],
  });
}

/** The accounts without a test clock after `after` whose next hour has ended, with that hour. */
export const dueAccounts = (db: EntityManager, now: string, after: string, limit: number): Promise<DueHour[]> =>
  run<DueHour>(db, {
    text: `SELECT p."accountId", p.hour FROM delivery_positions p JOIN accounts a ON a.id = p."accountId"
      WHERE p."accountId" > $2 AND p.hour <= $1::timestamptz - interval '1 hour' AND a."clockId" IS NULL AND a."deletedAt" IS NULL
      ORDER BY p."accountId" LIMIT $3 ${OF_ALL_ACCOUNTS}`,
    values: [now, after, limit],
  });

/**
 * Moves the position of an account to the end of an hour; false if it is not before it, if the test clock that the account got
 * meanwhile is before it, or if the account is gone. In a transaction, it locks the account until the end: a reset would not see what is delivered meanwhile.
 */
export async function claimHour(db: EntityManager, accountId: string, end: string): Promise<boolean> {
  const claimed = await run(
    db,
    {
      text: `WITH held AS (SELECT a.id FROM accounts a WHERE a.id = $1 AND a."deletedAt" IS NULL
            AND (a."frozenTime" IS NULL OR a."frozenTime" >= $2::timestamptz) FOR KEY SHARE)
        INSERT INTO delivery_positions AS p ("accountId", hour) SELECT h.id, $2::timestamptz FROM held h
        ON CONFLICT ("accountId") DO UPDATE SET hour = EXCLUDED.hour WHERE p.hour < EXCLUDED.hour RETURNING 1`,
      values: [accountId, end],
    },
    { lockKey: accountId },
  );
  return claimed.length > 0;
}

/** The size of an audience. */
type AudienceSize = Pick<Row<DeliveryAudience>, 'id' | 'users' | 'estimatedAt'>;

/** The stored ones of these audiences, with their sizes, by id. */
export const storedAudiences = (
  db: EntityManager,
  accountId: string,
  ids: readonly string[],
): Promise<AudienceSize[]> =>
  run<AudienceSize>(
    db,
    {
      text: `SELECT id, users, "estimatedAt" FROM ${tableOf(db, DeliveryAudience).table}
        WHERE "accountId" = $1 AND id = ANY($2::varchar[] COLLATE "C") ORDER BY id`,
      values: [accountId, ids],
    },
    { large: true, planned: 'each time' },
  );

/** A size to store for the audience of a line item. */
export interface NewSize extends AudienceSize {
  lineItemId: string;
}

/**
 * Stores sizes, with the criteria of the line items where an audience is new. An audience whose line item has other criteria
 * by now is left out, and so are its parts in A/B tests; returns the ids of the others. Locks in the order of the ids.
 */
export async function storeSizes(db: EntityManager, accountId: string, sizes: readonly NewSize[]): Promise<string[]> {
  if (sizes.length === 0) return [];
  const stored = await run<{ id: string }>(
    db,
    {
      text: `INSERT INTO ${tableOf(db, DeliveryAudience).table} ("accountId", id, criteria, users, "estimatedAt")
        SELECT $1, n.id, s.criteria, n.users, n.at
        FROM unnest($2::varchar[], $3::varchar[], $4::bigint[], $5::timestamptz[]) AS n (id, item, users, at),
          LATERAL (SELECT ${SET_ID} AS id,
              COALESCE(jsonb_agg(jsonb_build_array(t."targetingType", t."targetingValue", t."operatorType") ORDER BY ${CRITERIA_ORDER}), '[]') AS criteria
            FROM targeting_criteria t WHERE t."accountId" = $1 AND t."lineItemId" = n.item COLLATE "C" AND t."deletedAt" IS NULL) s
        WHERE s.id = split_part(n.id, '.', 1) ORDER BY n.id COLLATE "C"
        ON CONFLICT ("accountId", id) DO UPDATE SET users = EXCLUDED.users, "estimatedAt" = EXCLUDED."estimatedAt" RETURNING id`,
      values: [
        accountId,
        sizes.map(({ id }) => id),
        sizes.map(({ lineItemId }) => lineItemId),
        sizes.map(({ users }) => users),
        sizes.map(({ estimatedAt }) => estimatedAt),
      ],
    },
    { large: true, planned: 'each time' },
  );
  return stored.map(({ id }) => id);
}
