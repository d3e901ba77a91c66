import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { rows } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { Conversion, CONVERSION_IDENTIFIERS } from '../conversions/conversion.entity.js';
import { Engagement } from '../entities/engagement.entity.js';
import { WebAudience } from '../entities/web-audience.entity.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';

/** A tag that has an audience, or should have one. */
export interface RetargetedTag {
  accountId: string;
  id: string;
  name: string;
  environment: 'production' | 'sandbox';
  /** False if its audience ends. */
  isEnabled: boolean;
  clockAdvancing: boolean;
  audienceId: string | null;
  fedUntil: string;
}

/** Takes the next audiences of all accounts that are due. They are due again at `taken` if the run fails. */
export const claimDue = (
  db: EntityManager,
  { now, taken, limit }: { now: string; taken: string; limit: number },
): Promise<RetargetedTag[]> =>
  run<RetargetedTag>(
    db,
    {
      text: `WITH due AS MATERIALIZED (
          SELECT "accountId", "tagId" FROM ${tableOf(db, WebAudience).table}
          WHERE "visitAt" <= $1::timestamptz ORDER BY "visitAt" LIMIT $3 FOR UPDATE SKIP LOCKED)
        UPDATE ${tableOf(db, WebAudience).table} w SET "visitAt" = $2::timestamptz
        FROM due d LEFT JOIN ${tableOf(db, WebEventTag).table} t ON t."accountId" = d."accountId" AND t.id = d."tagId"
          LEFT JOIN ${tableOf(db, Account).table} a ON a.id = d."accountId"
        WHERE w."accountId" = d."accountId" AND w."tagId" = d."tagId"
        RETURNING w."accountId", w."tagId" AS id, t.name, a.environment, a."clockAdvancing", w."audienceId", w."fedUntil",
          COALESCE(t."retargetingEnabled" AND t."deletedAt" IS NULL, false) AS "isEnabled" ${OF_ALL_ACCOUNTS}`,
      values: [now, taken, limit],
    },
    { planned: 'each time' },
  );

/** Makes an audience that was taken due at another time, unless its tag was changed or tracked meanwhile. */
export const visitAgain = (
  db: EntityManager,
  { accountId, id }: RetargetedTag,
  { taken, at }: { taken: string; at: string },
): Promise<unknown> =>
  rows(db, WebAudience)
    .where('accountId', accountId)
    .where('tagId', id)
    .where('visitAt', taken)
    .update({ visitAt: at });

/** The visitor of a conversion: its identifiers in hexadecimal, and the user of its click. */
export interface ConversionVisitor {
  id: string;
  identifiers: string[];
  userId: string | null;
}

/**
 * The visitors of a tag among the next conversions of its account after one of them, and the last of these conversions; it is
 * undefined when fewer than `limit` were left. So a quiet tag beside busy ones is read in steps.
 */
export async function visitorsOf(
  db: EntityManager,
  { accountId, id }: Pick<RetargetedTag, 'accountId' | 'id'>,
  after: string,
  limit: number,
): Promise<{ visitors: ConversionVisitor[]; last?: string }> {
  const found = await run<{ last: string | null; looked: number } & (ConversionVisitor | { id: null })>(
    db,
    {
      text: `WITH next AS MATERIALIZED (
          SELECT c.id, c."tagId", c.identifiers FROM ${tableOf(db, Conversion).table} c
          WHERE c."accountId" = $1 AND c.id > $3 ORDER BY c.id LIMIT $4)
        SELECT l.last, l.looked, n.id, array(SELECT encode(i, 'hex') FROM unnest(n.identifiers) i) AS identifiers,
          (SELECT e."userId" FROM unnest(n.identifiers) i JOIN ${tableOf(db, Engagement).table} e
            ON e."accountId" = $1 AND e."twclidHash" = substring(i FROM 2)
            WHERE get_byte(i, 0) = ${CONVERSION_IDENTIFIERS.indexOf('twclid')} LIMIT 1) AS "userId"
        FROM (SELECT max(id) AS last, count(*)::int AS looked FROM next) l LEFT JOIN next n ON n."tagId" = $2 ORDER BY n.id`,
      values: [accountId, id, after, limit],
    },
    { large: true, planned: 'each time' },
  );
  const [{ last, looked }] = found;
  const visitors = found.filter((each): each is typeof each & ConversionVisitor => each.id !== null);
  return { visitors, ...(looked === limit && { last: last! }) };
}
