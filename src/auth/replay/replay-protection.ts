import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DATABASE, type Database } from '../../common/db/database.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import type { Freshness } from '../../common/db/query/freshness.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { LocalWindows } from '../limits/local-windows.js';
import { countInRedis, refundInRedis } from '../limits/redis-windows.js';
import type { WindowUsage, RateWindow } from '../limits/windows.js';
import { Metrics } from '../../common/metrics/metrics.js';
import type { RowOwners, RememberedWrites } from '../../common/db/read-replicas/remembered-writes.js';
import { RedisLink } from '../../common/redis/redis.js';
import { Config } from '../../config/config.js';
import { nonceDigestOf, slotKeyOf, type SignedNonce } from './signed-nonce.js';
import { ClusterNonceStore } from './cluster-nonce-store.js';
import type { Epoch } from './epoch.js';
import { Epochs, type NonceStores } from './epochs.js';
import type { NonceAnswer, NonceAttempt, NonceDecision, NonceVerdict } from './nonce-store.js';
import { ProcessNonceStore } from './process-nonce-store.js';
import { RedisNonceStore } from './redis-nonce-store.js';
import { TableNonceStore } from './table-nonce-store.js';
import { WriteTracker, type WriteInProgress } from './write-tracker.js';

export type { NonceVerdict } from './nonce-store.js';
export type { SignedNonce } from './signed-nonce.js';

export type { WriteInProgress } from './write-tracker.js';

/** Whose rows a request reads or writes: the ids of an account and of a user. */
export interface AccessedRows {
  owners: readonly string[];
  isWrite: boolean;
}

/** An accepted request. */
interface AcceptedRequest {
  /** The usage of the windows in the given order. */
  usages: WindowUsage[];
  /** With read replicas, for a read: what it must see. */
  freshness?: Freshness;
  /** With read replicas, for a write: pass it to `finishWrite` before the answer. */
  write?: WriteInProgress;
}

/** The result of an admission. */
export interface AdmissionResult extends AcceptedRequest {
  verdict: NonceVerdict;
}

/** The time a request waits for the replicas to agree after a store has lost its nonces. */
const PATIENCE_MS = 1_500;
/** The time startup waits for Redis before the table decides. */
const REDIS_PATIENCE_MS = 1_000;
/** The time startup waits until this process may decide: longer than the nonces of a crashed process may be unknown. */
const START_PATIENCE_MS = 4_000;

/**
 * Accepts each signed nonce once over all replicas, and counts requests in their rate limit windows. With Redis both
 * take one round trip. Without it, or while it is unavailable, a table or the process decides on nonces, and the
 * process counts windows. The README of this folder describes the guarantees and the protocol.
 */
@Injectable()
export class ReplayProtection implements OnApplicationShutdown {
  private readonly localWindows: LocalWindows;
  private readonly stores: NonceStores;
  private readonly epochs: Epochs;
  /** With read replicas and Redis. */
  private readonly writes?: WriteTracker;
  private starting?: Promise<void>;
  private started = false;
  private attempts = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    @Optional() @Inject(RedisLink) private readonly redis: RedisLink | null,
    dataSource: DataSource,
    notifications: DatabaseNotifications,
    @Inject(DATABASE)
    database: Pick<Database, 'openConnection'> & Partial<Pick<Database, 'ownedSince' | 'readReplicas'>>,
    @Optional() metrics?: Metrics,
  ) {
    const db = dataSource.manager;
    const isOnlyProcess = !config.databaseUrl && !config.redisUrl;
    // An embedded store is locked: no other process has used it since this process took the lock.
    const othersStoppedBy =
      isOnlyProcess && database.ownedSince !== undefined
        ? clock.ms() - (performance.now() - database.ownedSince)
        : undefined;
    this.localWindows = new LocalWindows(clock);
    this.stores = {
      table: new TableNonceStore(db),
      ...(isOnlyProcess && { process: new ProcessNonceStore(clock) }),
      ...(redis && {
        redis: new (redis.isCluster ? ClusterNonceStore : RedisNonceStore)(redis, config.redisPrefix, clock),
      }),
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
    metrics?.gauge(
      'nonce_epoch',
      'Number of the nonce epoch: it grows when the store of nonces changes or has lost them',
      () => this.epochs.number,
    );
    if (redis && database.readReplicas)
      this.writes = new WriteTracker(database.readReplicas, redis, config.redisPrefix, clock, this.epochs);
  }

  /**
   * Joins the other replicas; a server calls it before it listens. When a replica crashed together with the nonces, a
   * joining process may decide only after seconds; replicas that know more should serve requests meanwhile. A process
   * that admits no requests, such as a command, must not join: it would take part in choosing the store.
   */
  start(): Promise<void> {
    this.starting ??= (async () => {
      await this.redis?.whenReady(REDIS_PATIENCE_MS);
      await this.writes?.start();
      await this.epochs.start();
      await this.untilItMayDecide();
      this.started = true;
    })();
    return this.starting;
  }

  /**
   * Waits until this process may decide and accepts the current timestamp: on an embedded store from the second after
   * it was locked. After a timeout the server starts all the same, and answers 503 until then.
   */
  private async untilItMayDecide(): Promise<void> {
    const epoch = await this.epochs.whenCurrent(performance.now() + START_PATIENCE_MS).catch(() => undefined);
    const wait = epoch ? epoch.oldestTimestamp * 1000 - this.clock.ms() : 0;
    if (wait > 0) await pause(Math.min(wait, 1_000));
  }

  /** Runs after the last response and before the database is closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.starting;
    await this.writes?.stop();
    // Without the database, the other replicas wait for the nonces that this process cannot hand over.
    if (this.starting) await this.epochs.stop().catch(() => undefined);
  }

  /**
   * Takes the nonce of a request with a valid signature, and counts the request in its windows. A request whose nonce
   * is not fresh does not count; one without a nonce (null) is only counted. Rejects while no store can decide.
   * `accessed`: whose rows it reads or writes, if read replicas may serve them.
   */
  async admit(nonce: SignedNonce | null, windows: RateWindow[], accessed?: AccessedRows): Promise<AdmissionResult> {
    const counted = this.config.rateLimits === 'off' ? [] : windows;
    if (!nonce) {
      const [usages, write] = await Promise.all([this.count(counted), this.beginWrite(accessed)]);
      return { verdict: 'fresh', usages, ...(write && { write }) };
    }
    if (!this.started) await this.start();
    const outcome = await this.take(nonce, counted, this.writes && accessed);
    return typeof outcome === 'string' ? { verdict: outcome, usages: [] } : { verdict: 'fresh', ...outcome };
  }

  /** The write of a request without a nonce, such as one with a token of OAuth 2.0; its reads use the primary. */
  private async beginWrite(accessed?: AccessedRows): Promise<WriteInProgress | undefined> {
    if (!this.writes || !accessed?.isWrite) return undefined;
    if (!this.started) await this.start();
    return this.writes.begin({ owners: accessed.owners, token: this.newToken() });
  }

  /** Identifies an attempt over all replicas. */
  private newToken(): string {
    return `${this.epochs.id}${this.attempts++}`;
  }

  /** Call this before a write is answered, unless it is unknown whether it was stored. Usually returns at once. */
  async finishWrite(write: WriteInProgress): Promise<void> {
    await this.writes?.finishWrite(write);
  }

  /**
   * The usages when the nonce is fresh, otherwise the reason that it is not. Decides again when the epoch changes
   * meanwhile.
   */
  private async take(
    nonce: SignedNonce,
    windows: RateWindow[],
    accessed?: AccessedRows,
  ): Promise<AcceptedRequest | Exclude<NonceVerdict, 'fresh'>> {
    const { timestamp } = nonce;
    const digest = nonceDigestOf(nonce);
    const token = this.newToken();
    const attempt: NonceAttempt = { digest, home: slotKeyOf(nonce), timestamp, token, windows };
    if (accessed) attempt.access = this.writes?.access(accessed.owners, accessed.isWrite);
    const deadline = performance.now() + PATIENCE_MS;
    let acceptedBy: string | undefined;
    let usages: WindowUsage[] | undefined;
    let remembered: RememberedWrites | undefined;
    let handedOverIn: number | undefined;

    do {
      const epoch = this.epochs.current ?? (await this.epochs.whenCurrent(deadline));
      if (!epoch) break;
      if (timestamp < epoch.oldestTimestamp) {
        if (timestamp < epoch.oldestHandedOver) return 'too-old';
        // the request was under way when the epoch began, or what others accept was unknown: a client that stops at a 401
        // must retry
        throw new Unavailable('the service cannot tell whether the nonce was used');
      }
      // A nonce that this process handed over in the last epoch, without admitting the request, is not used.
      const isHandedOverByUs = handedOverIn === epoch.number - 1 || handedOverIn === epoch.number;
      if (!isHandedOverByUs && epoch.handedOver.has(digest)) return 'used';

      if (acceptedBy !== epoch.generation) {
        const answer = await this.askStore(epoch, attempt);
        if (!answer) continue;
        if (answer.verdict !== 'fresh') return answer.verdict;
        acceptedBy = epoch.generation;
        usages ??= answer.usages;
        ({ remembered } = answer);
        if (usages) attempt.windows = [];
      }
      if (!this.epochs.isInForce(epoch)) continue;

      if (timestamp * 1000 > this.clock.ms() + this.epochs.mostAheadMs) {
        if (handedOverIn !== epoch.number) await this.epochs.handOver(timestamp, digest);
        handedOverIn = epoch.number;
        if (!this.epochs.isInForce(epoch)) continue;
      } else this.epochs.recordAccepted(timestamp, digest);
      const accepted = { usages: usages ?? this.localWindows.count(windows) };
      return attempt.access
        ? { ...accepted, ...this.tracked(attempt.access, attempt.token, epoch, remembered) }
        : accepted;
    } while (performance.now() < deadline);
    // a new signature would not help
    throw new Unavailable('the replicas have not agreed on where nonces are checked');
  }

  /** With read replicas: what a read admitted in this epoch must see, or the write in progress. */
  private tracked(
    access: RowOwners,
    token: string,
    epoch: Epoch,
    remembered?: RememberedWrites,
  ): Partial<AcceptedRequest> {
    const { owners, isWrite } = access;
    if (isWrite) return { write: { owners, token, epoch, admittedAt: this.clock.ms() } };
    return { freshness: this.writes?.freshness(epoch, access, remembered) };
  }

  /** The decision of the epoch's store; undefined when its answer ended the epoch. */
  private async askStore(epoch: Epoch, attempt: NonceAttempt): Promise<NonceDecision | undefined> {
    let answer: NonceAnswer | undefined;
    try {
      answer = await this.stores[epoch.store]?.take(attempt, epoch.generation);
    } catch (error) {
      // The table is the last resort: there is no other store.
      if (epoch.store === 'table') throw error;
    }
    if (!answer) await this.epochs.persist(epoch);
    else if (answer.verdict === 'lost') await this.epochs.storeLost(epoch, answer.generation);
    else return answer;
    return undefined;
  }

  /** Refunds a counted request unless its window is over; while Redis is unavailable it stays counted there. */
  async refund(window: RateWindow, usage: WindowUsage): Promise<void> {
    if (this.redis?.ready)
      await refundInRedis(this.redis, this.config.redisPrefix, window, usage).catch(() => undefined);
    else this.localWindows.refund(window, usage);
  }

  private async count(windows: RateWindow[]): Promise<WindowUsage[]> {
    if (windows.length > 0 && this.redis?.ready) {
      try {
        return await countInRedis(this.redis, this.config.redisPrefix, windows, this.clock.ms());
      } catch {
        // Redis became unavailable: this process counts them, as without Redis.
      }
    }
    return this.localWindows.count(windows);
  }
}
