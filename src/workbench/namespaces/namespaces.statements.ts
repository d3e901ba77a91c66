import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** Ends the namespaces of the applications that a user owns: the next job deletes them. */
export async function expireNamespacesOfOwner(db: EntityManager, userId: string, now: string): Promise<void> {
  await run(db, {
    text: `UPDATE namespaces SET "expiresAt" = least("expiresAt", $2::timestamptz)
      WHERE "applicationId" IN (SELECT id FROM applications WHERE "ownerId" = $1)`,
    values: [userId, now],
  });
}
