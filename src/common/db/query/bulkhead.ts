import { NoAnswer } from '../../errors/unavailable.js';
import { KeyedSemaphore } from '../../keyed-semaphore.js';
import type { QueueLimits } from '../../semaphore.js';

/**
 * Lets only so much work go on at a time for each key, so that what waits for one locked row cannot take every connection.
 * What is beyond it waits, in its order and for a bounded time.
 */
export class Bulkhead {
  private readonly semaphores: KeyedSemaphore;
  private readonly patience: QueueLimits;

  constructor(limits: {
    /** How much goes on at a time for one key. */
    atOnce: number;
    /** How much waits for one key; what is beyond it is refused at once. */
    waiting: number;
    /** How long it waits. */
    timeoutMs: number;
  }) {
    this.semaphores = new KeyedSemaphore(limits.atOnce);
    this.patience = {
      maxQueued: limits.waiting,
      timeoutMs: limits.timeoutMs,
      refusal: (why) =>
        new NoAnswer(why === 'too many' ? 'Too much waits for the same row.' : 'A row was locked for too long.'),
    };
  }

  /** How much waits for all keys together. */
  get waiting(): number {
    return this.semaphores.queued;
  }

  /** Runs the work when there is room; rejects with `NoAnswer` when there is none in time. */
  run<R>(key: string, work: () => Promise<R>): Promise<R> {
    return this.semaphores.run(key, work, this.patience);
  }
}
