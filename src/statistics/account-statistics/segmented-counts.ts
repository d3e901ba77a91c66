import { requestTooComplex } from '../../common/errors/catalogue.js';
import { apportionmentOf, type Apportionment, type Seats } from './apportion.rules.js';
import type { Counts, FactColumn, StatisticsSegment } from './metrics.js';
import { sortedByKey, type SegmentProfile } from './segment-profile.rules.js';

/** Numbers in memory. More do not fit beside those of other jobs. */
const MAX_NUMBERS = 10_000_000;

/** Throws if there are too many numbers. */
export function assertFewNumbers(numbers: number): void {
  if (numbers <= MAX_NUMBERS) return;
  throw requestTooComplex(`The segments have more than ${MAX_NUMBERS} numbers`, {
    details: 'ask for a shorter range, a longer granularity, fewer metric groups or fewer entities',
  });
}

/** A profile with the seats of its segments. */
export interface PreparedProfile {
  segments: readonly StatisticsSegment[];
  apportionment: Apportionment;
}

/** Prepares a profile; undefined if it has no segments. */
export function prepared({ segments, outside }: SegmentProfile): PreparedProfile | undefined {
  if (segments.length === 0) return undefined;
  const weights = segments.map(({ weight }) => weight);
  return { segments, apportionment: apportionmentOf(weights, outside) };
}

/** Numbers for units of time, by the place of the segment; absent for segments without any. */
type Lists = (number[] | undefined)[];

/** The counts of the segments of an entity. */
export class SegmentedCounts {
  private readonly segments: StatisticsSegment[] = [];
  private readonly places = new Map<string | null, number>();
  private readonly lists: Lists[];
  private readonly zeros: readonly number[];
  private numbers = 0;

  constructor(
    private readonly columns: readonly FactColumn[],
    length: number,
  ) {
    this.lists = columns.map(() => []);
    this.zeros = Array.from({ length }, () => 0);
  }

  /** The place of a segment, for `add`. */
  placeOf({ name, value }: StatisticsSegment): number {
    let place = this.places.get(value);
    if (place === undefined) {
      place = this.segments.push({ name, value }) - 1;
      this.places.set(value, place);
    }
    return place;
  }

  /** Adds numbers for the units of time from `base` on to a segment, by the places of the column and of the segment. */
  add(column: number, place: number, base: number, counts: readonly number[]): void {
    let known = this.lists[column][place];
    if (!known) {
      this.numbers += this.zeros.length;
      assertFewNumbers(this.numbers);
      known = this.zeros.slice();
      this.lists[column][place] = known;
    }
    for (let near = 0; near < counts.length; near++) known[base + near] += counts[near];
  }

  /** The segments that have counts, in the order of their values. */
  all(): Counts[] {
    const counted = this.segments.map((segment, place): Counts => {
      const counts = new Map<FactColumn, number[]>();
      for (const [column, name] of this.columns.entries()) {
        const list = this.lists[column][place];
        if (list) counts.set(name, list);
      }
      return { segment, counts };
    });
    return counted
      .filter(({ counts }) => counts.size > 0)
      .sort((one, other) => sortedByKey(one.segment!, other.segment!));
  }
}

/** The units of time that are added up at the same time; more than a local day has hours. */
const UNITS = 128;
/** The seats of a column that wait to be added up. */
const MAX_WAITING = 4_000;

/** The segments of a column between possible pauses: each may get a list with a number for each hour of months. */
const SEGMENTS_PER_PAUSE = 50;

/** Counts below this number, and their seats, need 32 bits. */
const SMALL = 2 ** 30;

/** The seats of a column that wait to be added up. */
interface Waiting {
  units: number[];
  seats: Seats[];
}

/**
 * Adds up seats of one profile for an entity, a few units of time and one column after the other: so much memory is small
 * enough to be fast. Units come in ascending order, as cells by day do.
 */
export class SeatCounter {
  private profile?: PreparedProfile;
  private counts?: SegmentedCounts;
  /** The places of the segments of the profile in the counts. */
  private places: number[] = [];
  private readonly waiting: Waiting[];
  private isFull = false;
  private base = 0;
  private units = 0;
  /** Seats by unit of time and segment, and the whole periods of each unit. */
  private seats = new Int32Array(0);
  private readonly periods = new Float64Array(UNITS);
  /** The same in 32 bits, for small counts. */
  private readonly smallPeriods = new Int32Array(UNITS);

  constructor(columns: number) {
    this.waiting = Array.from({ length: columns }, () => ({ units: [], seats: [] }));
  }

  /**
   * The next counts are of this profile and entity, and of no unit before `first` or after `last`. Pauses are possible where
   * it yields.
   */
  *begin(profile: PreparedProfile, counts: SegmentedCounts, first: number, last: number): Generator<void> {
    const isNear = first >= this.base && last < this.base + UNITS;
    if (profile === this.profile && counts === this.counts && isNear && !this.isFull) {
      this.units = Math.max(this.units, last - this.base + 1);
      return;
    }
    yield* this.end();
    this.places = profile.segments.map((segment) => counts.placeOf(segment));
    const size = UNITS * this.places.length;
    if (this.seats.length < size) this.seats = new Int32Array(size);
    [this.profile, this.counts, this.base, this.units] = [profile, counts, first, last - first + 1];
  }

  /** Adds seats of a column, which is given by its place. Columns with the same objects in the same units are added up once. */
  add(column: number, unit: number, seats: Seats): void {
    const waiting = this.waiting[column];
    waiting.units.push(unit);
    if (waiting.seats.push(seats) >= MAX_WAITING) this.isFull = true;
  }

  /** Adds what waits to the counts of the entity. Yields after some segments of a column, for pauses. */
  *end(): Generator<void> {
    const moved: (Readonly<Waiting> & { lists: Lists })[] = [];
    for (const [column, { units, seats }] of this.waiting.entries()) {
      if (seats.length === 0) continue;
      const same = moved.find((other) => isSame(other.seats, seats) && isSame(other.units, units));
      const lists = same?.lists ?? this.listsOf(units, seats);
      for (const [segment, list] of lists.entries()) {
        if (list) this.counts!.add(column, this.places[segment], this.base, list);
        if (segment % SEGMENTS_PER_PAUSE === 0) yield;
      }
      if (!same) moved.push({ units, seats, lists });
    }
    for (const [column] of this.waiting.entries()) this.waiting[column] = { units: [], seats: [] };
    this.counts = undefined;
    this.isFull = false;
  }

  /** The counts of the segments of the profile; undefined for those without any. */
  private listsOf(units: readonly number[], waiting: readonly Seats[]): Lists {
    const { periods } = this;
    const { weights } = this.profile!.apportionment;
    const haveWeightOne = waiting.every(({ weight }) => weight === 1);
    const sums = haveWeightOne ? this.seats : new Float64Array(this.units * weights.length);
    this.sum(units, waiting, sums);
    this.smallPeriods.set(periods);
    const largest = periods.reduce((max, each) => Math.max(max, Math.abs(each)), 0);
    return weights.map((weight, segment) =>
      haveWeightOne && largest * weight < SMALL
        ? this.smallCounts(segment, weight)
        : this.largeCounts(sums, segment, weight),
    );
  }

  private sum(units: readonly number[], waiting: readonly Seats[], sums: Int32Array | Float64Array): void {
    const { base, periods } = this;
    const { sequence, weights } = this.profile!.apportionment;
    sums.fill(0, 0, this.units * weights.length);
    periods.fill(0);
    for (let n = 0; n < waiting.length; n++) {
      const { periods: full, start, end, sign, weight } = waiting[n];
      const near = units[n] - base;
      periods[near] += full * weight;
      const first = near * weights.length;
      const each = sign * weight;
      for (let i = start; i < end; i++) sums[first + sequence[i]] += each;
    }
  }

  /** The counts of a segment; undefined if all are zero. Zeros are stored, too: to look for them takes longer. */
  private smallCounts(segment: number, weight: number): number[] | undefined {
    const { units, seats, smallPeriods: periods } = this;
    const segments = this.places.length;
    const list = new Array<number>(units);
    let bits = 0;
    for (let near = 0, i = segment; near < units; near++, i += segments) {
      const count = (seats[i] + Math.imul(periods[near], weight)) | 0;
      list[near] = count;
      bits |= count;
    }
    return bits === 0 ? undefined : list;
  }

  /** The same for any whole numbers, which takes twice as long. */
  private largeCounts(sums: Int32Array | Float64Array, segment: number, weight: number): number[] | undefined {
    const { units, periods } = this;
    const segments = this.places.length;
    const list = new Array<number>(units);
    for (let near = 0, i = segment; near < units; near++, i += segments) list[near] = sums[i] + periods[near] * weight;
    return list.some((count) => count !== 0) ? list : undefined;
  }
}

/** True if lists have the same values. Equal counts of other units may share seats, too. */
const isSame = <T>(some: readonly T[], others: readonly T[]): boolean =>
  some.length === others.length && some.every((each, i) => each === others[i]);
