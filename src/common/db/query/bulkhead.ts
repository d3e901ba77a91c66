import { NoAnswer } from '../../errors/unavailable.js';

interface Compartment {
  underway: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets only so much work go on at a time for each key, so that what waits for one locked row cannot take every connection.
 * What is beyond it waits, in its order and for a bounded time.
 */
export class Bulkhead {
  private readonly compartments = new Map<string, Compartment>();

  constructor(
    private readonly limits: {
      /** How much goes on at a time for one key. */
      atOnce: number;
      /** How much waits for one key; what is beyond it is refused at once. */
      waiting: number;
      /** How long it waits. */
      patienceMs: number;
    },
  ) {}

  /** Runs the work when there is room; rejects with `NoAnswer` when there is none in time. */
  async run<R>(key: string, work: () => Promise<R>): Promise<R> {
    const compartment = this.compartments.get(key) ?? { underway: 0, waiting: [] };
    this.compartments.set(key, compartment);
    if (compartment.underway >= this.limits.atOnce) await this.turn(compartment);
    else compartment.underway++;
    try {
      return await work();
    } finally {
      const next = compartment.waiting.shift();
      if (next) next();
      else if (--compartment.underway === 0) this.compartments.delete(key);
    }
  }

  /** Waits for somebody who ends, and takes the place. */
  private turn({ waiting }: Compartment): Promise<void> {
    if (waiting.length >= this.limits.waiting) return Promise.reject(new NoAnswer('Too much waits for the same row.'));
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(new NoAnswer('A row was locked for too long.'));
      }, this.limits.patienceMs);
      waiting.push(enter);
    });
  }
}
