import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { AccessToken } from '../credentials/access-token.entity.js';
import type { Scope } from '../credentials/scopes.js';
import { AuthorizationCode, Grant, GrantToken } from './grant.entity.js';

/** An approval to store. */
export interface Approval {
  /** The id of the grant, if it is the first approval. */
  id: string;
  userId: string;
  applicationId: string;
  scopes: readonly Scope[];
  now: string;
}

/**
 * Stores an approval: a new grant, or the next generation of the one of this user and application. The tokens of earlier
 * generations, which are not valid from then on, are deleted.
 */
export async function storeApproval(
  db: EntityManager,
  { id, userId, applicationId, scopes, now }: Approval,
): Promise<{ id: string; generation: number }> {
  const [grant] = await run<{ id: string; generation: number }>(db, {
    text: `INSERT INTO oauth2_grants AS g (id, "userId", "applicationId", scopes, "createdAt", "approvedAt") VALUES ($1, $2, $3, $4, $5, $5)
      ON CONFLICT ("userId", "applicationId") DO UPDATE
        SET scopes = excluded.scopes, generation = g.generation + 1, "approvedAt" = excluded."approvedAt", "revokedAt" = NULL,
          "createdAt" = CASE WHEN g."revokedAt" IS NULL THEN g."createdAt" ELSE excluded."createdAt" END
      RETURNING g.id, g.generation`,
    values: [id, userId, applicationId, scopes, now],
  });
  if (grant.generation > 1)
    await run(db, {
      text: `DELETE FROM oauth2_tokens WHERE "grantId" = $1 AND generation < $2`,
      values: [grant.id, grant.generation],
    });
  return grant;
}

/** Deletes the sealed answers of exchanges before a time, some at once. */
export const forgetAnswers = (db: EntityManager, before: string): Promise<unknown[]> =>
  run(db, {
    text: `UPDATE oauth2_tokens SET "sealedAnswer" = NULL WHERE id IN (
      SELECT id FROM oauth2_tokens WHERE "sealedAnswer" IS NOT NULL AND "usedAt" < $1 LIMIT 10000 FOR UPDATE SKIP LOCKED)`,
    values: [before],
  });

const READS: Scope = 'ads.read';

/**
 * SQL: the users for whom applications may read at this time, which is SQL too, as tables with "userId" and "applicationId". One
 * has the access tokens that are not revoked, the other what users approved by OAuth 2.0, while the application has a token that
 * reads, or can get one with a refresh token or the code of an approval.
 */
export function liveApprovals(db: EntityManager, now: string): string[] {
  const [accessTokens, grants, tokens, codes] = [AccessToken, Grant, GrantToken, AuthorizationCode].map(
    (entity) => tableOf(db, entity).table,
  );
  const live = (table: string) => `EXISTS (SELECT FROM ${table} k
        WHERE k."grantId" = g.id AND k.generation = g.generation AND '${READS}' = ANY (k.scopes)
          AND k."usedAt" IS NULL AND k."expiresAt" > ${now})`;
  return [
    `(SELECT "userId", "applicationId" FROM ${accessTokens} WHERE "revokedAt" IS NULL)`,
    `(SELECT g."userId", g."applicationId" FROM ${grants} g
      WHERE g."revokedAt" IS NULL AND (${live(tokens)} OR ${live(codes)}))`,
  ];
}
