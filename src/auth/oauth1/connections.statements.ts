import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { AccessLevel } from '../credentials/application.entity.js';

/** An application that can act for a user, or may as soon as it picks up what the user approved. */
export interface Connection {
  applicationId: string;
  name: string;
  /** The most that any of its tokens may do; of what is not picked up yet where it has none. */
  accessLevel: AccessLevel;
  /** When its first token was made; null where it has none. */
  since: string | null;
  /** Until when it can pick up what was approved; null where nothing waits. */
  approvedUntil: string | null;
}

/** Whose connections, at which time, and of which application where one alone is asked for. */
export interface ConnectionsOf {
  userId: string;
  now: string;
  applicationId?: string;
}

/**
 * The applications that can act for a user, each with the most that any of its tokens may do and the time of its first, and
 * those that were approved and have not exchanged their request token yet; by name, at most 500. Tokens are grouped by the
 * database, because there is no limit to how many a user has.
 */
export const connectionsOf = (
  db: EntityManager,
  { userId, now, applicationId }: ConnectionsOf,
): Promise<Connection[]> =>
  run<Connection>(db, {
    text: `SELECT a.id AS "applicationId", a.name,
        CASE WHEN a."accessLevel" = 'write' THEN coalesce(max(g.level) FILTER (WHERE g.until IS NULL), max(g.level)) ELSE 'read' END AS "accessLevel",
        min(g.since) AS since, max(g.until) AS "approvedUntil"
      FROM (
        SELECT "applicationId", "accessLevel" AS level, "createdAt" AS since, NULL::timestamptz AS until
          FROM access_tokens WHERE "userId" = $1 AND "revokedAt" IS NULL
        UNION ALL
        SELECT "applicationId", "accessLevel", NULL, "expiresAt"
          FROM request_tokens WHERE "userId" = $1 AND "endedAt" IS NULL AND "expiresAt" > $2
      ) g JOIN applications a ON a.id = g."applicationId"
      WHERE a."deletedAt" IS NULL AND ($3::varchar IS NULL OR a.id = $3)
      GROUP BY a.id ORDER BY lower(a.name), a.id LIMIT 500`,
    values: [userId, now, applicationId ?? null],
  });
