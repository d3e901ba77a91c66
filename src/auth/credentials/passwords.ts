import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { Semaphore, type QueueLimits } from '../../common/concurrency/semaphore.js';
import { secretText } from './tokens.js';

/** OWASP's first choice: 19 MiB, two passes, one lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
const MAX_PASSWORD_LENGTH = 1000;
/** Hashing occupies a core for tens of milliseconds. The other cores are left to the API. */
const MAX_CONCURRENT = 1;
/** The longest queue: with this many checks ahead, a check waits a second or two. */
const MAX_QUEUED = 60;

/** The queue of password checks is full. */
export class TooBusy extends Error {}

const IN_TIME: QueueLimits = {
  maxQueued: MAX_QUEUED,
  refusal: () => new TooBusy('too many passwords are waiting to be checked'),
};

/** Hashes and checks passwords, a few at a time, so that a flood of sign-ins slows down only sign-ins. */
@Injectable()
export class Passwords {
  private readonly semaphore = new Semaphore(MAX_CONCURRENT);
  private dummyHashing?: Promise<string>;

  constructor() {
    // computed at the start, so that the first sign-in does not take longer than the others
    this.dummyHashing = hash(secretText(20), ARGON2ID);
    this.dummyHashing.catch(() => (this.dummyHashing = undefined));
  }

  /** True if the queue has room. Callers ask before any other work, so that a flood of attempts costs little. */
  get hasRoom(): boolean {
    return this.semaphore.hasCapacity(MAX_QUEUED);
  }

  /** Hashes a password for storage. Only commands and the demo call it, so it waits for any length of queue. */
  async hash(password: string): Promise<string> {
    return this.semaphore.run(() => hash(password, ARGON2ID));
  }

  /** True if this is the password. Takes the same time without a hash. Throws TooBusy. */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    const tooLong = password.length > MAX_PASSWORD_LENGTH;
    return this.semaphore.run(async () => {
      const right = await verify(passwordHash ?? (await this.dummyHash()), password.slice(0, MAX_PASSWORD_LENGTH));
      return right && passwordHash !== null && !tooLong;
    }, IN_TIME);
  }

  private dummyHash(): Promise<string> {
    return (this.dummyHashing ??= hash(secretText(20), ARGON2ID));
  }
}
