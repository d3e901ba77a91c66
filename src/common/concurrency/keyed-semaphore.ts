import { Semaphore, type QueueLimits } from './semaphore.js';

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
