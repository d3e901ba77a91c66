import { randomUUID } from 'node:crypto';
import type { Clock } from '../../common/time/clock.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

const MAX_NONCES = 500_000;

/** Nonces in this process, for the embedded store, which belongs to one process at a time. They are lost when it ends. */
export class ProcessNonceStore implements NonceStore {
  private readonly name = randomUUID();
  /** Digests by timestamp, so that they are deleted a second at a time. */
  private readonly seconds = new Map<number, Set<string>>();
  private size = 0;
  /** The latest timestamp whose nonces were deleted to make room. */
  private deletedUpTo = 0;

  constructor(private readonly clock: Pick<Clock, 'seconds'>) {}

  async generation(): Promise<string> {
    return this.name;
  }

  async take({ digest, timestamp }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    if (generation !== this.name) return { verdict: 'lost', generation: this.name };
    if (timestamp <= this.deletedUpTo) return { verdict: 'too-old' };
    const digests = this.seconds.get(timestamp) ?? this.addSecond(timestamp);
    if (digests.has(digest)) return { verdict: 'used' };
    digests.add(digest);
    this.size++;
    while (this.size > MAX_NONCES && this.seconds.size > 1) this.makeRoom();
    return { verdict: 'fresh' };
  }

  /** A process that owns the store waits for no other. */
  isFenced(): boolean {
    return true;
  }

  private addSecond(timestamp: number): Set<string> {
    const expired = this.clock.seconds() - RETENTION_SECONDS;
    for (const second of [...this.seconds.keys()]) if (second < expired) this.delete(second);
    const digests = new Set<string>();
    this.seconds.set(timestamp, digests);
    return digests;
  }

  /** Deletes the oldest second; its timestamp and older ones are rejected from now on. */
  private makeRoom(): void {
    const oldest = Math.min(...this.seconds.keys());
    this.deletedUpTo = oldest;
    this.delete(oldest);
  }

  private delete(second: number): void {
    this.size -= this.seconds.get(second)?.size ?? 0;
    this.seconds.delete(second);
  }
}
