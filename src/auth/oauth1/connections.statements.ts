import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { Scope } from '../credentials/scopes.js';
import type { AccessLevel } from '../credentials/application.entity.js';

/** An application that can act for a user, or that the user approved and that has not exchanged its request token yet. */
export interface Connection {
  applicationId: string;
  name: string;
  /** The highest access level of its tokens; without any, that of the approved request token. */
  accessLevel: AccessLevel;
  /** When its first token was created; null where it has none. */
  since: string | null;
  /** When its approved request token expires; null where there is none. */
  approvedUntil: string | null;
  /** What the user allows it by OAuth 2.0; null where there is no such grant. */
  scopes: Scope[] | null;
}

/** Selects connections: those of a user at a time, optionally of one application. */
export interface ConnectionsOf {
  userId: string;
  now: string;
  applicationId?: string;
}

/**
 * The applications that can act for a user, and those approved that have not exchanged their request token yet; by name, at
 * most 500. The database groups the tokens because a user may have any number of them.
 */
export const connectionsOf = (
  db: EntityManager,
  { userId, now, applicationId }: ConnectionsOf,
): Promise<Connection[]> =>
  run<Connection>(db, {
    text: `SELECT a.id AS "applicationId", a.name,
        CASE WHEN a."accessLevel" = 'write' THEN coalesce(max(g.level) FILTER (WHERE g.until IS NULL), max(g.level)) ELSE 'read' END AS "accessLevel",
        min(g.since) AS since, max(g.until) AS "approvedUntil",
        (SELECT scopes FROM oauth2_grants o WHERE o."userId" = $1 AND o."applicationId" = a.id AND o."revokedAt" IS NULL) AS scopes
      FROM (
        SELECT "applicationId", "accessLevel" AS level, "createdAt" AS since, NULL::timestamptz AS until
          FROM access_tokens WHERE "userId" = $1 AND "revokedAt" IS NULL
        UNION ALL
        SELECT "applicationId", CASE WHEN scopes && ARRAY['ads.write', 'media.write']::varchar[] THEN 'write' ELSE 'read' END, "createdAt", NULL
          FROM oauth2_grants WHERE "userId" = $1 AND "revokedAt" IS NULL
        UNION ALL
        SELECT "applicationId", "accessLevel", NULL, "expiresAt"
          FROM request_tokens WHERE "userId" = $1 AND "endedAt" IS NULL AND "expiresAt" > $2
      ) g JOIN applications a ON a.id = g."applicationId"
      WHERE a."deletedAt" IS NULL AND ($3::varchar IS NULL OR a.id = $3)
      GROUP BY a.id ORDER BY lower(a.name), a.id LIMIT 500`,
    values: [userId, now, applicationId ?? null],
  });
