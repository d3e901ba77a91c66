const TICK_MS = 50;

interface PendingCommand {
  readonly expiresAtTick: number;
  readonly expire: () => void;
}

/**
 * Timeouts for commands, counted in ticks of a timer and not by the clock. When the event loop is blocked for a second,
 * answers of that second are read right after it; a timeout by the clock would fire first and fail commands that Redis
 * has answered in time. Between two ticks the event loop reads what has arrived.
 */
export class CommandTimeouts {
  private readonly pending = new Set<PendingCommand>();
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly timeoutMs: number) {}

  /** Resolves or rejects as `answer` does; rejects when it has done neither within the time. */
  race<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const command: PendingCommand = {
        expiresAtTick: this.ticks + Math.ceil(this.timeoutMs / TICK_MS) + 1,
        expire: () => reject(new Error(`no answer within ${this.timeoutMs} ms`)),
      };
      this.pending.add(command);
      this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
      answer.then(resolve, reject).finally(() => this.pending.delete(command));
    });
  }

  private tick(): void {
    this.ticks++;
    // A Set keeps the order of insertion, and all have the same timeout: the first has waited longest.
    for (const command of this.pending) {
      if (command.expiresAtTick > this.ticks) break;
      this.pending.delete(command);
      command.expire();
    }
    if (this.pending.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
