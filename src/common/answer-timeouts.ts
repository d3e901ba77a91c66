const TICK_MS = 50;

/** A link of the list of those that are waited for, in the order in which they began. */
interface PendingAnswer {
  expiresAtTick: number;
  expire?: () => void;
  before: PendingAnswer;
  after: PendingAnswer;
}

/**
 * Timeouts for answers of a server, counted in ticks of a timer and not by the clock. When the event loop is blocked for a
 * second, answers of that second are read right after it; a timeout by the clock would fire first and fail what was
 * answered in time. Between two ticks the event loop reads what has arrived.
 */
export class AnswerTimeouts {
  /**
   * Before the first and after the last. A list that lets go of what is answered, and not a Set: V8 keeps what a Set
   * outgrew alive for seconds once one of its tables is old, and with it the rows of all answers.
   */
  private readonly ends: PendingAnswer;
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  constructor(readonly timeoutMs: number) {
    const ends = { expiresAtTick: Infinity } as PendingAnswer;
    this.ends = Object.assign(ends, { before: ends, after: ends });
  }

  /** Calls `expire` unless the returned function, to be called when the answer is there, is called within the time. */
  start(expire: () => void): () => void {
    const { ends } = this;
    const expiresAtTick = this.ticks + Math.ceil(this.timeoutMs / TICK_MS) + 1;
    const answer: PendingAnswer = { expiresAtTick, expire, before: ends.before, after: ends };
    ends.before.after = answer;
    ends.before = answer;
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return () => remove(answer);
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

/** Takes a link out, once or again; nothing leads from it to others any more. */
function remove(answer: PendingAnswer): void {
  answer.before.after = answer.after;
  answer.after.before = answer.before;
  answer.before = answer;
  answer.after = answer;
  answer.expire = undefined;
}
