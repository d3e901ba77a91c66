import type { EntityManager } from 'typeorm';
import { CRITERIA_ORDER, SET_ID } from '../../campaigns/spending/targeted-sets.statements.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryAudience } from '../facts/delivery-audience.entity.js';

/** The size of an audience. */
export type AudienceSize = Pick<Row<DeliveryAudience>, 'id' | 'users' | 'estimatedAt'>;

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
 * by now is left out; returns the ids of the others. Locks in the order of the ids.
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
        WHERE s.id = n.id ORDER BY n.id COLLATE "C"
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
