import { randomBytes, randomInt } from 'node:crypto';
import { serviceTimeOf } from '../time/frozen-time.js';

/** The layout of ids of one kind: `first + ms * room + salt`, where `ms` counts from `epoch`. */
export interface IdLayout {
  /** Milliseconds since 1970. Earlier times count as this one. */
  epoch: number;
  /** The range of numbers. All have the same length in this radix, including leading zeros. */
  first: bigint;
  last: bigint;
  radix: 10 | 16 | 36;
  length: number;
  /** The number of ids per millisecond. */
  idsPerMs: number;
  /** Maximum distance between consecutive ids of one process within one millisecond. */
  step: number;
}

/** 67 bits: 41 of milliseconds, 26 of salt. */
export const BASE_36_LAYOUT: IdLayout = {
  epoch: Date.UTC(2020, 0, 1),
  first: 0n,
  last: 36n ** 13n - 1n,
  radix: 36,
  length: 13,
  idsPerMs: 2 ** 26,
  step: 2 ** 8,
};

/**
 * Sixteen digits, the first of which is 1 to 9, up to the largest safe integer of JSON. Two replicas that create an id
 * in the same millisecond collide once in 8,192 times: at 100 a second each, one of 160,000 is generated again.
 */
export const DECIMAL_LAYOUT: IdLayout = {
  epoch: Date.UTC(2026, 6, 1),
  first: 10n ** 15n,
  last: BigInt(Number.MAX_SAFE_INTEGER),
  radix: 10,
  length: 16,
  idsPerMs: 2 ** 13,
  step: 2 ** 3,
};

/** What a UUID of version 7 begins with: 48 bits of milliseconds, 12 of salt. */
const UUID_LAYOUT: IdLayout = {
  epoch: 0,
  first: 0n,
  last: 16n ** 15n - 1n,
  radix: 16,
  length: 15,
  idsPerMs: 2 ** 12,
  step: 2 ** 3,
};

/** The last time that has ids. */
export const lastMoment = ({ epoch, first, last, idsPerMs }: IdLayout): Date =>
  new Date(epoch + Number((last - first + 1n) / BigInt(idsPerMs)) - 1);

/**
 * Creates ids whose text order, byte by byte, is their order of creation in this process, whatever its clock does. Each
 * millisecond starts at a random salt and continues in random steps, so that clients cannot count rows.
 */
export class IdSequence {
  private readonly end: number;
  private at = -1;
  private salt = 0;

  constructor(private readonly layout: IdLayout) {
    this.end = lastMoment(layout).getTime() - layout.epoch;
  }

  /** An id of this time, or of a later one when those of this time are used up; throws after the last time. */
  next(moment: Date): string {
    const { epoch, first, idsPerMs, step, radix, length } = this.layout;
    const ms = Math.max(moment.getTime() - epoch, 0);
    const salt = this.salt + 1 + randomInt(step);
    // An invalid date compares false, and `begin` rejects it.
    if (!(ms <= this.at)) this.begin(ms);
    else if (salt >= idsPerMs) this.begin(this.at + 1);
    else this.salt = salt;
    return (first + BigInt(this.at) * BigInt(idsPerMs) + BigInt(this.salt)).toString(radix).padStart(length, '0');
  }

  /** Forgets the ids so far, as a new process does. */
  restart(): void {
    this.at = -1;
  }

  private begin(ms: number): void {
    if (!(ms <= this.end)) {
      throw new RangeError(
        `Cannot create an id: ids end at ${lastMoment(this.layout).toISOString()}. Check the clock.`,
      );
    }
    this.at = ms;
    this.salt = randomInt(this.layout.idsPerMs);
  }
}

const ads = new IdSequence(BASE_36_LAYOUT);
const uuids = new IdSequence(UUID_LAYOUT);
const decimals = new IdSequence(DECIMAL_LAYOUT);

/**
 * A new id of an ads entity created at this time: lower-case base 36, always 13 characters, so that text order under
 * collation "C" is the order of creation, until the year 2100. Two replicas can in theory generate the same one: then
 * the primary key rejects it, and the write generates another.
 */
export const newId = (at: Date): string => ads.next(serviceTimeOf(at));

/** The smallest id that can be created at this time or later: finds rows older than a time by id. */
export function firstIdOf(at: Date): string {
  const { epoch, first, idsPerMs, radix, length } = BASE_36_LAYOUT;
  return (first + BigInt(Math.max(at.getTime() - epoch, 0)) * BigInt(idsPerMs)).toString(radix).padStart(length, '0');
}

/** The time with which an id begins: that of an ads entity, or a decimal one, which is longer. */
export function timeOfId(id: string): Date {
  const { epoch, idsPerMs, radix, first } = id.length === DECIMAL_LAYOUT.length ? DECIMAL_LAYOUT : BASE_36_LAYOUT;
  let value = 0n;
  for (const digit of id) value = value * BigInt(radix) + BigInt(parseInt(digit, radix));
  return new Date(epoch + Number((value - first) / BigInt(idsPerMs)));
}

/**
 * A new id of a user, application, post, card or media created at this time: a decimal text of always 16 digits from
 * 1000000000000000 to 2^53 - 1, so that text order under collation "C" is the order of creation, until June 2057. When
 * two replicas generate the same one, the primary key rejects it, and the write generates another.
 *
 * Stores older than this layout have decimal ids of 15 digits that begin with 8 or 9. New ones are greater as numbers,
 * so that none is repeated; as texts they sort before those, since too few texts below 2^53 sort after them.
 */
export const newNumber = (at: Date): string => decimals.next(serviceTimeOf(at));

/** A new UUID of version 7 created at this time, so that text order is the order of creation. */
export function newUuid(at: Date): string {
  const start = uuids.next(serviceTimeOf(at));
  const end = randomBytes(8);
  end[0] = 0x80 | (end[0] & 0x3f);
  return `${start.slice(0, 12)}7${start.slice(12)}${end.toString('hex')}`.replace(
    /^(.{8})(.{4})(.{4})(.{4})/,
    '$1-$2-$3-$4-',
  );
}

/** For tests, whose clocks return from the future: the next ids are of their own time again, as in a new process. */
export function restartIds(): void {
  ads.restart();
  decimals.restart();
  uuids.restart();
}
