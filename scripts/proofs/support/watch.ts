import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from './replica.js';

const EVERY_MS = 100;

/** Asks the replicas all the time whether they are ready. */
export class Watch {
  /** When one of them was last asked and did not say that it is ready, in milliseconds since the epoch. */
  lastUnready = -Infinity;
  longestMs = 0;
  private watching = true;
  private readonly watches: Promise<void>[];

  constructor(replicas: Replica[]) {
    this.watches = replicas.map((replica) => this.watch(replica));
  }

  async end(): Promise<void> {
    this.watching = false;
    await Promise.all(this.watches);
  }

  private async watch(replica: Replica): Promise<void> {
    while (this.watching) {
      const askedAt = Date.now();
      const ready = await replica.isReady();
      const took = Date.now() - askedAt;
      this.longestMs = Math.max(this.longestMs, took);
      if (!ready) this.lastUnready = Date.now();
      await pause(Math.max(0, EVERY_MS - took));
    }
  }
}
