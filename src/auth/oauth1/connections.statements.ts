import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { AccessLevel } from '../credentials/application.entity.js';

/** An application that can act for a user. */
export interface Connection {
  applicationId: string;
  name: string;
  accessLevel: AccessLevel;
  since: string;
}

/**
 * The applications that can act for a user, each with the most that any of its tokens may do and the time of its first, by
 * name; at most 500. Tokens are grouped by the database, because there is no limit to how many a user has.
 */
export const connectionsOf = (db: EntityManager, userId: string): Promise<Connection[]> =>
  run<Connection>(db, {
    text: `SELECT a.id AS "applicationId", a.name, CASE WHEN a."accessLevel" = 'write' THEN max(t."accessLevel") ELSE 'read' END AS "accessLevel",
        min(t."createdAt") AS since
      FROM access_tokens t JOIN applications a ON a.id = t."applicationId"
      WHERE t."userId" = $1 AND t."revokedAt" IS NULL AND a."deletedAt" IS NULL
      GROUP BY a.id ORDER BY lower(a.name), a.id LIMIT 500`,
    values: [userId],
  });
