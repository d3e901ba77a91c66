import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { LocalWindows } from '../../common/limits/local-windows.js';
import { countInRedis, refundInRedis } from '../../common/limits/redis-windows.js';
import type { Usage, Window } from '../../common/limits/windows.js';
import { RedisLink } from '../../common/redis/redis.js';
import { Config } from '../../config.js';
import { digestOf, type SignedNonce } from './signed-nonce.js';
import type { Epoch } from './epoch.js';
import { Epochs, type NonceStores } from './epochs.js';
import type { NonceAnswer, NonceAttempt, NonceDecision, NonceVerdict } from './nonce-store.js';
import { ProcessNonceStore } from './process-nonce-store.js';
import { RedisNonceStore } from './redis-nonce-store.js';
import { TableNonceStore } from './table-nonce-store.js';

export type { NonceVerdict } from './nonce-store.js';
export type { SignedNonce } from './signed-nonce.js';

/** Whether the nonce was accepted and, if so, how the windows stand, in the order in which they were given. */
export interface AdmissionResult {
  verdict: NonceVerdict;
  usages: Usage[];
}

/** How long a request waits for the replicas to agree after a store has lost its nonces. */
const PATIENCE_MS = 1_500;
/** How long a start waits for Redis before the table decides. */
const REDIS_PATIENCE_MS = 1_000;
/** How long a start waits until this process may decide: longer than what was accepted by one that died may be unknown. */
const START_PATIENCE_MS = 4_000;

/**
 * Accepts each signed nonce once over all replicas, and counts requests in their rate limit windows. With Redis both take
 * one round trip. Without it, or while it is away, nonces are decided on by a table or by the process, and windows are
 * counted in the process. What this promises and how it works: the README of this folder.
 */
@Injectable()
export class ReplayProtection implements OnApplicationShutdown {
  private readonly localWindows: LocalWindows;
  private readonly stores: NonceStores;
  private readonly epochs: Epochs;
  private starting?: Promise<void>;
  private started = false;
  private attempts = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    @Optional() @Inject(RedisLink) private readonly redis: RedisLink | null,
    dataSource: DataSource,
    notifications: DatabaseNotifications,
    @Inject(DATABASE) database: Pick<Database, 'openConnection'> & Partial<Pick<Database, 'ownedSince'>>,
  ) {
    const db = dataSource.manager;
    const isOnlyProcess = !config.databaseUrl && !config.redisUrl;
    // An embedded store is locked: no other process has used it since this one took the lock.
    const othersStoppedBy =
      isOnlyProcess && database.ownedSince !== undefined
        ? clock.ms() - (performance.now() - database.ownedSince)
        : undefined;
    this.localWindows = new LocalWindows(clock);
    this.stores = {
      table: new TableNonceStore(db),
      ...(isOnlyProcess && { process: new ProcessNonceStore(clock) }),
      ...(redis && { redis: new RedisNonceStore(redis, config.redisPrefix, clock) }),
    };
    const fallback = isOnlyProcess ? 'process' : 'table';
    this.epochs = new Epochs(
      clock,
      db,
      database.openConnection(),
      notifications,
      this.stores,
      fallback,
      othersStoppedBy,
    );
  }

  /**
   * Joins the other replicas; a server calls it before it listens. Where one of them died together with the nonces, it is
   * seconds until a process that joins may decide: whoever comes meanwhile is to be served by those that know more. A
   * process that admits no requests, such as a command, must not join: it would take part in choosing the store.
   */
  start(): Promise<void> {
    this.starting ??= (async () => {
      await this.redis?.whenReady(REDIS_PATIENCE_MS);
      await this.epochs.start();
      await this.untilItMayDecide();
      this.started = true;
    })();
    return this.starting;
  }

  /**
   * Waits until this process may decide and now is a timestamp that is accepted: on an embedded store that is from the
   * second after it was locked. Where that takes too long the server starts all the same, and answers 503 until then.
   */
  private async untilItMayDecide(): Promise<void> {
    const epoch = await this.epochs.whenCurrent(performance.now() + START_PATIENCE_MS).catch(() => undefined);
    const wait = epoch ? epoch.oldestTimestamp * 1000 - this.clock.ms() : 0;
    if (wait > 0) await pause(Math.min(wait, 1_000));
  }

  /** After the last answer went out, and before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.starting;
    // Where the database is gone, the other replicas wait a little for what we cannot hand over.
    if (this.starting) await this.epochs.stop().catch(() => undefined);
  }

  /**
   * Takes the nonce of a request whose signature is right, and counts the request in its windows. A request whose nonce
   * is not fresh counts nowhere; one without a nonce (null) is only counted. Rejects while nothing can decide.
   */
  async admit(nonce: SignedNonce | null, windows: Window[]): Promise<AdmissionResult> {
    const counted = this.config.rateLimits === 'off' ? [] : windows;
    if (!nonce) return { verdict: 'fresh', usages: await this.count(counted) };
    if (!this.started) await this.start();
    const outcome = await this.take(nonce, counted);
    return typeof outcome === 'string' ? { verdict: outcome, usages: [] } : { verdict: 'fresh', usages: outcome };
  }

  /** The usages where the nonce is fresh, else why it is not. Where the epoch changes meanwhile it is decided again. */
  private async take(nonce: SignedNonce, windows: Window[]): Promise<Usage[] | Exclude<NonceVerdict, 'fresh'>> {
    const { timestamp } = nonce;
    const digest = digestOf(nonce);
    const attempt: NonceAttempt = { digest, timestamp, token: `${this.epochs.id}${this.attempts++}`, windows };
    const deadline = performance.now() + PATIENCE_MS;
    let acceptedBy: string | undefined;
    let usages: Usage[] | undefined;
    let handedOverIn: number | undefined;

    do {
      const epoch = this.epochs.current ?? (await this.epochs.whenCurrent(deadline));
      if (!epoch) break;
      if (timestamp < epoch.oldestTimestamp) {
        if ((timestamp + 1) * 1000 <= epoch.beganAt) return 'too-old';
        // signed since, while it was open what others accept: a client that stops at a 401 is to try again
        throw new Unavailable('it is not known whether the nonce was used');
      }
      // That we handed it over ourselves in the last epoch, without having admitted the request, is no use of it.
      const isHandedOverByUs = handedOverIn === epoch.number - 1 || handedOverIn === epoch.number;
      if (!isHandedOverByUs && epoch.handedOver.has(digest)) return 'used';

      if (acceptedBy !== epoch.generation) {
        const answer = await this.askStore(epoch, attempt);
        if (!answer) continue;
        if (answer.verdict !== 'fresh') return answer.verdict;
        acceptedBy = epoch.generation;
        usages ??= answer.usages;
        if (usages) attempt.windows = [];
      }
      if (!this.epochs.isInForce(epoch)) continue;

      if (timestamp * 1000 > this.clock.ms() + this.epochs.mostAheadMs) {
        if (handedOverIn !== epoch.number) await this.epochs.handOver(timestamp, digest);
        handedOverIn = epoch.number;
        if (!this.epochs.isInForce(epoch)) continue;
      } else this.epochs.recordAccepted(timestamp, digest);
      return usages ?? this.localWindows.count(windows);
    } while (performance.now() < deadline);
    // to sign again would not help
    throw new Unavailable('the replicas have not agreed on who decides on nonces');
  }

  /** What the store of the epoch decides; undefined where the epoch has ended because of its answer. */
  private async askStore(epoch: Epoch, attempt: NonceAttempt): Promise<NonceDecision | undefined> {
    let answer: NonceAnswer | undefined;
    try {
      answer = await this.stores[epoch.store]?.take(attempt, epoch.generation);
    } catch (error) {
      // The table is the last resort: there is no other store to turn to.
      if (epoch.store === 'table') throw error;
    }
    if (!answer) await this.epochs.storeAway(epoch);
    else if (answer.verdict === 'lost') await this.epochs.storeLost(epoch, answer.generation);
    else return answer;
    return undefined;
  }

  /** Takes back a request that was counted in a window, unless that is over; where Redis is away it stays counted there. */
  async refund(window: Window, usage: Usage): Promise<void> {
    if (this.redis?.ready)
      await refundInRedis(this.redis, this.config.redisPrefix, window, usage).catch(() => undefined);
    else this.localWindows.refund(window, usage);
  }

  private async count(windows: Window[]): Promise<Usage[]> {
    if (windows.length > 0 && this.redis?.ready) {
      try {
        return await countInRedis(this.redis, this.config.redisPrefix, windows, this.clock.ms());
      } catch {
        // Redis went away: they are counted in this process, as where there is none.
      }
    }
    return this.localWindows.count(windows);
  }
}
