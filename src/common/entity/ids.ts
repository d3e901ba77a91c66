import { randomInt } from 'node:crypto';

const EPOCH = Date.UTC(2020, 0, 1);
/** 13 characters of base 36 hold 67 bits: 41 of milliseconds, the rest in SALT steps. */
const LENGTH = 13;
const SALT = 2 ** 26;

/** Gives numbers that grow: within one millisecond from a random start in random steps, so that nobody can count our rows. */
class Sequence {
  private at = -1;
  private salt = 0;

  constructor(
    private readonly room: number,
    private readonly step: number,
  ) {}

  next(ms: number): [ms: number, salt: number] {
    if (ms > this.at) {
      this.at = ms;
      this.salt = randomInt(this.room >> 1);
    } else {
      this.salt += 1 + randomInt(this.step);
      if (this.salt >= this.room) return this.next(this.at + 1);
    }
    return [this.at, this.salt];
  }
}

const ads = new Sequence(SALT, 1 << 8);
const numbers = new Sequence(1 << 12, 1 << 3);

/**
 * A new id of an ads entity made at this moment: lower-case base 36, always 13 characters, so that text order under
 * collation "C" is the order of creation. Two replicas can in theory draw the same one: the primary key refuses it and
 * `retrying` draws again.
 */
export function newId(at: Date): string {
  const [ms, salt] = ads.next(at.getTime() - EPOCH);
  return (BigInt(ms) * BigInt(SALT) + BigInt(salt)).toString(36).padStart(LENGTH, '0');
}

/** A new id of a user, post, card or medium: a decimal text below 2^53 that grows with time. */
export function newNumber(at: Date): string {
  const [ms, salt] = numbers.next(at.getTime() - EPOCH);
  return String(ms * (1 << 12) + salt);
}
