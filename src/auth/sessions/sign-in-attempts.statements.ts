import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** After the free failures the wait doubles with each failure, from one second to the longest. */
export interface FailureLimit {
  free: number;
  longestSeconds: number;
}

/** The times that decide how an attempt is counted. */
export interface AttemptTimes {
  now: Date;
  /** Failures before this are forgotten. */
  forgottenBefore: Date;
  /** An attempt later than this was made before the clock was set back. It does not count. */
  latest: Date;
}

/**
 * Counts a failure for an account and for an address, each unless it is blocked, and returns the ids of those counted. Rows
 * are locked in the order of `ids`.
 */
export const countFailure = (
  db: EntityManager,
  ids: readonly [account: string, address: string],
  limits: Record<'account' | 'address', FailureLimit>,
  { now, forgottenBefore, latest }: AttemptTimes,
): Promise<{ id: string }[]> =>
  run(db, {
    text: `INSERT INTO sign_in_attempts AS a (id, failures, "blockedUntil", "triedAt")
      SELECT id, 1, $2::timestamptz, $2::timestamptz FROM unnest($1::varchar[]) AS id
      ON CONFLICT (id) DO UPDATE SET
        failures = CASE WHEN a."triedAt" < $3 OR a."triedAt" > $9 THEN 1 ELSE a.failures + 1 END,
        "blockedUntil" = CASE WHEN a."triedAt" < $3 OR a."triedAt" > $9 OR a.failures + 1 < CASE WHEN a.id = $4 THEN $5 ELSE $6 END::int THEN $2::timestamptz
          ELSE $2::timestamptz + interval '1 second' * LEAST(CASE WHEN a.id = $4 THEN $7 ELSE $8 END::int,
            power(2, LEAST(20, a.failures + 1 - CASE WHEN a.id = $4 THEN $5 ELSE $6 END::int))) END,
        "triedAt" = $2::timestamptz
      WHERE a."blockedUntil" <= $2 OR a."triedAt" > $9 RETURNING id`,
    values: [
      ids,
      now.toISOString(),
      forgottenBefore.toISOString(),
      ids[0],
      limits.account.free,
      limits.address.free,
      limits.account.longestSeconds,
      limits.address.longestSeconds,
      latest.toISOString(),
    ],
  });

/** Resets the failures of `forgotten`, takes one off each of the other `ids`, and unblocks all of them. */
export const subtractFailure = (
  db: EntityManager,
  ids: readonly string[],
  now: Date,
  forgotten: string | null = null,
): Promise<unknown> =>
  run(db, {
    text: `UPDATE sign_in_attempts SET failures = CASE WHEN id = $3 THEN 0 ELSE GREATEST(0, failures - 1) END, "blockedUntil" = $2
      WHERE id = ANY($1)`,
    values: [ids, now.toISOString(), forgotten],
  });
