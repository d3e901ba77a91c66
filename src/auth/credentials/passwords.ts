import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { secretText } from './tokens.js';

/** OWASP's first choice: 19 MiB, two passes, one lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
const LONGEST_PASSWORD = 1000;
/** Hashing takes a core for tens of milliseconds; other cores are left to the API. */
const MOST_AT_ONCE = 1;
/** With so many before it a check waits for a second or two. */
const MOST_WAITING = 60;

/** So many passwords are being checked that this one would wait too long. */
export class TooBusy extends Error {}

/** Hashes and checks passwords, a few at a time, so that a flood of sign-ins slows down nothing but itself. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private dummyHashing?: Promise<string>;

  constructor() {
    // Made at the start: the first sign-in must not take longer than the others.
    this.dummyHashing = hash(secretText(20), ARGON2ID);
    this.dummyHashing.catch(() => (this.dummyHashing = undefined));
  }

  /** Whether a password could be checked soon. Asking first makes a flood of attempts cost next to nothing. */
  get hasRoom(): boolean {
    return this.running < MOST_AT_ONCE || this.waiting.length < MOST_WAITING;
  }

  /** A hash to be stored. Commands and the demo call it, so it waits as long as it takes. */
  async hash(password: string): Promise<string> {
    return this.queued(() => hash(password, ARGON2ID), Infinity);
  }

  /** Whether this is the password; takes as long where there is no hash to compare with. Throws TooBusy. */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    const tooLong = password.length > LONGEST_PASSWORD;
    return this.queued(async () => {
      const right = await verify(passwordHash ?? (await this.dummyHash()), password.slice(0, LONGEST_PASSWORD));
      return right && passwordHash !== null && !tooLong;
    }, MOST_WAITING);
  }

  private dummyHash(): Promise<string> {
    return (this.dummyHashing ??= hash(secretText(20), ARGON2ID));
  }

  private async queued<R>(work: () => Promise<R>, mostWaiting: number): Promise<R> {
    if (this.running >= MOST_AT_ONCE) {
      if (this.waiting.length >= mostWaiting) throw new TooBusy('too many passwords are waiting to be checked');
      // The one that finishes passes its place on directly, so that no newcomer takes it.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
