import { setTimeout as pause } from 'node:timers/promises';
import { inBackground } from '../../common/concurrency/background.js';
import type { Clock } from '../../common/time/clock.js';
import {
  announceProcess,
  locateWrites,
  rememberWrite,
  type RowOwners,
  type RememberedWrites,
  type WriteToken,
} from '../../common/db/read-replicas/remembered-writes.js';
import type { ReadReplicas } from '../../common/db/read-replicas/read-replicas.js';
import type { Freshness, WalPosition } from '../../common/db/query/freshness.js';
import { UNIDENTIFIED_SERVER, type RedisLink } from '../../common/redis/redis.js';
import type { Epoch } from './epoch.js';
import type { Epochs } from './epochs.js';

/** A write that ends later than this after its admission is remembered again before it is answered. */
const IN_TIME_MS = 10_000;
/** The clocks of Redis and of the service may drift apart by this while a write is remembered. */
const MARGIN_MS = 60_000;
/** The time in which a process may still answer writes of the last epoch after the next one began, with a margin. */
const LAST_EPOCH_MS = 5_000;
/** Interval of the check that all others remember their writes, too, and the validity of its result. */
const ANNOUNCED_EVERY_MS = 500;
const ANNOUNCED_MS = 2_000;
const FORGOTTEN_MS = 10_000;
/** The time a write waits until this process knows the epoch in force. */
const PATIENCE_MS = 1_500;

/** A write in progress. */
export interface WriteInProgress extends WriteToken {
  /** The epoch in which it was admitted; undefined if this process did not know it. */
  epoch?: Epoch;
  /** In milliseconds of the service's time; -Infinity if it is not remembered yet. */
  admittedAt: number;
}

/** A batch of writes that have ended, whose position comes with the next answer of the primary. */
interface Batch {
  position: Promise<WalPosition | undefined>;
  writes: WriteToken[];
}

/**
 * Remembers in Redis the writes of accounts and users, so that their next reads use a read replica only if it has
 * replayed them. The round trip that takes the nonce of a write marks it as in progress, before it can store anything.
 * After it has ended, the position of the primary replaces the mark. The round trip that takes the nonce of a read
 * returns both. Epochs tell when Redis may have lost marks: then reads use the primary until every replica in use has
 * replayed what was written before. They also do while some process does not remember its writes, as in the middle of a
 * rollout that turns read replicas on.
 */
export class WriteTracker {
  private batch?: Batch;
  /** Until when all processes are known to remember their writes, in performance.now(). */
  private completeUntil = -Infinity;
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly replicas: Pick<ReadReplicas, 'nextPosition' | 'maxLagMs'>,
    private readonly redis: RedisLink,
    private readonly prefix: string,
    private readonly clock: Pick<Clock, 'ms'>,
    private readonly epochs: Pick<Epochs, 'id' | 'current' | 'whenCurrent' | 'isInForce' | 'processes'>,
  ) {}

  /** Call this before this process joins the others. */
  async start(): Promise<void> {
    await this.announce();
    const again = () => {
      this.timer = setTimeout(
        () =>
          inBackground(
            this.compare().finally(() => this.stopped || again()),
            'comparing writes',
          ),
        ANNOUNCED_EVERY_MS,
      ).unref();
    };
    again();
  }

  /** The access of a request, for the round trip that takes its nonce. */
  access(owners: readonly string[], isWrite: boolean): RowOwners {
    return { owners, isWrite, rememberedMs: this.rememberedMs };
  }

  /** Remembers a write without a nonce, before it can store anything. If it cannot, `finishWrite` does so before the answer. */
  async begin(write: WriteToken): Promise<WriteInProgress> {
    const { current: epoch } = this.epochs;
    if (epoch?.store !== 'redis') return { ...write, epoch, admittedAt: -Infinity };
    const admittedAt = this.clock.ms();
    try {
      await rememberWrite(this.redis, this.prefix, write, admittedAt, this.rememberedMs);
      return { ...write, epoch, admittedAt };
    } catch {
      return { ...write, epoch, admittedAt: -Infinity };
    }
  }

  /** The state that the reads of a request of this epoch must see. */
  freshness(epoch: Epoch, { owners }: RowOwners, remembered: RememberedWrites | undefined): Freshness {
    const [owner] = owners;
    const since = this.clock.ms() - epoch.beganAt;
    // one without a name may have returned to an old snapshot
    const mayKnow = epoch.store === 'redis' && !epoch.generation.startsWith(UNIDENTIFIED_SERVER);
    const isKnown = mayKnow && remembered && performance.now() < this.completeUntil;
    if (!isKnown || since < this.replicas.maxLagMs + LAST_EPOCH_MS) return { owner, primaryBecause: 'unknown' };
    return remembered.writing ? { owner, primaryBecause: 'writing' } : { owner, position: remembered.position };
  }

  /**
   * Call this before a write is answered, unless it is unknown whether it was stored: then it stays in progress until
   * it is forgotten. Usually returns at once.
   */
  async finishWrite(write: WriteInProgress): Promise<void> {
    const age = this.clock.ms() - write.admittedAt;
    const { epoch } = write;
    const inTime = epoch?.store === 'redis' && age >= 0 && age < IN_TIME_MS;
    if ((inTime && this.epochs.isInForce(epoch)) || (await this.renew(write))) this.locate(write);
  }

  /** Waits until the positions of writes that have ended are stored. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.batch = undefined;
    await this.storing;
  }

  private announce(): Promise<ReadonlySet<string>> {
    const { redis, prefix, epochs, clock } = this;
    return announceProcess(redis, prefix, epochs.id, clock.ms(), FORGOTTEN_MS).catch(() => new Set());
  }

  /** Finds out whether all processes that may admit requests remember their writes. */
  private async compare(): Promise<void> {
    const askedAt = performance.now();
    const [remembering, processes] = await Promise.all([
      this.announce(),
      this.epochs.processes().catch(() => undefined),
    ]);
    if (processes?.every((id) => remembering.has(id))) this.completeUntil = askedAt + ANNOUNCED_MS;
    else if (processes) this.completeUntil = -Infinity;
  }

  private get rememberedMs(): number {
    return IN_TIME_MS + this.replicas.maxLagMs + MARGIN_MS;
  }

  /**
   * Remembers it in the epoch in force, if that is one of Redis. If it cannot, waits until every replica in use has
   * replayed the write.
   */
  private async renew(write: WriteInProgress): Promise<boolean> {
    const deadline = performance.now() + PATIENCE_MS;
    const epoch = this.epochs.current ?? (await this.epochs.whenCurrent(deadline).catch(() => undefined));
    // its reads use the primary, and so do the first ones of the next epoch
    if (epoch && epoch.store !== 'redis') return false;
    try {
      if (epoch) {
        await rememberWrite(this.redis, this.prefix, write, this.clock.ms(), this.rememberedMs);
        if (this.epochs.isInForce(epoch)) return true;
      }
    } catch {
      // as below
    }
    await pause(this.replicas.maxLagMs, undefined, { ref: false });
    return false;
  }

  private locate(write: WriteToken): void {
    const position = this.replicas.nextPosition();
    if (this.batch?.position !== position) {
      const batch: Batch = (this.batch = { position, writes: [] });
      this.storing = position
        .then((found) => (found === undefined ? undefined : this.store(batch.writes, found)))
        .catch(() => undefined);
    }
    this.batch.writes.push(write);
  }

  /** If Redis does not respond, they stay in progress until they are forgotten. */
  private store(writes: readonly WriteToken[], position: WalPosition): Promise<void> {
    return locateWrites(this.redis, this.prefix, writes, position, this.rememberedMs);
  }
}
