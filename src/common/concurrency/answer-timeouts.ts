const TICK_MS = 50;

/** An entry of the linked list of pending responses, oldest first. */
interface PendingAnswer {
  expiresAtTick: number;
  expire?: () => void;
  before: PendingAnswer;
  after: PendingAnswer;
}

/**
 * Timeouts for responses of a server, counted in ticks of a timer rather than by the clock. When the event loop is
 * blocked for a second, the responses of that second are read right after it. A timeout by the clock would fire first
 * and fail timely responses. Between two ticks the event loop reads what has arrived.
 */
export class AnswerTimeouts {
  /**
   * The head and tail of the list. A Set would not do: V8 keeps outgrown tables of an old Set alive for seconds, and
   * with them the rows of all responses.
   */
  private readonly ends: PendingAnswer;
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  constructor(readonly timeoutMs: number) {
    const ends = { expiresAtTick: Infinity } as PendingAnswer;
    this.ends = Object.assign(ends, { before: ends, after: ends });
  }

  /**
   * Calls `expire` after the timeout, unless the returned function is called before. Call that when the response
   * arrives.
   */
  start(expire: () => void): () => void {
    const { ends } = this;
    const expiresAtTick = this.ticks + Math.ceil(this.timeoutMs / TICK_MS) + 1;
    const answer: PendingAnswer = { expiresAtTick, expire, before: ends.before, after: ends };
    ends.before.after = answer;
    ends.before = answer;
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return () => remove(answer);
  }

  /** Settles as `answer` does; rejects with the result of `expired` after the timeout. */
  race<T>(answer: Promise<T>, expired = (): Error => new Error(`no answer within ${this.timeoutMs} ms`)): Promise<T> {
    return new Promise((resolve, reject) => {
      const answered = this.start(() => reject(expired()));
      answer.then(resolve, reject).finally(answered);
    });
  }

  private tick(): void {
    this.ticks++;
    const { ends } = this;
    // all have the same timeout: the first has waited longest
    while (ends.after.expiresAtTick <= this.ticks) {
      const { after: answer } = ends;
      const { expire } = answer;
      remove(answer);
      expire?.();
    }
    if (ends.after !== ends) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** Removes an entry, idempotently, and clears its links. */
function remove(answer: PendingAnswer): void {
  answer.before.after = answer.after;
  answer.after.before = answer.before;
  answer.before = answer;
  answer.after = answer;
  answer.expire = undefined;
}
