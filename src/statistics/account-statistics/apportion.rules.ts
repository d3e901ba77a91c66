/** Users in no segment, beside all users in segments: whole numbers in proportion. */
export interface Outside {
  inside: number;
  outside: number;
}

/**
 * The division by the D'Hondt method of any number of events among segments by whole weights. The nth seat of a segment with
 * weight w is due at n / w; earlier seats first, and of several at once that of the earlier segment. So the order of seats
 * repeats after as many seats as all weights together: with `sequence`, a count of any size is divided exactly, without
 * products.
 */
export interface Apportionment {
  weights: readonly number[];
  /** The sum of the weights. */
  period: number;
  /** The segment of each seat, twice, so that a part of it never wraps around. */
  sequence: Uint16Array;
  /** The same for users in segments and others: they are divided first. Absent if all users are in segments. */
  outer?: OuterSequence;
}

interface OuterSequence {
  inside: number;
  period: number;
  /** The number of seats inside among the first seats of a period. */
  inFirst: Uint32Array;
}

/** Divides events by these weights, none of which is zero, at most 65,536. */
export function apportionmentOf(weights: readonly number[], outside?: Outside): Apportionment {
  const divisor = weights.reduce(greatestDivisor, 0) || 1;
  const own = weights.map((weight) => weight / divisor);
  const period = own.reduce((sum, weight) => sum + weight, 0);
  const seats = sequenceOf(own, period);
  const sequence = new Uint16Array(2 * period);
  sequence.set(seats);
  sequence.set(seats, period);
  const outer = outside && outside.outside > 0 ? outerOf(outside) : undefined;
  return { weights: own, period, sequence, ...(outer && { outer }) };
}

/** Quotients of different small numbers differ by far more than a rounding, and equal ones are equal: the order is exact. */
function sequenceOf(weights: readonly number[], period: number): Uint16Array {
  const [quotients, segments] = [new Float64Array(period), new Uint16Array(period)];
  let seat = 0;
  for (const [segment, weight] of weights.entries())
    for (let n = 1; n <= weight; n++, seat++) {
      quotients[seat] = n / weight;
      segments[seat] = segment;
    }
  const order = Uint32Array.from({ length: period }, (_, i) => i);
  order.sort((one, other) => quotients[one] - quotients[other] || one - other);
  return Uint16Array.from(order, (each) => segments[each]);
}

function outerOf({ inside, outside }: Outside): OuterSequence {
  const divisor = greatestDivisor(inside, outside);
  const weights = [inside / divisor, outside / divisor];
  const period = weights[0] + weights[1];
  const inFirst = new Uint32Array(period + 1);
  for (const [i, side] of sequenceOf(weights, period).entries()) inFirst[i + 1] = inFirst[i] + (side === 0 ? 1 : 0);
  return { inside: weights[0], period, inFirst };
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);

const floorMod = (value: number, divisor: number): number => value - Math.floor(value / divisor) * divisor;

/** A run of seats: `periods` full periods, and the seats from `start` until `end` of the sequence, which `sign` adds or subtracts. */
export interface Seats {
  periods: number;
  start: number;
  end: number;
  sign: 1 | -1;
  /** The weight of each seat. */
  weight: number;
}

/**
 * The seats of the events after the first `from` until `to` of a count that begins at a seat, from 0 to 2^32. Parts of a
 * count that follow one another have the same seats as the whole: cumulative counts are divided, and no part is negative
 * unless its events are. `from` and `to` are whole numbers up to 2^53.
 */
export function seatsOf({ period, outer }: Apportionment, first: number, from: number, to: number, weight = 1): Seats {
  let [begin, length] = [first + floorMod(from, period), to - from];
  if (outer) {
    const [before, after] = [from, to].map((count) => {
      const full = Math.floor(count / outer.period);
      const seat = first + (count - full * outer.period);
      const started = Math.floor(seat / outer.period);
      return { full, rest: started * outer.inside + outer.inFirst[seat - started * outer.period] };
    });
    begin = floorMod(before.full * outer.inside, period) + before.rest;
    length = (after.full - before.full) * outer.inside + (after.rest - before.rest);
  }
  const periods = Math.floor(length / period);
  const rest = length - periods * period;
  const start = begin % period;
  // the seats that are missing in a period may be fewer than those that are in it
  if (rest * 2 > period)
    return {
      periods: periods + 1,
      start: (start + rest) % period,
      end: ((start + rest) % period) + period - rest,
      sign: -1,
      weight,
    };
  return { periods, start, end: start + rest, sign: 1, weight };
}

/** The number of events of each segment. */
export function apportionedParts(apportionment: Apportionment, first: number, from: number, to: number): number[] {
  const { periods, start, end, sign } = seatsOf(apportionment, first, from, to);
  const parts = apportionment.weights.map((weight) => periods * weight);
  for (let i = start; i < end; i++) parts[apportionment.sequence[i]] += sign;
  return parts;
}
