import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Precondition } from '../../common/db/query/write.js';
import { AudiencePermission } from './audience-permission.entity.js';

/** A permission still lets its account write, and is not deleted until the statement that writes is done. */
export const letsWrite = (permissionId: string, refusal: () => Error): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, AudiencePermission).table}
      WHERE id = ${bind(permissionId)} AND "deletedAt" IS NULL AND "permissionLevel" = 'READ_WRITE' FOR KEY SHARE`,
  refusal,
});
