import { NoAnswer } from '../../errors/unavailable.js';
import { KeyedSemaphore, type QueueLimits } from '../../concurrency/semaphore.js';

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
  run<R>(key: string, work: () => Promise<R>, timeoutMs = this.patience.timeoutMs): Promise<R> {
    return this.semaphores.run(key, work, { ...this.patience, timeoutMs });
  }
}

const MAX_QUEUED = 1_000;
/** Timeouts of the first wait of a long read and of both together, so that it is answered within 5 s. */
const OWNER_TURN_MS = 1_500;
const BOTH_TURNS_MS = 2_000;

/** Limits concurrent long reads of one owner, such as an account, and of all. */
export interface LongReads {
  /** Runs the work when both limits allow; rejects with `NoAnswer` after a timeout. */
  run<R>(owner: string, work: () => Promise<R>): Promise<R>;
}

/** Half of these connections for the long reads of one owner, and all but one for those of all. */
export function longReadsOn(connections: number): LongReads {
  const limit = (max: number) =>
    new Bulkhead({
      atOnce: Math.max(1, max),
      waiting: MAX_QUEUED,
      timeoutMs: OWNER_TURN_MS,
      refusals: { tooMany: 'Too many long reads wait.', tooLong: 'Other long reads took too long.' },
    });
  const ofOwner = limit(Math.floor(connections / 2));
  const ofAll = limit(connections - 1);
  return {
    run: (owner, work) => {
      const asked = performance.now();
      // a burst of owners who wait for nothing else may use the whole time in the second queue
      return ofOwner.run(owner, () => ofAll.run('', work, BOTH_TURNS_MS - (performance.now() - asked)));
    },
  };
}
