import type { EntityManager } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { afterStored } from '../../common/db/query/computed.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { PROCESSING_JOBS, StatisticsJob, type StatisticsJobStatus } from './statistics-job.entity.js';

/** The account of a job, and its id. */
export type JobKey = Pick<StatisticsJob, 'accountId' | 'id'>;

/** The end of a job. */
export interface JobEnd {
  status: Exclude<StatisticsJobStatus, 'PROCESSING'>;
  at: string;
  /** When its files are due to be deleted. */
  dueAt: string;
  /** Ends the job only for this worker; absent to end it for any worker. */
  attempt?: number;
  file?: { size: number; sha256: string; expiresAt: string };
}

/**
 * Ends a job and lowers the count of its account. Returns undefined, and changes nothing, if the job is not processing, or
 * if another worker has begun after the one that ends it.
 */
export async function endJob(
  db: EntityManager,
  { accountId, id }: JobKey,
  { status, at, dueAt, attempt, file }: JobEnd,
): Promise<Row<StatisticsJob> | undefined> {
  const { table, select } = tableOf(db, StatisticsJob);
  const [ended] = await run<Row<StatisticsJob>>(
    db,
    {
      text: `WITH ended AS (
          UPDATE ${table} r SET status = $3, "updatedAt" = ${afterStored('$4', 'r."updatedAt"')}, "dueAt" = $5::timestamptz,
            size = $7::bigint, sha256 = $8, "expiresAt" = $9::timestamptz
          WHERE r."accountId" = $1 AND r.id = $2 AND r.status = 'PROCESSING' AND ($6::int IS NULL OR r.attempt = $6)
          RETURNING ${select}
        ), lowered AS (
          UPDATE counters c SET value = greatest(c.value - 1, 0) FROM ended e WHERE c."ownerId" = e."accountId" AND c.kind = $10
        ) SELECT * FROM ended`,
      values: [
        accountId,
        id,
        status,
        at,
        dueAt,
        attempt ?? null,
        file?.size ?? null,
        file?.sha256 ?? null,
        file?.expiresAt ?? null,
        PROCESSING_JOBS.kind,
      ],
    },
    { lockKey: accountId },
  );
  return ended;
}

/** The reasons for which a job is due. */
const DUE = {
  /** Its time is over. */
  failure: `r.status = 'PROCESSING'`,
  /** Its files are to be deleted. */
  'deletion of files': `r.status <> 'PROCESSING' AND r.folder IS NOT NULL`,
  /** Its row is to be deleted. */
  removal: `r.status <> 'PROCESSING' AND r.folder IS NULL`,
};

/** Jobs that are due for this at a time, those that are due longest first. */
export const dueJobs = (
  db: EntityManager,
  what: keyof typeof DUE,
  now: string,
  limit: number,
): Promise<Row<StatisticsJob>[]> => {
  const { table, select } = tableOf(db, StatisticsJob);
  return run<Row<StatisticsJob>>(db, {
    text: `SELECT ${select} FROM ${table} r WHERE r."dueAt" <= $1::timestamptz AND ${DUE[what]} ORDER BY r."dueAt" LIMIT $2 ${OF_ALL_ACCOUNTS}`,
    values: [now, limit],
  });
};
