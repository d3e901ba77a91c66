import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../../common/clock.js';
import type { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import { Epoch, NOTHING, type EpochRow } from './epoch.js';
import { EpochTables } from './epoch-tables.js';
import type { NonceStoreKind, NonceStore } from './nonce-store.js';
import { RecentNonces } from './recent-nonces.js';

const CHANNEL = 'nonces';
/** Well below the second that a loss may go unnoticed (see Epoch.firstSecond). */
const BEAT_MS = 750;
/** How long after it last knew the epoch in force a process may decide. */
const LEASE_MS = 3_000;
/** A claim further ahead of our clock than this is carried at once; the others are in the memory of the process. */
const AHEAD_SECONDS = 2;
/** What a process that went silent may have let pass has timestamps up to this long after it was last seen. */
const SILENCE_MS = LEASE_MS + AHEAD_SECONDS * 1000;
/** Claims are kept in the process for so long beyond need; clocks of replicas may differ by less. */
const MARGIN_SECONDS = 5;
/** An epoch that begins so much after now shows that the clock was moved back, not that two clocks differ. */
const MOVED_BACK_MS = 10_000;
/** Redis decides again when all replicas found it well for so long. */
const WELL_MS = 3_000;
const POLL_MS = 25;
const CLEAR_EVERY_BEATS = 20;

export type NonceStores = Partial<Record<NonceStoreKind, NonceStore>>;

/**
 * Agrees with the other replicas on which memory decides, and sees to it that no claim is let pass again when that
 * changes. How, and why it is enough: docs/decisions/0005-replay.md.
 */
export class Epochs {
  readonly id = randomBytes(12).toString('base64url');
  private readonly logger = new Logger('Replay');
  private readonly tables: EpochTables;
  private readonly recent = new RecentNonces();
  private epoch?: Epoch;
  private marked = 0;
  private knownUntil = -Infinity;
  private redisSince: number | null = null;
  private renewing?: Promise<void>;
  private changing?: Promise<void>;
  private beating = false;
  private failure?: Error;
  private timer?: NodeJS.Timeout;
  private beats = 0;
  private running = false;
  private unhear?: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly db: EntityManager,
    private readonly notifications: Pick<DatabaseNotifications, 'publish' | 'on'>,
    private readonly stores: NonceStores,
    /** Which one decides where there is no Redis, or while it is away. */
    private readonly fallback: 'table' | 'process',
    /** By when every other process was gone, where this one has the store to itself. */
    private readonly othersGoneBy?: number,
  ) {
    this.tables = new EpochTables(db);
  }

  /** From how far ahead of our clock a claim is carried: a process that comes after us can wait for none that we keep. */
  get ahead(): number {
    return this.alone ? 0 : AHEAD_SECONDS;
  }

  /** Whether this process has the store to itself. */
  get alone(): boolean {
    return this.othersGoneBy !== undefined;
  }

  async start(): Promise<void> {
    this.running = true;
    this.unhear = this.notifications.on(CHANNEL, () => void this.look().catch(() => undefined));
    this.timer = setInterval(() => void this.beat(), BEAT_MS);
    this.timer.unref();
    await this.beat();
  }

  /** Hands over what this process let pass, so that nobody has to wait for it. Nothing may pass any more. */
  async stop(): Promise<void> {
    this.running = false;
    this.unhear?.();
    clearInterval(this.timer);
    this.knownUntil = -Infinity;
    await this.renewing?.catch(() => undefined);
    await this.tables.handOver(this.recent.since(0));
    await this.tables.leave(this.id);
  }

  /** The epoch in force, if this process may decide in it right now. */
  get current(): Epoch | undefined {
    const { epoch } = this;
    return epoch?.settled && this.upToDate && !this.movedBack(epoch) ? epoch : undefined;
  }

  /** The same, as soon as there is one; undefined when there was none until the deadline. */
  async settled(deadline: number): Promise<Epoch | undefined> {
    while (performance.now() < deadline) {
      const { epoch } = this;
      if (!this.upToDate) await this.renew().catch(() => undefined);
      else if (epoch && this.movedBack(epoch)) await this.change(epoch, epoch.store, () => epoch.generation, true);
      if (this.current) return this.current;
      await pause(POLL_MS);
    }
    if (this.failure) throw this.failure;
    return undefined;
  }

  /** Whether a decision made in this epoch may be acted on. */
  holds(epoch: Epoch): boolean {
    return this.epoch === epoch && this.upToDate;
  }

  private get upToDate(): boolean {
    const now = this.clock.ms();
    return now <= this.knownUntil && now >= this.knownUntil - LEASE_MS;
  }

  private movedBack(epoch: Epoch): boolean {
    return epoch.began > this.clock.ms() + MOVED_BACK_MS;
  }

  /** Remembers what was let pass, at once. */
  remember(timestamp: number, digest: string): void {
    this.recent.add(timestamp, digest);
  }

  /** Keeps a claim for all epochs to come, whatever happens to this process. */
  async handOver(timestamp: number, digest: string): Promise<void> {
    await this.tables.handOver([{ timestamp, digests: [digest] }]);
  }

  /** The memory of an epoch turned out to be another one than we knew. */
  lost(epoch: Epoch, generation: string): Promise<void> {
    return this.change(epoch, epoch.store, () => generation);
  }

  /** The memory of an epoch does not answer. */
  away(epoch: Epoch): Promise<void> {
    this.redisSince = null;
    return this.change(epoch, this.fallback, () => this.stores[this.fallback]!.generation());
  }

  /** Begins the epoch after this one, unless somebody was faster; then that one is adopted. */
  private async change(
    epoch: Epoch,
    memory: NonceStoreKind,
    generation: () => string | Promise<string>,
    earlier = false,
  ): Promise<void> {
    if (this.epoch !== epoch) return;
    this.changing ??= (async () => {
      const next = { store: memory, generation: await generation(), began: this.clock.ms() };
      const row = await this.tables.beginAfter(epoch.number, next, earlier);
      if (!row) return this.look();
      this.logger.log(`Epoch ${row.number} begins: ${memory} decides on nonces`);
      this.adopt(row);
      await this.notifications.publish(this.db, CHANNEL, String(row.number));
    })().finally(() => (this.changing = undefined));
    await this.changing;
  }

  /** Tells that this process lives and learns which epoch is in force; until it is asked again it may decide. */
  private renew(): Promise<void> {
    this.renewing ??= (async () => {
      const seenAt = this.clock.ms();
      const before = this.epoch;
      // First the row, then the epoch: whoever begins an epoch after we read it finds our row.
      await this.tables.report({ id: this.id, seenAt, epoch: this.marked, redisSince: this.redisSince });
      await this.look();
      if (this.epoch === before) this.forget(Math.floor(seenAt / 1000));
      if (this.running) this.knownUntil = seenAt + LEASE_MS;
      this.failure = undefined;
    })()
      .catch((error: Error) => {
        this.failure = error;
        throw error;
      })
      .finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async beat(): Promise<void> {
    if (this.beating) return;
    this.beating = true;
    try {
      await this.renew();
      if (this.epoch) await this.probe(this.epoch);
      if (++this.beats % CLEAR_EVERY_BEATS === 0) await this.tables.clear(this.clock.ms());
    } catch (error) {
      if (this.running) this.logger.warn(error instanceof Error ? error.message : String(error));
    } finally {
      this.beating = false;
    }
  }

  /** Nothing that is signed before this second, less what clocks differ by, can pass in an epoch that begins after it. */
  private forget(second: number): void {
    this.recent.forgetBefore(second - MARGIN_SECONDS);
    const { epoch } = this;
    if (epoch?.settled && second > epoch.since + RETENTION_SECONDS) epoch.handedOver = NOTHING;
  }

  /** Finds out by itself that a memory was lost or is away, so that the first request to come need not. */
  private async probe(epoch: Epoch): Promise<void> {
    const memory = this.stores[epoch.store];
    const generation = await memory?.generation().catch(() => undefined);
    if (!this.running) return;
    // A store that was served with Redis, or by several, before, and now by one process alone.
    const outgrown = this.fallback === 'process' && epoch.store !== 'process';
    if (generation === undefined || outgrown) return this.away(epoch);
    if (generation !== epoch.generation) return this.lost(epoch, generation);
    if (epoch.store === 'table') await this.probeRedis(epoch);
  }

  private async probeRedis(epoch: Epoch): Promise<void> {
    const generation = await this.stores.redis?.generation().catch(() => undefined);
    if (generation === undefined) {
      this.redisSince = null;
      return;
    }
    const now = this.clock.ms();
    this.redisSince ??= now;
    if (now - this.redisSince < WELL_MS || !(await this.tables.allFindRedisWell(now - SILENCE_MS, now - WELL_MS)))
      return;
    await this.change(epoch, 'redis', () => generation);
  }

  /** Reads which epoch is in force, and begins the first one where there never was one. */
  private async look(): Promise<void> {
    const row = await this.tables.epoch();
    if (row) return this.adopt(row);
    const generation = await this.stores.redis?.generation().catch(() => undefined);
    await this.tables.beginFirst({
      number: (this.epoch?.number ?? 0) + 1,
      // On a store that never knew an epoch nothing can have been used yet.
      began: this.epoch ? this.clock.ms() : 0,
      store: generation === undefined ? this.fallback : 'redis',
      generation: generation ?? (await this.stores[this.fallback]!.generation()),
    });
    const first = await this.tables.epoch();
    if (first) this.adopt(first);
  }

  private adopt(row: EpochRow): void {
    if (this.epoch && row.number <= this.epoch.number) return;
    const epoch = new Epoch(row);
    const begun = this.epoch?.generation !== row.generation;
    // From here on nothing passes in the epoch before, so this is all there will be to hand over.
    this.epoch = epoch;
    void this.settle(epoch, this.recent.since(epoch.firstSecond), begun);
  }

  /** Hands over our own claims, waits until every other replica has, and loads what came together. */
  private async settle(
    epoch: Epoch,
    claims: { timestamp: number; digests: string[] }[],
    begun: boolean,
  ): Promise<void> {
    let handedOver = false;
    while (this.epoch === epoch && this.running) {
      try {
        if (!handedOver) {
          await this.tables.handOver(claims);
          this.marked = Math.max(this.marked, epoch.number);
          await this.tables.mark(this.id, this.marked);
          handedOver = true;
        }
        if (this.othersGoneBy !== undefined) return await this.settleAlone(epoch, this.othersGoneBy, begun);
        const now = this.clock.ms();
        const from = epoch.firstSecond * 1000 - SILENCE_MS;
        const last = await this.tables.lastOutside(epoch.number, from, now + MOVED_BACK_MS);
        if (last === undefined || now > last + SILENCE_MS) {
          const silent = last === undefined ? 0 : Math.ceil((last + SILENCE_MS) / 1000) + 1;
          const carried = await this.tables.handedOverSince(epoch.firstSecond);
          return epoch.settle(Math.max(epoch.firstSecond, silent), carried);
        }
      } catch (error) {
        this.failure = error as Error;
      }
      await pause(POLL_MS);
    }
  }

  /** Nobody to wait for: what others let pass is older than their end, or was carried. */
  private async settleAlone(epoch: Epoch, othersGoneBy: number, begun: boolean): Promise<void> {
    // A store that never knew an epoch before has nothing that could have been used.
    const after = epoch.began === 0 ? 0 : Math.floor(othersGoneBy / 1000) + 1;
    const since = begun ? after : Math.max(after, epoch.firstSecond);
    epoch.settle(since, await this.tables.handedOverSince(since));
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
