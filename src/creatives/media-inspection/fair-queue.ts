import type { QueueLimits } from '../../common/concurrency/semaphore.js';

/** How long work may wait, and behind how much work of its own user and of all users. */
export interface FairQueueLimits extends QueueLimits {
  /** Maximum queue length of one user; further work is rejected at once. */
  maxQueuedOfUser: number;
}

interface Waiting {
  enter: () => void;
}

/**
 * Limits concurrent work, in total and of one user. Work beyond the limits waits: users take turns, and the work of one
 * user runs in order. A user with a long queue delays other users only by the work that already runs.
 */
export class FairQueue {
  private readonly running = new Map<string, number>();
  /** By user; the first one has waited longest. */
  private readonly waiting = new Map<string, Waiting[]>();
  private runs = 0;
  private waits = 0;

  constructor(
    private readonly atOnce: number,
    private readonly atOncePerUser: number,
  ) {}

  /** Whether work of this user would run now, or may wait. */
  hasRoom(user: string, { maxQueued, maxQueuedOfUser }: Pick<FairQueueLimits, 'maxQueued' | 'maxQueuedOfUser'>) {
    if (this.mayRun(user)) return true;
    return this.waits < maxQueued && (this.waiting.get(user)?.length ?? 0) < maxQueuedOfUser;
  }

  /** Runs the work of a user when the limits allow; rejects with the error of the limits after the timeout. */
  async run<R>(user: string, work: () => Promise<R>, limits?: FairQueueLimits): Promise<R> {
    if (this.mayRun(user)) this.begin(user);
    else await this.turn(user, limits);
    try {
      return await work();
    } finally {
      this.end(user);
    }
  }

  private mayRun(user: string): boolean {
    return this.runs < this.atOnce && (this.running.get(user) ?? 0) < this.atOncePerUser;
  }

  private begin(user: string): void {
    this.runs++;
    this.running.set(user, (this.running.get(user) ?? 0) + 1);
  }

  /** Passes the slot on at once, so that newcomers cannot take it. */
  private end(user: string): void {
    this.runs--;
    const left = this.running.get(user)! - 1;
    if (left > 0) this.running.set(user, left);
    else this.running.delete(user);
    for (const [next, queue] of this.waiting) {
      if (!this.mayRun(next)) continue;
      const [first] = queue;
      this.leave(next, first);
      // the user's remaining work waits behind all other users
      if (queue.length > 0) {
        this.waiting.delete(next);
        this.waiting.set(next, queue);
      }
      this.begin(next);
      first.enter();
      return;
    }
  }

  private turn(user: string, limits?: FairQueueLimits): Promise<void> {
    if (limits && !this.hasRoom(user, limits)) return Promise.reject(limits.refusal('too many'));
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const giveUp = () => {
        this.leave(user, entry);
        reject(limits!.refusal('too long'));
      };
      const timer = limits?.timeoutMs === undefined ? undefined : setTimeout(giveUp, limits.timeoutMs);
      const queue = this.waiting.get(user);
      if (queue) queue.push(entry);
      else this.waiting.set(user, [entry]);
      this.waits++;
    });
  }

  private leave(user: string, entry: Waiting): void {
    const queue = this.waiting.get(user)!;
    queue.splice(queue.indexOf(entry), 1);
    if (queue.length === 0) this.waiting.delete(user);
    this.waits--;
  }
}
