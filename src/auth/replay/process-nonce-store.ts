import { randomUUID } from 'node:crypto';
import type { Clock } from '../../common/clock.js';
import { RETENTION_SECONDS } from './signed-nonce.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

const MOST_NONCES = 500_000;

/** Nonces of this process, which is the only one on the embedded store; gone when it ends. */
export class ProcessNonceStore implements NonceStore {
  private readonly name = randomUUID();
  /** By timestamp, so that they are forgotten a second at a time. */
  private readonly seconds = new Map<number, Set<string>>();
  private size = 0;
  private forgotten = 0;

  constructor(
    private readonly clock: Pick<Clock, 'seconds'>,
    private readonly most = MOST_NONCES,
  ) {}

  async generation(): Promise<string> {
    return this.name;
  }

  async take({ digest, timestamp }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    if (generation !== this.name) return { verdict: 'lost', generation: this.name };
    if (timestamp <= this.forgotten) return { verdict: 'too-old' };
    const known = this.seconds.get(timestamp) ?? this.begin(timestamp);
    if (known.has(digest)) return { verdict: 'used' };
    known.add(digest);
    this.size++;
    while (this.size > this.most && this.seconds.size > 1) this.forgetOldest();
    return { verdict: 'fresh' };
  }

  private begin(timestamp: number): Set<string> {
    const outdated = this.clock.seconds() - RETENTION_SECONDS;
    for (const second of [...this.seconds.keys()]) if (second < outdated) this.drop(second);
    const known = new Set<string>();
    this.seconds.set(timestamp, known);
    return known;
  }

  /** Too many to keep: what is as old as those that go is refused from now on. */
  private forgetOldest(): void {
    const oldest = Math.min(...this.seconds.keys());
    this.forgotten = oldest;
    this.drop(oldest);
  }

  private drop(second: number): void {
    this.size -= this.seconds.get(second)?.size ?? 0;
    this.seconds.delete(second);
  }
}
