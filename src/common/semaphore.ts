/** How long work may wait for its turn, and behind how much; what it is told when it may not. */
export interface QueueLimits {
  /** How much may wait before it; what comes then is refused at once. */
  maxQueued: number;
  /** How long it waits; without end where it is left out. */
  timeoutMs?: number;
  refusal: (why: 'too many' | 'too long') => Error;
}

/** Lets only so much work go on at a time; what is beyond it waits in its order. */
export class Semaphore {
  private active = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** How much waits. */
  get queued(): number {
    return this.queue.length;
  }

  /** Whether nothing goes on, or waits. */
  get isIdle(): boolean {
    return this.active === 0;
  }

  /** Whether work would begin, or wait behind less than so much. */
  hasCapacity(maxQueued: number): boolean {
    return this.active < this.limit || this.queue.length < maxQueued;
  }

  /** Runs the work when it is its turn; rejects with the refusal when it is not in time. */
  async run<R>(work: () => Promise<R>, limits?: QueueLimits): Promise<R> {
    if (this.active >= this.limit) await this.turn(limits);
    else this.active++;
    try {
      return await work();
    } finally {
      // whoever ends passes its place on directly, so that no newcomer takes it
      const next = this.queue.shift();
      if (next) next();
      else this.active--;
    }
  }

  private turn(limits?: QueueLimits): Promise<void> {
    const { queue } = this;
    if (limits && queue.length >= limits.maxQueued) return Promise.reject(limits.refusal('too many'));
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(limits!.refusal('too long'));
      };
      const timer = limits?.timeoutMs === undefined ? undefined : setTimeout(giveUp, limits.timeoutMs);
      queue.push(enter);
    });
  }
}
