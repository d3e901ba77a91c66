import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** Users who were deleted before this time, of whom something is left, and whose removal no job with this name does. */
export const lostRemovals = (
  db: EntityManager,
  { job, before, limit }: { job: string; before: string; limit: number },
): Promise<{ userId: string; isInvented: boolean }[]> =>
  run(db, {
    text: `SELECT u.id AS "userId", EXISTS (SELECT FROM pgboss.job j
          WHERE j.name = $2 AND j.data ->> 'userId' = u.id AND (j.data ->> 'isInvented')::boolean) AS "isInvented"
      FROM users u WHERE u."deletedAt" < $1::timestamptz AND u.name <> ''
        AND NOT EXISTS (SELECT FROM pgboss.job j WHERE j.name = $2 AND j.state <= 'active' AND j.data ->> 'userId' = u.id)
      ORDER BY u.id LIMIT $3`,
    values: [before, job, limit],
  });
