import { Clock } from '../../time/clock.js';

/** Number of measurements kept: those of the last ten seconds. */
const MAX_SAMPLES = 20;
/** Additional error of two clocks beyond the measurements, and their maximum drift per millisecond. */
const SLACK_MS = 1;
const DRIFT = 0.0005;
/**
 * The part of each millisecond by which a difference is corrected, so that replicas that measure at different times
 * still agree.
 */
const SLEW = 0.2;
/** A larger difference is corrected at once. */
const MAX_SLEWED_MS = 2_000;
/**
 * A larger deviation between the machine's clock and the ticks means that the clock was set, or the process suspended.
 */
const STEP_MS = 250;

/** A measurement: the offset from ticks to the server's time, and its maximum error. */
interface Sample {
  offset: number;
  error: number;
  at: number;
}

/**
 * The time of the database server, which all replicas share. It is measured with each heartbeat of the server and
 * continues by the process's own ticks, so that setting the machine's clock does not change it. Among the measurements
 * of the last ten seconds, the one with the shortest round trip counts. Before the first one it is the machine's time.
 */
export class ServerTime {
  private samples: Sample[] = [];
  private offset?: number;
  /** How far ahead of the measured time this one was at the last measurement; it shrinks over time. */
  private gap = 0;
  private gapAt = 0;
  /** The machine's time minus the ticks, at the last measurement. */
  private machineOffset = 0;

  constructor(
    private readonly machine: () => number = () => Clock.machineMs(),
    private readonly ticks: () => number = () => performance.now(),
  ) {}

  /** Records the server's time, in milliseconds, with the ticks of its request and response. */
  observe(serverMs: number, sentAt: number, receivedAt: number): void {
    const sample = { offset: serverMs - (sentAt + receivedAt) / 2, error: (receivedAt - sentAt) / 2, at: receivedAt };
    // a sample that contradicts the newest predates a change of the server's clock, or is from another server
    this.samples = [...this.samples.filter((each) => agree(each, sample)).slice(1 - MAX_SAMPLES), sample];
    const best = this.samples.reduce((found, each) => (each.error < found.error ? each : found));
    const jump = this.offset === undefined ? 0 : this.offset + this.gapLeft(receivedAt) - best.offset;
    this.gap = Math.abs(jump) > MAX_SLEWED_MS ? 0 : jump;
    this.gapAt = receivedAt;
    this.offset = best.offset;
    this.machineOffset = this.machine() - this.ticks();
  }

  /**
   * Corrects what is left of a difference at once. For a start, when nobody has read the time: the first measurement
   * opens the connection, and a server that does not answer can make it wrong by a second.
   */
  settle(): void {
    this.gap = 0;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    if (this.offset === undefined) return this.machine();
    const ticks = this.ticks();
    return ticks + this.offset + this.gapLeft(ticks);
  }

  /** False after the machine's clock was set, or the process suspended, until the next measurement. */
  get isSteady(): boolean {
    return this.offset === undefined || Math.abs(this.machine() - this.ticks() - this.machineOffset) < STEP_MS;
  }

  /** How far the machine's clock is ahead of the server's, in milliseconds; undefined before the first measurement. */
  get skewMs(): number | undefined {
    return this.offset === undefined ? undefined : this.machine() - this.ticks() - this.offset;
  }

  private gapLeft(ticks: number): number {
    const left = Math.abs(this.gap) - SLEW * (ticks - this.gapAt);
    return left > 0 ? Math.sign(this.gap) * left : 0;
  }
}

const agree = (one: Sample, other: Sample): boolean =>
  Math.abs(one.offset - other.offset) <= one.error + other.error + SLACK_MS + DRIFT * Math.abs(other.at - one.at);
