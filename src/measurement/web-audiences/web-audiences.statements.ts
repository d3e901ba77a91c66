import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
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
  audienceId: string | null;
  fedUntil: string | null;
}

/** The next tags of all living accounts after one of them. */
export const retargetedTags = (
  db: EntityManager,
  after: { accountId: string; id: string },
  limit: number,
): Promise<RetargetedTag[]> =>
  run<RetargetedTag>(
    db,
    {
      text: `SELECT t."accountId", t.id, t.name, a.environment, t."retargetingEnabled" AND t."deletedAt" IS NULL AS "isEnabled",
        w."audienceId", w."fedUntil"
      FROM ${tableOf(db, WebEventTag).table} t
        JOIN ${tableOf(db, Account).table} a ON a.id = t."accountId" AND a."deletedAt" IS NULL AND NOT a."clockAdvancing"
        LEFT JOIN ${tableOf(db, WebAudience).table} w ON w."accountId" = t."accountId" AND w."tagId" = t.id
      WHERE (t."accountId", t.id) > ($1, $2) AND ((t."retargetingEnabled" AND t."deletedAt" IS NULL) OR w."tagId" IS NOT NULL)
      ORDER BY t."accountId", t.id LIMIT $3 ${OF_ALL_ACCOUNTS}`,
      values: [after.accountId, after.id, limit],
    },
    { planned: 'each time' },
  );

/** The visitor of a conversion: its identifiers in hexadecimal, and the user of its click. */
export interface ConversionVisitor {
  id: string;
  identifiers: string[];
  userId: string | null;
}

/** The visitors of the next conversions of a tag after one of them. */
export const visitorsOf = (
  db: EntityManager,
  { accountId, id }: Pick<RetargetedTag, 'accountId' | 'id'>,
  after: string,
  limit: number,
): Promise<ConversionVisitor[]> =>
  run<ConversionVisitor>(
    db,
    {
      text: `SELECT c.id, array(SELECT encode(i, 'hex') FROM unnest(c.identifiers) i) AS identifiers,
        (SELECT e."userId" FROM unnest(c.identifiers) i JOIN ${tableOf(db, Engagement).table} e
          ON e."accountId" = $1 AND e."twclidHash" = substring(i FROM 2)
          WHERE get_byte(i, 0) = ${CONVERSION_IDENTIFIERS.indexOf('twclid')} LIMIT 1) AS "userId"
      FROM ${tableOf(db, Conversion).table} c WHERE c."accountId" = $1 AND c."tagId" = $2 AND c.id > $3 ORDER BY c.id LIMIT $4`,
      values: [accountId, id, after, limit],
    },
    { large: true, planned: 'each time' },
  );
