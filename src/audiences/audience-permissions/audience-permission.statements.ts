import { Account } from '../../accounts/entities/account.entity.js';
import type { Rows } from '../../common/db/query/rows.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { AudiencePermission } from './audience-permission.entity.js';

/**
 * Selects audiences shared with an account by their owner, an account that is not deleted. It checks row by row: as an alternative
 * to the account's own audiences, PostgreSQL would read all accounts for one audience.
 */
export function grantedTo(audiences: Rows<CustomAudience>, accountId: string): Rows<CustomAudience> {
  const [permissions, accounts] = [AudiencePermission, Account].map((each) => tableOf(audiences.db, each).table);
  return audiences
    .whereSql(
      `EXISTS (SELECT FROM ${permissions} p WHERE p."grantedAccountId" = ${audiences.bind(accountId)} AND p."customAudienceId" = r."id" AND p."accountId" = r."accountId" AND p."deletedAt" IS NULL)`,
    )
    .whereSql(`EXISTS (SELECT FROM ${accounts} a WHERE a."id" = r."accountId" AND a."deletedAt" IS NULL)`);
}

/** Requires that a permission still allows its account to write, and locks it until the writing statement ends. */
export const permissionAllowsWrite = (permissionId: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, AudiencePermission).table}
      WHERE id = ${bind(permissionId)} AND "deletedAt" IS NULL AND "permissionLevel" = 'READ_WRITE' FOR KEY SHARE`,
  refusal,
});
