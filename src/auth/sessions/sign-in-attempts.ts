import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { DAY_MS } from '../../common/time/days.js';
import { SignInAttempt } from './session.entity.js';
import { countFailure, subtractFailure } from './sign-in-attempts.statements.js';

/** The limits of failed sign-ins: after the free ones the wait doubles with each failure, from one second to the longest. */
const LIMITS = {
  /** Short, because anybody can fail to sign in with another person's username. */
  account: { free: 5, longestSeconds: 300 },
  /** Several people may share an address. */
  address: { free: 20, longestSeconds: 900 },
} as const;
const FORGOTTEN_AFTER_MS = DAY_MS;
/** Clocks of replicas differ. */
const TOLERANCE_MS = 60_000;

/** Limits failed sign-ins per username and per address across all replicas. Usernames that do not exist count too. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts an attempt as failed before it is made, so that concurrent attempts cannot exceed the limit. Returns the number
   * of seconds to wait if the attempt is not allowed yet; then it counts nowhere: an address that is blocked blocks no account,
   * and the other way round.
   */
  async begin(username: string, address: string): Promise<number | undefined> {
    const now = this.clock.now();
    const ids = idsOf(username, address);
    const times = {
      now,
      forgottenBefore: new Date(now.getTime() - FORGOTTEN_AFTER_MS),
      latest: new Date(now.getTime() + TOLERANCE_MS),
    };
    const isBegun = await retrying(() =>
      this.db.transaction(async (tx) => {
        const counted = (await countFailure(tx, ids, LIMITS, times)).map(({ id }) => id);
        if (counted.length === ids.length) return true;
        if (counted.length > 0) await subtractFailure(tx, counted, now);
        return false;
      }),
    );
    if (isBegun) return undefined;
    return this.secondsToWait(ids, now.getTime());
  }

  /** The attempt succeeded: resets the failures of the account and takes this one off the address. */
  async succeeded(username: string, address: string): Promise<void> {
    const ids = idsOf(username, address);
    await retrying(() => subtractFailure(this.db.manager, ids, this.clock.now(), ids[0]));
  }

  /** The attempt was not made: takes its failure off the account and the address. */
  async withdraw(username: string, address: string): Promise<void> {
    await retrying(() => subtractFailure(this.db.manager, idsOf(username, address), this.clock.now()));
  }

  /** Forgets the failed sign-ins with a username. */
  async forget(username: string): Promise<void> {
    const [account] = idsOf(username, '');
    await this.db.manager.delete(SignInAttempt, { id: account });
  }

  private async secondsToWait(ids: readonly string[], now: number): Promise<number> {
    const blocks = await this.db.manager.findBy(SignInAttempt, { id: In(ids) });
    const until = Math.max(...blocks.map(({ blockedUntil }) => blockedUntil.getTime()), now);
    return Math.max(1, Math.ceil((until - now) / 1000));
  }
}

/** Always in this order, so that concurrent attempts lock the rows in the same order and cannot deadlock. */
const idsOf = (username: string, address: string): readonly [account: string, address: string] => [
  digestOf(`account ${username.toLowerCase()}`),
  digestOf(`address ${address}`),
];

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
