import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Membership } from '../access/membership.entity.js';

/** The user has access to the account until the statement is done: settings do not outlive it. */
export const keepsAccess = ({ id, userId }: { id: string; userId: string }): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, Membership).table} WHERE "accountId" = ${bind(id)} AND "userId" = ${bind(userId)} FOR KEY SHARE`,
  refusal: () => accountNotFound(id),
});
