import { NoAnswer } from '../../errors/unavailable.js';
import { Turns, type Patience } from '../../turns.js';

/**
 * Lets only so much work go on at a time for each key, so that what waits for one locked row cannot take every connection.
 * What is beyond it waits, in its order and for a bounded time.
 */
export class Bulkhead {
  private readonly compartments = new Map<string, Turns>();
  private readonly patience: Patience;

  constructor(
    private readonly limits: {
      /** How much goes on at a time for one key. */
      atOnce: number;
      /** How much waits for one key; what is beyond it is refused at once. */
      waiting: number;
      /** How long it waits. */
      patienceMs: number;
    },
  ) {
    this.patience = {
      mostWaiting: limits.waiting,
      patienceMs: limits.patienceMs,
      refusal: (why) =>
        new NoAnswer(why === 'too many' ? 'Too much waits for the same row.' : 'A row was locked for too long.'),
    };
  }

  /** How much waits for all keys together. */
  get waiting(): number {
    let waiting = 0;
    for (const compartment of this.compartments.values()) waiting += compartment.waits;
    return waiting;
  }

  /** Runs the work when there is room; rejects with `NoAnswer` when there is none in time. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const compartment = this.compartments.get(key) ?? new Turns(this.limits.atOnce);
    this.compartments.set(key, compartment);
    try {
      return await compartment.run(work, this.patience);
    } finally {
      if (compartment.isIdle) this.compartments.delete(key);
    }
  }
}
