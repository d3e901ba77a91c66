const TICK_MS = 50;

interface Waiting {
  readonly dueAt: number;
  readonly giveUp: () => void;
}

/**
 * Bounds how long answers are waited for, in turns of the event loop at least 50 ms apart and not by the clock: a process
 * that was held up for a second finds the answers of that second when it goes on, and nobody was late but itself.
 */
export class CommandTimeouts {
  private readonly waiting = new Set<Waiting>();
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly ms: number) {}

  /** The answer, or a rejection when it did not come. */
  await<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        dueAt: this.ticks + Math.ceil(this.ms / TICK_MS) + 1,
        giveUp: () => reject(new Error(`no answer within ${this.ms} ms`)),
      };
      this.waiting.add(waiting);
      this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
      answer.then(resolve, reject).finally(() => this.waiting.delete(waiting));
    });
  }

  private tick(): void {
    this.ticks++;
    // All have the same patience, so that those who wait longest come first.
    for (const waiting of this.waiting) {
      if (waiting.dueAt > this.ticks) break;
      this.waiting.delete(waiting);
      waiting.giveUp();
    }
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
