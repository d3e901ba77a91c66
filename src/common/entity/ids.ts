import { randomInt } from 'node:crypto';

/** How ids of one kind are laid out: `first + ms * room + salt`, where `ms` counts from `epoch`. */
export interface IdLayout {
  /** Milliseconds since 1970. A moment before it counts as it. */
  epoch: number;
  /** The numbers that there are. All of them have the same length in this radix, leading zeros included. */
  first: bigint;
  last: bigint;
  radix: 10 | 36;
  length: number;
  /** How many ids a millisecond has. */
  room: number;
  /** Ids of one process within one millisecond are up to this far apart. */
  step: number;
}

/** 67 bits: 41 of milliseconds, 26 of salt. */
export const BASE_36_LAYOUT: IdLayout = {
  epoch: Date.UTC(2020, 0, 1),
  first: 0n,
  last: 36n ** 13n - 1n,
  radix: 36,
  length: 13,
  room: 2 ** 26,
  step: 2 ** 8,
};

/**
 * Sixteen digits, of which the first is 1 to 9, up to the largest integer that JSON keeps. Two replicas that make one in
 * the same millisecond draw the same one once in 8,192 times: at 100 a second each, one of 160,000 is drawn again.
 */
export const DECIMAL_LAYOUT: IdLayout = {
  epoch: Date.UTC(2026, 6, 1),
  first: 10n ** 15n,
  last: BigInt(Number.MAX_SAFE_INTEGER),
  radix: 10,
  length: 16,
  room: 2 ** 13,
  step: 2 ** 3,
};

/** The last moment for which there are ids. */
export const lastMoment = ({ epoch, first, last, room }: IdLayout): Date =>
  new Date(epoch + Number((last - first + 1n) / BigInt(room)) - 1);

/**
 * Makes ids whose text order, byte by byte, is the order in which this process made them, whatever its clock does: each
 * millisecond begins at a random salt and goes on in random steps, so that nobody can count our rows.
 */
export class IdSequence {
  private readonly end: number;
  private at = -1;
  private salt = 0;

  constructor(private readonly layout: IdLayout) {
    this.end = lastMoment(layout).getTime() - layout.epoch;
  }

  /** An id of this moment, or of a later one where those of this moment are used up; throws after the last moment. */
  next(moment: Date): string {
    const { epoch, first, room, step, radix, length } = this.layout;
    const ms = Math.max(moment.getTime() - epoch, 0);
    const salt = this.salt + 1 + randomInt(step);
    // An invalid date is neither before nor after, and `begin` refuses it.
    if (!(ms <= this.at)) this.begin(ms);
    else if (salt >= room) this.begin(this.at + 1);
    else this.salt = salt;
    return (first + BigInt(this.at) * BigInt(room) + BigInt(this.salt)).toString(radix).padStart(length, '0');
  }

  private begin(ms: number): void {
    if (!(ms <= this.end)) {
      throw new RangeError(
        `No id can be made: ids end at ${lastMoment(this.layout).toISOString()}; is the clock right?`,
      );
    }
    this.at = ms;
    this.salt = randomInt(this.layout.room);
  }
}

const ads = new IdSequence(BASE_36_LAYOUT);
const decimals = new IdSequence(DECIMAL_LAYOUT);

/**
 * A new id of an ads entity made at this moment: lower-case base 36, always 13 characters, so that text order under
 * collation "C" is the order of creation, until the year 2100. Two replicas can in theory draw the same one: the primary
 * key refuses it, and the write draws again.
 */
export const newId = (at: Date): string => ads.next(at);

/** The least id that can be made at this moment or later: what is older than a moment is found by its id. */
export function firstIdOf(at: Date): string {
  const { epoch, first, room, radix, length } = BASE_36_LAYOUT;
  return (first + BigInt(Math.max(at.getTime() - epoch, 0)) * BigInt(room)).toString(radix).padStart(length, '0');
}

/**
 * A new id of a user, application, post, card or medium made at this moment: a decimal text of always 16 digits from
 * 1000000000000000 to 2^53 - 1, so that text order under collation "C" is the order of creation, until June 2057. What
 * two replicas draw at once the primary key refuses, and the write draws again.
 *
 * Stores that are older than this layout hold decimal ids of 15 digits that begin with 8 or 9. New ones are greater as
 * numbers, so none is drawn twice; as texts they come before: below 2^53 too few texts come after those.
 */
export const newNumber = (at: Date): string => decimals.next(at);
