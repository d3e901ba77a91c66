import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { run } from '../../common/db/query/statement.js';

/** What failed sign-ins count against: after so many free ones the wait doubles, from a second up to the longest. */
const LIMITS = {
  /** Short, because anybody can fail to sign in with the username of another. */
  account: { free: 5, longestSeconds: 300 },
  /** Several people may share an address. */
  address: { free: 20, longestSeconds: 900 },
} as const;
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
/** Clocks of replicas differ. */
const TOLERANCE_MS = 60_000;

/** Limits failed sign-ins per username and per address, over all replicas. Usernames that do not exist count like the others. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts an attempt as failed before it is made, so that concurrent attempts cannot get around the limit. Returns how
   * many seconds to wait where it may not be made yet.
   */
  async begin(username: string, address: string): Promise<number | undefined> {
    const now = this.clock.now();
    const ids = idsOf(username, address);
    const begun = await retrying(() =>
      run<{ id: string }>(this.db.manager, {
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
          new Date(now.getTime() - FORGOTTEN_AFTER_MS).toISOString(),
          ids[0],
          LIMITS.account.free,
          LIMITS.address.free,
          LIMITS.account.longestSeconds,
          LIMITS.address.longestSeconds,
          // An attempt later than this was made before the clock was moved back.
          new Date(now.getTime() + TOLERANCE_MS).toISOString(),
        ],
      }),
    );
    if (begun.length === ids.length) return undefined;
    return this.secondsToWait(ids, now.getTime());
  }

  /** The attempt succeeded: the account's failures are forgotten, and this one is taken off its address. */
  async succeeded(username: string, address: string): Promise<void> {
    const [account, addressId] = idsOf(username, address);
    await run(this.db.manager, {
      text: `UPDATE sign_in_attempts SET failures = CASE WHEN id = $1 THEN 0 ELSE GREATEST(0, failures - 1) END, "blockedUntil" = $3
        WHERE id = $1 OR id = $2`,
      values: [account, addressId, this.clock.now().toISOString()],
    });
  }

  /** The attempt was not made after all. */
  async withdrawn(username: string, address: string): Promise<void> {
    await run(this.db.manager, {
      text: 'UPDATE sign_in_attempts SET failures = GREATEST(0, failures - 1), "blockedUntil" = $2 WHERE id = ANY($1)',
      values: [idsOf(username, address), this.clock.now().toISOString()],
    });
  }

  private async secondsToWait(ids: string[], now: number): Promise<number> {
    const blocks = await run<{ blockedUntil: string }>(this.db.manager, {
      text: 'SELECT "blockedUntil" FROM sign_in_attempts WHERE id = ANY($1)',
      values: [ids],
    });
    const until = Math.max(...blocks.map(({ blockedUntil }) => new Date(blockedUntil).getTime()), now);
    return Math.max(1, Math.ceil((until - now) / 1000));
  }
}

/** Always in this order, so that concurrent attempts lock the rows in the same order and cannot deadlock. */
const idsOf = (username: string, address: string) => [
  digestOf(`account ${username.toLowerCase()}`),
  digestOf(`address ${address}`),
];

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
