import type { EntityManager } from 'typeorm';
import { afterStored } from '../../common/db/query/computed.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { Bind } from '../../common/db/query/statement.js';
import type { Write } from '../../common/db/query/write.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { PostName } from './post-name.entity.js';

/** An expression over a post: the account's name for it, or null. */
export const nameFor =
  (db: EntityManager, accountId: string) =>
  (bind: Bind): string => {
    const { table } = tableOf(db, PostName);
    return `(SELECT n.name FROM ${table} n WHERE n."accountId" = ${bind(accountId)} AND n."postId" = r.id)`;
  };

/** Marks library media as used by a published post, unless already marked. */
export const markPosted = (accountId: string, mediaKeys: readonly string[], at: string): Write => ({
  empty: mediaKeys.length === 0,
  sql(db, bind, when) {
    const { table } = tableOf(db, LibraryMedia);
    return `UPDATE ${table} r SET posted = true, "updatedAt" = ${afterStored(bind(at), 'r."updatedAt"')}
      WHERE r."accountId" = ${bind(accountId)} AND r."mediaKey" = ANY(${bind(mediaKeys)}) AND NOT r.posted AND r."deletedAt" IS NULL AND ${when}`;
  },
});
