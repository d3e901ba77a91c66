import { Injectable } from '@nestjs/common';

/** The time, for everything that asks for it: SQL receives it as a parameter, so that moving this clock moves the whole service. */
@Injectable()
export class Clock {
  private ahead = 0;
  private frozenAt: number | null = null;

  /** The machine's time in milliseconds, however this clock was moved: for pauses that pass by the database's `now()`. */
  static machineMs(): number {
    return Date.now();
  }

  /** Now, in milliseconds since the epoch. */
  ms(): number {
    return this.frozenAt ?? Date.now() + this.ahead;
  }

  /** Now, in whole seconds since the epoch: the unit of OAuth timestamps and of rate limit headers. */
  seconds(): number {
    return Math.floor(this.ms() / 1000);
  }

  now(): Date {
    return new Date(this.ms());
  }

  /** Stops the clock at this moment; `null` lets it follow the machine's again. */
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
