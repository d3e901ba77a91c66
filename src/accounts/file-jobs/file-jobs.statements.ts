import type { EntityManager } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { afterStored } from '../../common/db/query/computed.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import type { EndStatus, FileJob, FileJobKind, JobKey } from './file-job.js';

/** The end of a job. */
export interface JobEnd {
  status: EndStatus;
  at: string;
  /** When its files are due to be deleted. */
  dueAt: string;
  /** Ends the job only for this worker; absent to end it for any worker. */
  attempt?: number;
  file?: { size: number; sha256: string; expiresAt: string };
}

const listOf = (words: readonly string[]) => words.map((each) => `'${each}'`).join(', ');

/**
 * Ends a job and lowers the count of its account. Returns undefined, and changes nothing, if the job has ended, or if another
 * worker has begun after the one that ends it.
 */
export async function endJob<T extends FileJob>(
  db: EntityManager,
  { entity, unfinished, counter }: FileJobKind<T>,
  { accountId, id }: JobKey,
  { status, at, dueAt, attempt, file }: JobEnd,
): Promise<Row<T> | undefined> {
  const { table, select } = tableOf(db, entity);
  const [ended] = await run<Row<T>>(
    db,
    {
      text: `WITH ended AS (
          UPDATE ${table} r SET status = $3, "updatedAt" = ${afterStored('$4', 'r."updatedAt"')}, "dueAt" = $5::timestamptz,
            size = $7::bigint, sha256 = $8, "expiresAt" = $9::timestamptz
          WHERE r."accountId" = $1 AND r.id = $2 AND r.status IN (${listOf(unfinished)}) AND ($6::int IS NULL OR r.attempt = $6)
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
        counter.kind,
      ],
    },
    { lockKey: accountId },
  );
  return ended;
}

/** The reasons for which a job is due, by whether it is unfinished. */
const DUE = {
  /** Its time is over. */
  failure: (unfinished: string) => `r.status IN (${unfinished})`,
  /** Its files are to be deleted. */
  'deletion of files': (unfinished: string) => `r.status NOT IN (${unfinished}) AND r.folder IS NOT NULL`,
  /** Its row is to be deleted. */
  removal: (unfinished: string) => `r.status NOT IN (${unfinished}) AND r.folder IS NULL`,
};

/** Jobs that are due for this at a time, those that are due longest first. */
export const dueJobs = <T extends FileJob>(
  db: EntityManager,
  { entity, unfinished }: FileJobKind<T>,
  what: keyof typeof DUE,
  now: string,
  limit: number,
): Promise<Row<T>[]> => {
  const { table, select } = tableOf(db, entity);
  return run<Row<T>>(db, {
    text: `SELECT ${select} FROM ${table} r WHERE r."dueAt" <= $1::timestamptz AND ${DUE[what](listOf(unfinished))} ORDER BY r."dueAt" LIMIT $2 ${OF_ALL_ACCOUNTS}`,
    values: [now, limit],
  });
};

/**
 * Cancels the jobs of a deleted account, whose files are due to be deleted at `dueAt`, and makes the files of those that have
 * succeeded due at once. Those that have failed or were cancelled before stay due when they are.
 */
export const endJobsOfAccount = async <T extends FileJob>(
  db: EntityManager,
  { entity, unfinished }: FileJobKind<T>,
  accountId: string,
  { at, dueAt }: Pick<JobEnd, 'at' | 'dueAt'>,
): Promise<void> => {
  const { table } = tableOf(db, entity);
  const isUnfinished = `r.status IN (${listOf(unfinished)})`;
  await run(db, {
    text: `UPDATE ${table} r SET "dueAt" = CASE WHEN ${isUnfinished} THEN $3::timestamptz ELSE $2::timestamptz END,
        "updatedAt" = ${afterStored('$2', 'r."updatedAt"')}, status = CASE WHEN ${isUnfinished} THEN 'CANCELLED' ELSE r.status END
      WHERE r."accountId" = $1 AND r.folder IS NOT NULL AND (${isUnfinished} OR r.status = 'SUCCESS')`,
    values: [accountId, at, dueAt],
  });
};
