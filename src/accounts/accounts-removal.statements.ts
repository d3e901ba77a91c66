import type { EntityManager } from 'typeorm';
import { User } from '../auth/credentials/user.entity.js';
import { run } from '../common/db/query/statement.js';
import { tableOf } from '../common/db/query/table-metadata.js';
import { Membership } from './access/membership.entity.js';
import { Account } from './entities/account.entity.js';

/** At most `limit` accounts of which a user is the only administrator. */
export const solelyAdministeredAccounts = (
  db: EntityManager,
  userId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> => {
  const memberships = tableOf(db, Membership).table;
  return run(db, {
    text: `SELECT a.id, a.name FROM ${memberships} m JOIN ${tableOf(db, Account).table} a ON a.id = m."accountId"
      WHERE m."userId" = $1 AND m.role = 'ACCOUNT_ADMIN' AND a."deletedAt" IS NULL
        AND NOT EXISTS (SELECT FROM ${memberships} o JOIN ${tableOf(db, User).table} u ON u.id = o."userId"
          WHERE o."accountId" = a.id AND o."userId" <> $1 AND o.role = 'ACCOUNT_ADMIN' AND u."deletedAt" IS NULL)
      ORDER BY a.id LIMIT $2`,
    values: [userId, limit],
  });
};
