import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows } from '../../common/db/query/rows.js';
import { DAY_MS } from '../../common/days.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';
import { countFailure, takeFailureOff } from './sign-in-attempts.statements.js';

/** What failed sign-ins count against: after so many free ones the wait doubles, from a second up to the longest. */
const LIMITS = {
  /** Short, because anybody can fail to sign in with the username of another. */
  account: { free: 5, longestSeconds: 300 },
  /** Several people may share an address. */
  address: { free: 20, longestSeconds: 900 },
} as const;
const FORGOTTEN_AFTER_MS = DAY_MS;
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
    const times = {
      now,
      forgottenBefore: new Date(now.getTime() - FORGOTTEN_AFTER_MS),
      latest: new Date(now.getTime() + TOLERANCE_MS),
    };
    const begun = await retrying(() => countFailure(this.db.manager, ids, LIMITS, times));
    if (begun.length === ids.length) return undefined;
    return this.secondsToWait(ids, now.getTime());
  }

  /** The attempt succeeded: the account's failures are forgotten, and this one is taken off its address. */
  async succeeded(username: string, address: string): Promise<void> {
    const ids = idsOf(username, address);
    await retrying(() => takeFailureOff(this.db.manager, ids, this.clock.now(), ids[0]));
  }

  /** The attempt was not made after all. */
  async withdrawn(username: string, address: string): Promise<void> {
    await retrying(() => takeFailureOff(this.db.manager, idsOf(username, address), this.clock.now()));
  }

  /** Forgets how often signing in with a username failed. */
  async forget(username: string): Promise<void> {
    const [account] = idsOf(username, '');
    await rows(this.db.manager, SignInAttempt).where('id', account).delete();
  }

  private async secondsToWait(ids: readonly string[], now: number): Promise<number> {
    const blocks = await rows(this.db.manager, SignInAttempt).whereIn('id', ids).getMany();
    const until = Math.max(...blocks.map(({ blockedUntil }) => new Date(blockedUntil).getTime()), now);
    return Math.max(1, Math.ceil((until - now) / 1000));
  }
}

/** Always in this order, so that concurrent attempts lock the rows in the same order and cannot deadlock. */
const idsOf = (username: string, address: string): readonly [account: string, address: string] => [
  digestOf(`account ${username.toLowerCase()}`),
  digestOf(`address ${address}`),
];

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
