import { Clock } from '../../clock.js';

/** As many measurements are kept: those of the last ten seconds. */
const MAX_SAMPLES = 20;
/** By how much more two clocks may differ than the measurements say, and how far they may drift apart per millisecond. */
const SLACK_MS = 1;
const DRIFT = 0.0005;
/** A difference is made good by so much of each millisecond, so that replicas that measure it at different moments still agree. */
const SLEW = 0.2;
/** A larger one is made good at once. */
const MAX_SLEWED_MS = 2_000;
/** The machine's clock was moved, or the process was suspended, where it has gone on by so much more or less than the ticks have. */
const STEP_MS = 250;

/** A measurement: what to add to the ticks for the server's time, and by how much that may be wrong. */
interface Sample {
  offset: number;
  error: number;
  at: number;
}

/**
 * The time by the clock of the database server, which all replicas share. It is measured with each sign of life of the server, and
 * goes on by the process's own ticks in between, so that moving the machine's clock does not move it. Of the measurements of the last ten
 * seconds the one with the shortest round trip counts. Until the first one it is the machine's time.
 */
export class ServerTime {
  private samples: Sample[] = [];
  private offset?: number;
  /** How far ahead of the measured time this one was when the measurement changed; it shrinks with time. */
  private gap = 0;
  private gapAt = 0;
  /** The machine's time less the ticks, when it was last measured. */
  private machineOffset = 0;

  constructor(
    private readonly machine: () => number = () => Clock.machineMs(),
    private readonly ticks: () => number = () => performance.now(),
  ) {}

  /** Takes the server's time into account, in milliseconds, that was asked for and received at these ticks. */
  observe(serverMs: number, sentAt: number, receivedAt: number): void {
    const sample = { offset: serverMs - (sentAt + receivedAt) / 2, error: (receivedAt - sentAt) / 2, at: receivedAt };
    // one that contradicts the newest was measured before the server's clock was moved, or on another server
    this.samples = [...this.samples.filter((each) => agree(each, sample)).slice(1 - MAX_SAMPLES), sample];
    const best = this.samples.reduce((found, each) => (each.error < found.error ? each : found));
    const jump = this.offset === undefined ? 0 : this.offset + this.gapLeft(receivedAt) - best.offset;
    this.gap = Math.abs(jump) > MAX_SLEWED_MS ? 0 : jump;
    this.gapAt = receivedAt;
    this.offset = best.offset;
    this.machineOffset = this.machine() - this.ticks();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    if (this.offset === undefined) return this.machine();
    const ticks = this.ticks();
    return ticks + this.offset + this.gapLeft(ticks);
  }

  /** False from the moment at which the machine's clock was moved, or the process suspended, until the time is measured again. */
  get isSteady(): boolean {
    return this.offset === undefined || Math.abs(this.machine() - this.ticks() - this.machineOffset) < STEP_MS;
  }

  /** By how many milliseconds the machine's clock is ahead of the server's; undefined until it is measured. */
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
