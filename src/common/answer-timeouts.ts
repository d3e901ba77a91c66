const TICK_MS = 50;

interface PendingAnswer {
  readonly expiresAtTick: number;
  readonly expire: () => void;
}

/**
 * Timeouts for answers of a server, counted in ticks of a timer and not by the clock. When the event loop is blocked for a
 * second, answers of that second are read right after it; a timeout by the clock would fire first and fail what was
 * answered in time. Between two ticks the event loop reads what has arrived.
 */
export class AnswerTimeouts {
  private readonly pending = new Set<PendingAnswer>();
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  constructor(readonly timeoutMs: number) {}

  /** Calls `expire` unless the returned function, to be called when the answer is there, is called within the time. */
  start(expire: () => void): () => void {
    const answer: PendingAnswer = {
      expiresAtTick: this.ticks + Math.ceil(this.timeoutMs / TICK_MS) + 1,
      expire,
    };
    this.pending.add(answer);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return () => void this.pending.delete(answer);
  }

  /** Resolves or rejects as `answer` does; rejects with what `expired` returns when it has done neither within the time. */
  race<T>(answer: Promise<T>, expired = (): Error => new Error(`no answer within ${this.timeoutMs} ms`)): Promise<T> {
    return new Promise((resolve, reject) => {
      const answered = this.start(() => reject(expired()));
      answer.then(resolve, reject).finally(answered);
    });
  }

  private tick(): void {
    this.ticks++;
    // A Set keeps the order of insertion, and all have the same timeout: the first has waited longest.
    for (const answer of this.pending) {
      if (answer.expiresAtTick > this.ticks) break;
      this.pending.delete(answer);
      answer.expire();
    }
    if (this.pending.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
