import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { inBackground } from '../../common/concurrency/background.js';
import type { Clock } from '../../common/time/clock.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import type { OwnConnection } from '../../common/db/query/statement.js';
import type { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { EpochStatements, type ReplicasBehind } from './nonces.statements.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import { Epoch, HANDED_OVER_SECONDS, NO_DIGESTS, type EpochRow } from './epoch.js';
import type { NonceStoreKind, NonceStore } from './nonce-store.js';
import { RecentNonces, type DigestsOfSecond } from './recent-nonces.js';

/** The channel that announces a new epoch. */
const CHANNEL = 'nonces';
/** Shorter than the second for which the loss of a store may stay unnoticed (see Epoch.oldestHandedOver). */
const HEARTBEAT_MS = 500;
/** The time in which a process may admit requests after it last read the epoch in force. */
const LEASE_MS = 2_000;
/**
 * A nonce with a timestamp further ahead of this clock is handed over before it is accepted; RecentNonces holds the
 * others.
 */
const MAX_AHEAD_MS = 250;
/** Maximum difference between the clocks of two replicas. */
const CLOCK_SKEW_MS = 500;
/**
 * The time after its last sign of life in which a process may have accepted nonces, including the range of their timestamps.
 */
const SILENCE_MS = LEASE_MS + MAX_AHEAD_MS + CLOCK_SKEW_MS;
/** RecentNonces keeps nonces this much longer than needed; the clocks of replicas differ by less. */
const CLOCK_MARGIN_SECONDS = 5;
/**
 * An epoch that began this far in the future shows that the clock was moved back; clocks of replicas differ by less.
 */
const MOVED_BACK_MS = 10_000;
/** Redis decides again once all replicas have found it healthy for this long. */
const REDIS_HEALTHY_MS = 3_000;
const POLL_MS = 25;
const HEARTBEATS_PER_CLEANUP = 30;

export type NonceStores = Partial<Record<NonceStoreKind, NonceStore>>;

/**
 * Agrees with the other replicas on the epoch in force, that is, on which nonce store decides, and hands used nonces over
 * from one epoch to the next, so that none is accepted twice when the store changes or loses what it has recorded.
 *
 * A process holds a lease: it may decide in the epoch that it knows for 2 s after it last read the database, and renews
 * the lease with each heartbeat. The protocol, and why it suffices: the README of this folder and
 * docs/decisions/0005-replay.md.
 */
export class Epochs {
  /** Identifies this process among the replicas. */
  readonly id = randomBytes(12).toString('base64url');
  private readonly logger = new Logger('Replay');
  private readonly statements: EpochStatements;
  private readonly recent = new RecentNonces();
  private epoch?: Epoch;
  /** The number of the epoch to which `recent` was last handed over. */
  private handedOverTo = 0;
  /** When the lease ends, by this process's clock, in milliseconds. */
  private leaseEnd = -Infinity;
  /** When Redis became healthy, while another store decides. */
  private redisSince: number | null = null;
  private renewal?: Promise<void>;
  private change?: Promise<void>;
  private heartbeatRunning = false;
  private heartbeats = 0;
  /** The last error that prevented the renewal of the lease, or the settling of the epoch. */
  private failure?: Error;
  private timer?: NodeJS.Timeout;
  private running = false;
  private unsubscribe?: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly db: EntityManager,
    connection: OwnConnection,
    private readonly notifications: Pick<DatabaseNotifications, 'publish' | 'on'>,
    private readonly stores: NonceStores,
    /** The store that decides without Redis, or while it is unavailable. */
    private readonly fallback: 'table' | 'process',
    /** For a database that belongs to this process alone: when every other process had stopped, in milliseconds. */
    private readonly othersStoppedBy?: number,
  ) {
    this.statements = new EpochStatements(connection);
  }

  /**
   * Maximum milliseconds that the timestamp of a nonce may be ahead of this clock without the nonce being handed over
   * before it is accepted. 0 for a process that owns its database, since it cannot wait for its predecessor to hand
   * over.
   */
  get mostAheadMs(): number {
    return this.othersStoppedBy === undefined ? MAX_AHEAD_MS : 0;
  }

  async start(): Promise<void> {
    this.running = true;
    this.unsubscribe = this.notifications.on(CHANNEL, () => void this.refresh().catch(() => undefined));
    this.timer = setInterval(() => inBackground(this.heartbeat(), 'the heartbeat of a replica'), HEARTBEAT_MS);
    this.timer.unref();
    await this.heartbeat();
  }

  /**
   * Hands over the accepted nonces of this process, so that no other has to wait for it. No request may be admitted
   * afterwards.
   */
  async stop(): Promise<void> {
    this.running = false;
    this.unsubscribe?.();
    clearInterval(this.timer);
    this.leaseEnd = -Infinity;
    await this.renewal?.catch(() => undefined);
    try {
      await this.statements.handOver(this.recent.since(0));
      await this.statements.deleteReplica(this.id);
    } finally {
      await this.statements.close();
    }
  }

  /** The number of the epoch that this process has adopted; 0 before the first one. */
  get number(): number {
    return this.epoch?.number ?? 0;
  }

  /** The epoch in force, if this process may decide in it right now. */
  get current(): Epoch | undefined {
    const { epoch } = this;
    return epoch?.settled && this.hasLease && !this.beganInFuture(epoch) ? epoch : undefined;
  }

  /**
   * The epoch in force, as soon as this process may decide in it; undefined when it may not until `deadline`, by
   * performance.now(). Rejects when the database failed until then.
   */
  async whenCurrent(deadline: number): Promise<Epoch | undefined> {
    while (performance.now() < deadline) {
      const { epoch } = this;
      if (!this.hasLease) await this.renewLease().catch(() => undefined);
      else if (epoch && this.beganInFuture(epoch)) await this.begin(epoch, epoch.store, () => epoch.generation, true);
      if (this.current) return this.current;
      await pause(POLL_MS);
    }
    if (this.failure) throw this.failure;
    return undefined;
  }

  /** True if a decision made in this epoch still counts. */
  isInForce(epoch: Epoch): boolean {
    return this.epoch === epoch && this.hasLease;
  }

  /** The ids of all processes that may admit requests now. */
  processes(): Promise<string[]> {
    return this.statements.replicasSince(this.clock.ms() - SILENCE_MS);
  }

  private get hasLease(): boolean {
    const now = this.clock.ms();
    return now <= this.leaseEnd && now >= this.leaseEnd - LEASE_MS && this.clock.isSteady;
  }

  private beganInFuture(epoch: Epoch): boolean {
    return epoch.beganAt > this.clock.ms() + MOVED_BACK_MS;
  }

  /** Keeps an accepted nonce in this process, to be handed over when the epoch changes. */
  recordAccepted(timestamp: number, digest: string): void {
    this.recent.add(timestamp, digest);
  }

  /** Stores a nonce for all later epochs, independently of this process. */
  async handOver(timestamp: number, digest: string): Promise<void> {
    await this.statements.handOver([{ timestamp, digests: [digest] }]);
  }

  /** The store of this epoch has lost its nonces: begins the next epoch with its present generation. */
  storeLost(epoch: Epoch, generation: string): Promise<void> {
    return this.begin(epoch, epoch.store, () => generation);
  }

  /** The store of this epoch does not respond: begins the next epoch with the fallback. */
  persist(epoch: Epoch): Promise<void> {
    this.redisSince = null;
    return this.begin(epoch, this.fallback, () => this.stores[this.fallback]!.generation());
  }

  /** Begins the epoch after `last`, unless another replica has; either way the one in force is adopted. */
  private async begin(
    last: Epoch,
    store: NonceStoreKind,
    generation: () => string | Promise<string>,
    mayBeEarlier = false,
  ): Promise<void> {
    if (this.epoch !== last) return;
    this.change ??= (async () => {
      const next = { store, generation: await generation(), beganAt: this.clock.ms() };
      const row = await this.statements.beginNext(last.number, next, mayBeEarlier);
      if (!row) return this.refresh();
      this.logger.log(`Epoch ${row.number} begins: nonces are checked in ${store}`);
      this.adopt(row);
      await this.notifications.publish(this.db, CHANNEL, String(row.number));
    })().finally(() => (this.change = undefined));
    await this.change;
  }

  /** Reports that this process is alive and reads the epoch in force, which gives it another lease. */
  private renewLease(): Promise<void> {
    this.renewal ??= (async () => {
      // a row with a wrong time would hide this process from the others, or make them wait for it
      if (!this.clock.isSteady)
        throw new Unavailable("the machine's clock changed, and the service is measuring the time again");
      const seenAt = this.clock.ms();
      const before = this.epoch;
      // The row before the epoch: a replica that begins an epoch after this process read the last one then finds its
      // row.
      await this.statements.saveReplica({ id: this.id, seenAt, epoch: this.handedOverTo, redisSince: this.redisSince });
      await this.refresh();
      if (this.epoch === before) this.discardBefore(Math.floor(seenAt / 1000));
      if (this.running) this.leaseEnd = seenAt + LEASE_MS;
      this.failure = undefined;
    })()
      .catch((error: Error) => {
        this.failure = error;
        throw error;
      })
      .finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async heartbeat(): Promise<void> {
    if (this.heartbeatRunning) return;
    this.heartbeatRunning = true;
    try {
      await this.renewLease();
      if (this.epoch) await this.checkStore(this.epoch);
      if (++this.heartbeats % HEARTBEATS_PER_CLEANUP === 0) await this.statements.deleteExpired(this.clock.ms());
    } catch (error) {
      if (this.running) this.logger.warn(error instanceof Error ? error.message : String(error));
    } finally {
      this.heartbeatRunning = false;
    }
  }

  /** Discards timestamps that no later epoch would accept, with a margin for differing clocks. */
  private discardBefore(second: number): void {
    this.recent.deleteBefore(second - HANDED_OVER_SECONDS - CLOCK_MARGIN_SECONDS);
    const { epoch } = this;
    if (epoch?.settled && second > epoch.oldestTimestamp + RETENTION_SECONDS) epoch.handedOver = NO_DIGESTS;
  }

  /** Detects a store that is unavailable or has lost its nonces before a request does. */
  private async checkStore(epoch: Epoch): Promise<void> {
    const generation = await this.stores[epoch.store]?.generation().catch(() => undefined);
    if (!this.running) return;
    // The database was used with Redis, or by several processes, and now belongs to this process alone.
    const isSharedStore = this.fallback === 'process' && epoch.store !== 'process';
    if (generation === undefined || isSharedStore) return this.persist(epoch);
    if (generation !== epoch.generation) return this.storeLost(epoch, generation);
    if (epoch.store === 'table') await this.returnToRedis(epoch);
  }

  /** Begins an epoch of Redis once it has been healthy for long enough, for every replica. */
  private async returnToRedis(epoch: Epoch): Promise<void> {
    const generation = await this.stores.redis?.generation().catch(() => undefined);
    if (generation === undefined) {
      this.redisSince = null;
      return;
    }
    const now = this.clock.ms();
    this.redisSince ??= now;
    if (now - this.redisSince < REDIS_HEALTHY_MS) return;
    if (!(await this.statements.allFindRedisHealthy(now - SILENCE_MS, now - REDIS_HEALTHY_MS))) return;
    await this.begin(epoch, 'redis', () => generation);
  }

  /** Reads and adopts the epoch in force, and begins the first one in a database that has none. */
  private async refresh(): Promise<void> {
    const row = await this.statements.readEpoch();
    if (row) return this.adopt(row);
    const generation = await this.stores.redis?.generation().catch(() => undefined);
    await this.statements.beginFirst({
      number: (this.epoch?.number ?? 0) + 1,
      // In a database that never had an epoch, no nonce is used, so that no timestamp is too old.
      beganAt: this.epoch ? this.clock.ms() : 0,
      store: generation === undefined ? this.fallback : 'redis',
      generation: generation ?? (await this.stores[this.fallback]!.generation()),
    });
    const first = await this.statements.readEpoch();
    if (first) this.adopt(first);
  }

  private adopt(row: EpochRow): void {
    if (this.epoch && row.number <= this.epoch.number) return;
    const last = this.epoch;
    const epoch = new Epoch(row);
    // From here on nothing is accepted in the last epoch, so that `recent` is complete.
    this.epoch = epoch;
    inBackground(this.settle(epoch, last, this.recent.since(epoch.oldestHandedOver)), 'handing over nonces');
  }

  /**
   * Hands over this process's nonces, waits until every other replica has handed over its own, and loads all of them.
   */
  private async settle(epoch: Epoch, last: Epoch | undefined, ours: DigestsOfSecond[]): Promise<void> {
    let handedOver = false;
    while (this.epoch === epoch && this.running) {
      try {
        if (!handedOver) {
          await this.statements.handOver(ours);
          this.handedOverTo = Math.max(this.handedOverTo, epoch.number);
          await this.statements.markHandedOver(this.id, this.handedOverTo);
          handedOver = true;
        }
        if (this.othersStoppedBy !== undefined)
          return await this.settleAlone(epoch, this.othersStoppedBy, last?.generation !== epoch.generation);
        const from = epoch.oldestHandedOver * 1000 - SILENCE_MS;
        const lagging = await this.statements.replicasBehind(epoch.number, from, this.clock.ms() + MOVED_BACK_MS);
        const oldestTimestamp = Math.max(epoch.oldestHandedOver, lagging ? this.secondAfter(lagging, epoch, last) : 0);
        // while its own timestamps are still of that time, a request that is signed again would be rejected, too
        if (!lagging || this.clock.seconds() >= oldestTimestamp) {
          return epoch.settle(oldestTimestamp, await this.statements.handedOverSince(epoch.oldestHandedOver));
        }
      } catch (error) {
        this.failure = error as Error;
      }
      await pause(POLL_MS);
    }
  }

  /**
   * The first timestamp that silent replicas, which do not hand over, cannot have accepted: their accepted nonces are
   * unknown.
   */
  private secondAfter({ inLast, before }: ReplicasBehind, epoch: Epoch, last?: Epoch): number {
    const isFenced =
      last?.number === epoch.number - 1 &&
      last.store === epoch.store &&
      this.stores[epoch.store]?.isFenced(last.generation, epoch.generation);
    // without the store, no replica accepts anything in the last epoch, however long its lease
    const untilInLast = isFenced ? epoch.beganAt : (inLast ?? 0) + LEASE_MS;
    const until = Math.max(inLast === null ? 0 : untilInLast, (before ?? 0) + LEASE_MS);
    return Math.floor((until + CLOCK_SKEW_MS + MAX_AHEAD_MS) / 1000) + 1;
  }

  /**
   * Like settle, without other replicas: what earlier processes accepted has older timestamps than their end, or was
   * handed over.
   */
  private async settleAlone(epoch: Epoch, othersStoppedBy: number, isNewGeneration: boolean): Promise<void> {
    // In the first epoch of a database, no nonce is used yet.
    const afterOthers = epoch.beganAt === 0 ? 0 : Math.floor(othersStoppedBy / 1000) + 1;
    const oldestTimestamp = isNewGeneration ? afterOthers : Math.max(afterOthers, epoch.oldestHandedOver);
    epoch.settle(oldestTimestamp, await this.statements.handedOverSince(oldestTimestamp));
  }
}
