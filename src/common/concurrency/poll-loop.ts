import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs a task repeatedly, never concurrently: when notified, and at a regular interval. Rounds start at least `minMs`
 * apart; with `share`, the task takes at most that share of the time. Errors are reported, and after `maxMs` the next round
 * retries. The signal tells a long task that the loop stops.
 */
export class PollLoop {
  private readonly stopped = new AbortController();
  private rung = true;
  private wake?: () => void;
  private loop?: Promise<void>;

  constructor(
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly failed: (error: unknown) => void,
    private readonly every: { minMs: number; maxMs: number; share?: number },
  ) {}

  start(): void {
    this.loop = this.go();
  }

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Resolves when the current round ends. */
  async stop(): Promise<void> {
    this.stopped.abort();
    this.ring();
    await this.loop;
  }

  private async go(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      const { minMs, maxMs, share = 1 } = this.every;
      const began = performance.now();
      this.rung = false;
      try {
        await this.work(signal);
      } catch (error) {
        this.failed(error);
        // A notification during the pause would only cause another failure.
        await pause(maxMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const took = performance.now() - began;
      const rest = Math.min(Math.max(minMs, took / share), maxMs) - took;
      if (rest > 0) await pause(rest, undefined, { signal }).catch(() => undefined);
      if (!this.rung) await this.rest();
    }
  }

  private async rest(): Promise<void> {
    const timer = setTimeout(() => this.wake?.(), this.every.maxMs);
    timer.unref();
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
    clearTimeout(timer);
  }
}
