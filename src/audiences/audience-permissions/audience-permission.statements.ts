import { Account } from '../../accounts/entities/account.entity.js';
import type { Rows } from '../../common/db/query/rows.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { AudiencePermission } from './audience-permission.entity.js';

/**
 * Keeps audiences that an account was granted by one that is not deleted. Asked row by row: where the account's own ones are
 * an alternative, PostgreSQL would read all accounts for one audience.
 */
export function grantedTo(audiences: Rows<CustomAudience>, accountId: string): Rows<CustomAudience> {
  const [permissions, accounts] = [AudiencePermission, Account].map((each) => tableOf(audiences.db, each).table);
  return audiences
    .whereSql(
      `EXISTS (SELECT FROM ${permissions} p WHERE p."grantedAccountId" = ${audiences.bind(accountId)} AND p."customAudienceId" = r."id" AND p."deletedAt" IS NULL)`,
    )
    .whereSql(`EXISTS (SELECT FROM ${accounts} a WHERE a."id" = r."accountId" AND a."deletedAt" IS NULL)`);
}

/** A permission still lets its account write, and is not deleted until the statement that writes is done. */
export const permissionAllowsWrite = (permissionId: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, AudiencePermission).table}
      WHERE id = ${bind(permissionId)} AND "deletedAt" IS NULL AND "permissionLevel" = 'READ_WRITE' FOR KEY SHARE`,
  refusal,
});
