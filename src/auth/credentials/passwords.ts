import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { Turns, type Patience } from '../../common/turns.js';
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

const IN_TIME: Patience = {
  mostWaiting: MOST_WAITING,
  refusal: () => new TooBusy('too many passwords are waiting to be checked'),
};

/** Hashes and checks passwords, a few at a time, so that a flood of sign-ins slows down nothing but itself. */
@Injectable()
export class Passwords {
  private readonly turns = new Turns(MOST_AT_ONCE);
  private dummyHashing?: Promise<string>;

  constructor() {
    // Made at the start: the first sign-in must not take longer than the others.
    this.dummyHashing = hash(secretText(20), ARGON2ID);
    this.dummyHashing.catch(() => (this.dummyHashing = undefined));
  }

  /** Whether a password could be checked soon. Asking first makes a flood of attempts cost next to nothing. */
  get hasRoom(): boolean {
    return this.turns.hasRoom(MOST_WAITING);
  }

  /** A hash to be stored. Commands and the demo call it, so it waits as long as it takes. */
  async hash(password: string): Promise<string> {
    return this.turns.run(() => hash(password, ARGON2ID));
  }

  /** Whether this is the password; takes as long where there is no hash to compare with. Throws TooBusy. */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    const tooLong = password.length > LONGEST_PASSWORD;
    return this.turns.run(async () => {
      const right = await verify(passwordHash ?? (await this.dummyHash()), password.slice(0, LONGEST_PASSWORD));
      return right && passwordHash !== null && !tooLong;
    }, IN_TIME);
  }

  private dummyHash(): Promise<string> {
    return (this.dummyHashing ??= hash(secretText(20), ARGON2ID));
  }
}
