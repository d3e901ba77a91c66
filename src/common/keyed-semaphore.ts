import { Semaphore, type QueueLimits } from './semaphore.js';

/** Lets only so much work go on at a time for each key; what is beyond it waits in its order. Work for other keys does not wait for it. */
export class KeyedSemaphore {
  private readonly semaphores = new Map<string, Semaphore>();

  constructor(private readonly limit: number) {}

  /** How much waits for all keys together. */
  get queued(): number {
    let waits = 0;
    for (const semaphore of this.semaphores.values()) waits += semaphore.queued;
    return waits;
  }

  /** Whether work for this key would begin, or wait behind less than so much. */
  hasCapacity(key: string, maxQueued: number): boolean {
    return this.semaphores.get(key)?.hasCapacity(maxQueued) ?? true;
  }

  /** Runs the work when it is its turn for this key; rejects with the refusal when it is not in time. */
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
