import { afterStored } from '../../../common/db/query/computed.js';
import type { Precondition, Write } from '../../../common/db/query/write.js';
import { tableOf } from '../../../common/db/query/table-metadata.js';
import { ContentCategory } from '../content-categories/content-category.entity.js';
import { CuratedCategory } from '../../entities/curated-category.entity.js';

/** These content categories exist until the statement ends. */
export const contentCategoriesExist = (ids: readonly string[], refusal: () => Error): Precondition => ({
  sql: (db, bind) => `SELECT 1 FROM (
      SELECT id FROM ${tableOf(db, ContentCategory).table} WHERE id = ANY(${bind(ids)}) ORDER BY id FOR KEY SHARE
    ) found HAVING count(*) = ${bind(ids.length)}::int`,
  refusal,
});

/** Removes a user from the curated categories that name them. */
export const takenOutOfCategories = (userId: string, time: string): Write => ({
  sql: (db, bind, when) => {
    const user = bind(userId);
    return `UPDATE ${tableOf(db, CuratedCategory).table} SET "publisherUserIds" = array_remove("publisherUserIds", ${user}::varchar),
        "updatedAt" = ${afterStored(bind(time))}
      WHERE "publisherUserIds" @> ARRAY[${user}::varchar] AND "deletedAt" IS NULL AND ${when}`;
  },
});
