import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { User } from '../credentials/user.entity.js';

/** The user may not begin a session, or not with the password that was checked. */
export class SessionRefused extends Error {}

/**
 * Precondition, held until the statement ends: the user is neither suspended nor deleted and, with a hash, still has this
 * password. It locks the row FOR SHARE, because a new password or a suspension does not wait for FOR KEY SHARE. A change that
 * comes afterwards finds the session and ends it.
 */
export const mayBegin = (userId: string, passwordHash?: string): Precondition => ({
  sql: (db, bind) => {
    const password = passwordHash === undefined ? '' : ` AND r."passwordHash" = ${bind(passwordHash)}`;
    return `SELECT 1 FROM ${tableOf(db, User).table} r
      WHERE r.id = ${bind(userId)}${password} AND r."suspendedAt" IS NULL AND r."deletedAt" IS NULL FOR SHARE`;
  },
  refusal: () => new SessionRefused(`the user ${userId} may not begin a session`),
});
