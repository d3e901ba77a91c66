import { NoAnswer } from '../../errors/unavailable.js';
import { KeyedSemaphore } from '../../concurrency/keyed-semaphore.js';
import type { QueueLimits } from '../../concurrency/semaphore.js';

const LOCKED = { tooMany: 'Too many statements wait for the same row.', tooLong: 'A row was locked for too long.' };

/**
 * Limits concurrent work for each key, so that work waiting for one locked row cannot take every connection. Work
 * beyond the limit waits in order, up to a timeout.
 */
export class Bulkhead {
  private readonly semaphores: KeyedSemaphore;
  private readonly patience: QueueLimits;

  constructor(limits: {
    /** Maximum concurrent work for one key. */
    atOnce: number;
    /** Maximum queue length for one key; work beyond it is rejected at once. */
    waiting: number;
    /** Timeout in the queue. */
    timeoutMs: number;
    /** What the work waits for, in the errors. */
    refusals?: { tooMany: string; tooLong: string };
  }) {
    const { tooMany, tooLong } = limits.refusals ?? LOCKED;
    this.semaphores = new KeyedSemaphore(limits.atOnce);
    this.patience = {
      maxQueued: limits.waiting,
      timeoutMs: limits.timeoutMs,
      refusal: (why) => new NoAnswer(why === 'too many' ? tooMany : tooLong),
    };
  }

  /** The queue length over all keys. */
  get waiting(): number {
    return this.semaphores.queued;
  }

  /** Runs the work when the limit allows; rejects with `NoAnswer` after the timeout. */
  run<R>(key: string, work: () => Promise<R>): Promise<R> {
    return this.semaphores.run(key, work, this.patience);
  }
}
