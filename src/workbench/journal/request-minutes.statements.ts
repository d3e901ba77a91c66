import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** What a process counted of an application in a minute. */
export interface CountedMinute {
  applicationId: string;
  /** In ISO 8601. */
  minute: string;
  counts: readonly number[];
}

/** Adds the counts of minutes to those that other processes stored. Replicas lock rows in the same order. */
export async function addMinutes(db: EntityManager, minutes: readonly CountedMinute[]): Promise<void> {
  await run(db, {
    text: `INSERT INTO request_minutes AS m ("applicationId", minute, counts)
      SELECT c."applicationId", c.minute, c.counts
      FROM json_to_recordset($1) AS c ("applicationId" varchar, minute timestamptz, counts int[])
      ORDER BY 1, 2
      ON CONFLICT ("applicationId", minute) DO UPDATE SET counts = (
        SELECT array_agg(old + new ORDER BY i) FROM unnest(m.counts, excluded.counts) WITH ORDINALITY AS u (old, new, i))`,
    values: [JSON.stringify(minutes)],
  });
}

/** The minutes of an application from a time on, the oldest first. */
export const minutesSince = (db: EntityManager, applicationId: string, since: string) =>
  run<{ minute: string; counts: number[] }>(db, {
    text: `SELECT minute, counts FROM request_minutes WHERE "applicationId" = $1 AND minute >= $2 ORDER BY minute`,
    values: [applicationId, since],
  });

/** Deletes what was counted before a time. */
export async function deleteMinutesBefore(db: EntityManager, time: string): Promise<void> {
  await run(db, { text: `DELETE FROM request_minutes WHERE minute < $1`, values: [time] });
}

/** An error that the journal of an application has several times. */
export interface FrequentError {
  /** The last request. */
  id: string;
  times: number;
}

/** The errors of the journal of an application that are most frequent: paths of no endpoint first, ids in paths do not count. */
export const frequentErrors = (db: EntityManager, applicationId: string, limit: number) =>
  run<FrequentError>(db, {
    text: `SELECT max(id) AS id, count(*)::int AS times FROM journaled_requests
      WHERE "applicationId" = $1 AND status >= 400
      GROUP BY unmatched, method, status, regexp_replace(path, '/[0-9][0-9a-z]{5,}', '/:id', 'g')
      ORDER BY unmatched DESC, count(*) DESC, max(id) DESC LIMIT $2`,
    values: [applicationId, limit],
  });
