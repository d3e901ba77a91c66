/** Limits on the time that work waits and on the work before it, and the error beyond them. */
export interface QueueLimits {
  /** Maximum queue length; further work is rejected at once. */
  maxQueued: number;
  /** Timeout in the queue; unlimited if absent. */
  timeoutMs?: number;
  refusal: (why: 'too many' | 'too long') => Error;
}

/** Limits concurrent work; work beyond the limit waits in order. */
export class Semaphore {
  private active = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** The queue length. */
  get queued(): number {
    return this.queue.length;
  }

  /** Whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.active === 0;
  }

  /** Whether work would start, or wait within this queue length. */
  hasCapacity(maxQueued: number): boolean {
    return this.active < this.limit || this.queue.length < maxQueued;
  }

  /** Runs the work when the limit allows; rejects with the error of the limits after the timeout. */
  async run<R>(work: () => Promise<R>, limits?: QueueLimits): Promise<R> {
    if (this.active >= this.limit) await this.turn(limits);
    else this.active++;
    try {
      return await work();
    } finally {
      // passes the slot on directly, so that newcomers cannot take it
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

/** Limits concurrent work for each key; work beyond the limit waits in order. Keys do not delay each other. */
export class KeyedSemaphore {
  private readonly semaphores = new Map<string, Semaphore>();

  constructor(private readonly limit: number) {}

  /** The queue length over all keys. */
  get queued(): number {
    let waits = 0;
    for (const semaphore of this.semaphores.values()) waits += semaphore.queued;
    return waits;
  }

  /** Whether work for this key would start, or wait within this queue length. */
  hasCapacity(key: string, maxQueued: number): boolean {
    return this.semaphores.get(key)?.hasCapacity(maxQueued) ?? true;
  }

  /** Runs the work when the limit of the key allows; rejects with the error of the limits after the timeout. */
  async run<R>(key: string, work: () => Promise<R>, limits: QueueLimits): Promise<R> {
    const semaphore = this.semaphores.get(key) ?? new Semaphore(this.limit);
    this.semaphores.set(key, semaphore);
    try {
      return await semaphore.run(work, limits);
    } finally {
      if (semaphore.isIdle) this.semaphores.delete(key);
    }
  }
}
