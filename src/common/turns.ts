/** How long work may wait for its turn, and behind how much; what it is told when it may not. */
export interface Patience {
  /** How much may wait before it; what comes then is refused at once. */
  mostWaiting: number;
  /** How long it waits; without end where it is left out. */
  patienceMs?: number;
  refusal: (why: 'too many' | 'too long') => Error;
}

/** Lets only so much work go on at a time; what is beyond it waits in its order. */
export class Turns {
  private underway = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly atOnce: number) {}

  /** How much waits. */
  get waits(): number {
    return this.waiting.length;
  }

  /** Whether nothing goes on, or waits. */
  get isIdle(): boolean {
    return this.underway === 0;
  }

  /** Whether work would begin, or wait behind less than so much. */
  hasRoom(mostWaiting: number): boolean {
    return this.underway < this.atOnce || this.waiting.length < mostWaiting;
  }

  /** Runs the work when it is its turn; rejects with the refusal when it is not in time. */
  async run<R>(work: () => Promise<R>, patience?: Patience): Promise<R> {
    if (this.underway >= this.atOnce) await this.turn(patience);
    else this.underway++;
    try {
      return await work();
    } finally {
      // whoever ends passes its place on directly, so that no newcomer takes it
      const next = this.waiting.shift();
      if (next) next();
      else this.underway--;
    }
  }

  private turn(patience?: Patience): Promise<void> {
    const { waiting } = this;
    if (patience && waiting.length >= patience.mostWaiting) return Promise.reject(patience.refusal('too many'));
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(patience!.refusal('too long'));
      };
      const timer = patience?.patienceMs === undefined ? undefined : setTimeout(giveUp, patience.patienceMs);
      waiting.push(enter);
    });
  }
}
