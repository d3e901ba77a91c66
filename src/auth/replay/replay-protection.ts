import { Inject, Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { LocalWindows } from '../../common/limits/local-windows.js';
import { countInRedis } from '../../common/limits/redis-windows.js';
import type { Usage, Window } from '../../common/limits/windows.js';
import { RedisLink } from '../../common/redis/redis.js';
import { Config } from '../../config.js';
import { digestOf, type SignedNonce } from './signed-nonce.js';
import type { Epoch } from './epoch.js';
import { Epochs, type NonceStores } from './epochs.js';
import type { NonceAnswer, NonceDecision, NonceAttempt } from './nonce-store.js';
import { ProcessNonceStore } from './process-nonce-store.js';
import { RedisNonceStore } from './redis-nonce-store.js';
import { TableNonceStore } from './table-nonce-store.js';

export type { SignedNonce } from './signed-nonce.js';

export type NonceVerdict = 'fresh' | 'used' | 'too-old';

/** What the gate says: whether the claim is new, and, if so, how the windows stand, in the order they were asked in. */
export interface Admission {
  verdict: NonceVerdict;
  usages: Usage[];
}

/** How long a request waits for the replicas to agree on what happens after a memory was lost. */
const PATIENCE_MS = 1_500;
const REDIS_PATIENCE_MS = 1_000;

/**
 * Where every signed request has to pass: its nonce must be new over all replicas, and it counts in its windows. With
 * Redis that is one round trip; without, or while it is away, the table or the process decides, and windows are counted
 * in the process.
 */
@Injectable()
export class ReplayProtection implements OnApplicationShutdown {
  private readonly local: LocalWindows;
  private readonly stores: NonceStores;
  private readonly epochs: Epochs;
  private started?: Promise<void>;
  private open = false;
  private attempts = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    @Optional() @Inject(RedisLink) private readonly redis: RedisLink | null,
    dataSource: DataSource,
    notifications: DatabaseNotifications,
    @Optional() @Inject(DATABASE) store?: Pick<Database, 'ownedSince'>,
  ) {
    const db = dataSource.manager;
    const alone = !config.databaseUrl && !config.redisUrl;
    // Nobody else can have been at work on an embedded store since we took it.
    const othersGoneBy = alone && store ? clock.ms() - (performance.now() - store.ownedSince) : undefined;
    this.local = new LocalWindows(clock);
    this.stores = {
      table: new TableNonceStore(db),
      ...(alone && { process: new ProcessNonceStore(clock) }),
      ...(redis && { redis: new RedisNonceStore(redis, config.redisPrefix, clock) }),
    };
    this.epochs = new Epochs(clock, db, notifications, this.stores, alone ? 'process' : 'table', othersGoneBy);
  }

  /**
   * Joins the other replicas; a server does so before it listens. A process that never asks the gate, such as a command,
   * must not: it would have a say in which memory decides.
   */
  start(): Promise<void> {
    this.started ??= (async () => {
      await this.redis?.whenReady(REDIS_PATIENCE_MS);
      await this.epochs.start();
      if (this.epochs.alone) await this.untilFirstSecond();
      this.open = true;
    })();
    return this.started;
  }

  /** In the second in which an embedded store became ours nothing signed is taken: it is over before we listen. */
  private async untilFirstSecond(): Promise<void> {
    const epoch = await this.epochs.settled(performance.now() + PATIENCE_MS).catch(() => undefined);
    const wait = epoch ? epoch.since * 1000 - this.clock.ms() : 0;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 1_000)));
  }

  /** After the last answer went out, and before the store is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.started;
    // A store that is gone only makes the others wait a little, should they need what we know.
    if (this.started) await this.epochs.stop().catch(() => undefined);
  }

  /** Takes the claim and counts the request. A claim that does not pass counts nowhere. */
  async admit(claim: SignedNonce | null, asked: Window[]): Promise<Admission> {
    const windows = this.config.rateLimits === 'off' ? [] : asked;
    if (!claim) return { verdict: 'fresh', usages: await this.count(windows) };
    if (!this.open) await this.start();
    const verdict = await this.take(claim, windows);
    return typeof verdict === 'string' ? { verdict, usages: [] } : { verdict: 'fresh', usages: verdict };
  }

  /** The usages when the claim is new, else why not. Whenever the epoch changes on the way it is decided again. */
  private async take(claim: SignedNonce, windows: Window[]): Promise<Usage[] | Exclude<NonceVerdict, 'fresh'>> {
    const passing: NonceAttempt = {
      digest: digestOf(claim),
      timestamp: claim.timestamp,
      token: `${this.epochs.id}${this.attempts++}`,
      windows,
    };
    const deadline = performance.now() + PATIENCE_MS;
    let grantedBy: string | undefined;
    let usages: Usage[] | undefined;
    let carriedIn: number | undefined;

    do {
      const epoch = this.epochs.current ?? (await this.epochs.settled(deadline));
      if (!epoch || claim.timestamp < epoch.since) return 'too-old';
      // What we carried ourselves an epoch ago, without acting on it, is nobody's use of the claim.
      if (carriedIn !== epoch.number - 1 && carriedIn !== epoch.number && epoch.handedOver.has(passing.digest))
        return 'used';

      if (grantedBy !== epoch.generation) {
        const answer = await this.ask(epoch, passing);
        if (!answer) continue;
        if (answer.verdict !== 'fresh') return answer.verdict;
        grantedBy = epoch.generation;
        usages ??= answer.usages;
        if (usages) passing.windows = [];
      }
      if (!this.epochs.holds(epoch)) continue;

      if (claim.timestamp > this.clock.seconds() + this.epochs.ahead) {
        if (carriedIn !== epoch.number) await this.epochs.handOver(claim.timestamp, passing.digest);
        carriedIn = epoch.number;
        if (!this.epochs.holds(epoch)) continue;
      } else this.epochs.remember(claim.timestamp, passing.digest);
      return usages ?? this.local.count(windows);
    } while (performance.now() < deadline);
    return 'too-old';
  }

  /** What the memory of the epoch says; undefined when the epoch is over because of it. */
  private async ask(epoch: Epoch, passing: NonceAttempt): Promise<NonceDecision | undefined> {
    let answer: NonceAnswer | undefined;
    try {
      answer = await this.stores[epoch.store]?.take(passing, epoch.generation);
    } catch (error) {
      // Behind the store there is nothing that could decide.
      if (epoch.store === 'table') throw error;
    }
    if (!answer) await this.epochs.away(epoch);
    else if (answer.verdict === 'lost') await this.epochs.lost(epoch, answer.generation);
    else return answer;
    return undefined;
  }

  private async count(windows: Window[]): Promise<Usage[]> {
    if (windows.length > 0 && this.redis?.ready) {
      try {
        return await countInRedis(this.redis, this.config.redisPrefix, windows, this.clock.ms());
      } catch {
        // Redis went away: counted here, as below.
      }
    }
    return this.local.count(windows);
  }
}
