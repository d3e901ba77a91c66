import { FrozenTime } from './frozen-time.js';

/** The time source of a clock. */
export interface TimeReference {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether `now` is reliable: false for a moment after the machine's clock was set. */
  readonly isSteady: boolean;
}

const MACHINE: TimeReference = { now: () => Date.now(), isSteady: true };

/**
 * The time for the whole service: SQL receives it as a parameter, so that moving this clock moves everything. With a
 * database server it is that server's time, so that all replicas agree; otherwise the machine's.
 */
export class Clock {
  private ahead = 0;
  private frozenAt: number | null = null;

  constructor(private readonly reference: TimeReference = MACHINE) {}

  /** The machine's time in milliseconds, independent of changes to this clock: for pauses by the database's `now()`. */
  static machineMs(): number {
    return Date.now();
  }

  /** Now, in milliseconds since the epoch. */
  ms(): number {
    return this.frozenAt ?? Math.floor(this.reference.now()) + this.ahead;
  }

  /** Now, in whole seconds since the epoch: the unit of OAuth timestamps and of rate limit headers. */
  seconds(): number {
    return Math.floor(this.ms() / 1000);
  }

  now(): Date {
    return new Date(this.ms());
  }

  /** Tells the time of something that stands still at `frozenTime` (ISO 8601), or follows the service without one. */
  timeOf({ frozenTime }: { frozenTime?: string | null }): () => Date {
    return () => (frozenTime ? new FrozenTime(frozenTime, this.now()) : this.now());
  }

  /** False when the machine's clock was just set, or the process suspended: the time will be measured again. */
  get isSteady(): boolean {
    return this.reference.isSteady;
  }

  /** Stops the clock at this time; `null` lets it follow its time source again. */
  set(at: Date | null): void {
    this.frozenAt = at?.getTime() ?? null;
    this.ahead = 0;
  }

  /** Moves the clock by this many milliseconds, forwards or back; a stopped one stays stopped. */
  advance(ms: number): void {
    if (this.frozenAt === null) this.ahead += ms;
    else this.frozenAt += ms;
  }
}
