import { setTimeout as pause } from 'node:timers/promises';
import { inBackground } from '../../concurrency/background.js';
import type { ServerConnection } from '../postgres/own-connection.js';
import { hasReplayed, walPosition, type WalPosition } from '../query/freshness.js';

const INTERVAL_MS = 200;
/** Time for which a write waits for others, so that one statement finds the position of all of them. */
const GATHER_MS = 10;
/** While a statement fails, writes that wait for their position ask again after this time. */
const RETRY_MS = 250;

/** Where the log of a primary ends. A standby has no such position. */
const STATEMENT = {
  text: `SELECT CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END AS timeline,
    CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn()::text END AS lsn`,
};

interface Sample {
  position: WalPosition;
  /** When it was asked for, in performance.now(): everything committed before is at or before the position. */
  askedAt: number;
}

/**
 * Where the write-ahead log of the primary ended, and when. A replica that has replayed a position has everything that
 * was committed before the position was asked for: this bounds its lag without comparing clocks.
 */
export class PrimaryPositions {
  /** The oldest first. */
  private samples: Sample[] = [];
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private upcoming?: Promise<WalPosition | undefined>;

  /** `keepMs`: how old a position may be that `coveredSince` finds. */
  constructor(
    private readonly connection: Pick<ServerConnection, 'run' | 'renew' | 'close'>,
    private readonly keepMs: number,
  ) {}

  async start(): Promise<void> {
    await this.look();
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  /** A position at or after everything that was committed before this call; undefined when it stops before. */
  next(): Promise<WalPosition | undefined> {
    return (this.upcoming ??= this.gather());
  }

  /**
   * A time, in performance.now(), such that a server with this replayed position has everything that was committed
   * before it: the latest one known, or undefined when it is longer ago than positions are kept.
   */
  coveredSince(replayed: WalPosition): number | undefined {
    return this.samples.findLast(({ position }) => hasReplayed(replayed, position))?.askedAt;
  }

  private async gather(): Promise<WalPosition | undefined> {
    await pause(GATHER_MS, undefined, { ref: false });
    // a write that ends from here on may not be covered
    this.upcoming = undefined;
    while (!this.stopped) {
      const position = await this.look();
      if (position !== undefined) return position;
      await pause(RETRY_MS, undefined, { ref: false });
    }
    return undefined;
  }

  private schedule(): void {
    if (!this.stopped)
      this.timer = setTimeout(
        () =>
          inBackground(
            this.look().finally(() => this.schedule()),
            'watching the primary',
          ),
        INTERVAL_MS,
      ).unref();
  }

  /** Takes a sample. Returns undefined while the primary does not respond. */
  private async look(): Promise<WalPosition | undefined> {
    const askedAt = performance.now();
    try {
      const [{ timeline, lsn }] = await this.connection.run<{ timeline: string | null; lsn: string | null }>(STATEMENT);
      if (timeline === null || lsn === null) {
        // the address may lead to another server now
        this.connection.renew();
        return undefined;
      }
      const position = walPosition(parseInt(timeline, 16), lsn);
      this.keep({ position, askedAt });
      return position;
    } catch {
      // the heartbeat of the database reports it
      return undefined;
    }
  }

  private keep(sample: Sample): void {
    const oldest = performance.now() - this.keepMs;
    // under load a position is asked for with every few writes, and the lag needs no such precision
    const before = this.samples.at(-2);
    if (before && sample.askedAt - before.askedAt < INTERVAL_MS / 2) this.samples.pop();
    this.samples.push(sample);
    if (this.samples[0].askedAt < oldest) this.samples = this.samples.filter(({ askedAt }) => askedAt >= oldest);
  }
}
