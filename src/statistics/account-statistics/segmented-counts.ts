import { requestTooComplex } from '../../common/errors/catalogue.js';
import { apportionmentOf, type Apportionment, type Seats } from './apportion.rules.js';
import type { Counts, FactColumn, Segment } from './metrics.js';
import { inOrder, type SegmentProfile } from './segment-profile.rules.js';

/** The numbers of one entity. More do not fit into memory beside those of other jobs. */
const MAX_NUMBERS = 10_000_000;

/** A profile with the seats of its segments. */
export interface PreparedProfile {
  segments: readonly Segment[];
  apportionment: Apportionment;
}

/** Prepares a profile; undefined if it has no segments. */
export function prepared({ segments, outside }: SegmentProfile): PreparedProfile | undefined {
  if (segments.length === 0) return undefined;
  const weights = segments.map(({ weight }) => weight);
  return { segments, apportionment: apportionmentOf(weights, outside) };
}

/** A number for each unit of time, by the place of the segment; absent for segments without any. */
type Lists = (number[] | undefined)[];

/** The counts of the segments of an entity. */
export class SegmentedCounts {
  private readonly segments: Segment[] = [];
  private readonly places = new Map<string | null, number>();
  private readonly lists: Lists[];
  private readonly zeros: readonly number[];
  private numbers = 0;

  constructor(
    private readonly id: string,
    private readonly columns: readonly FactColumn[],
    length: number,
  ) {
    this.lists = columns.map(() => []);
    this.zeros = Array.from({ length }, () => 0);
  }

  /** The place of a segment, for `listOf`. */
  placeOf({ name, value }: Segment): number {
    let place = this.places.get(value);
    if (place === undefined) {
      place = this.segments.push({ name, value }) - 1;
      this.places.set(value, place);
    }
    return place;
  }

  /** The counts of a column in a segment, by the place of the column. */
  listOf(column: number, place: number): number[] {
    const lists = this.lists[column];
    const list = lists[place];
    if (list) return list;
    this.numbers += this.zeros.length;
    if (this.numbers > MAX_NUMBERS)
      throw requestTooComplex(`The segments of ${this.id} have more than ${MAX_NUMBERS} numbers`, {
        details: 'ask for a shorter range, a longer granularity or fewer metric groups',
      });
    return (lists[place] = this.zeros.slice());
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
    return counted.filter(({ counts }) => counts.size > 0).sort((one, other) => inOrder(one.segment!, other.segment!));
  }
}

/** The units of time that seats are added up for at the same time; more than a local day has hours. */
const UNITS = 128;
/** Processors multiply whole numbers below this one fastest. */
const SMALL = 2 ** 30;

/** The seats of a column, by unit of time and segment, and the whole periods of each unit. */
interface SeatSums {
  isUsed: boolean;
  seats: Int32Array;
  whole: Float64Array;
}

/**
 * Adds up seats of one profile for an entity. It goes through units of time in ascending order, as cells by day do: a few
 * units are in memory that is small enough to be fast.
 */
export class SeatCounter {
  private profile?: PreparedProfile;
  private counts?: SegmentedCounts;
  /** The places of the segments of the profile in the counts. */
  private places: number[] = [];
  private readonly sums: (SeatSums | undefined)[];
  private base = 0;
  private units = 0;

  constructor(columns: number) {
    this.sums = Array.from({ length: columns }, () => undefined);
  }

  /** What comes next is of this profile and entity, and of no unit before `first` or after `last`. */
  begin(profile: PreparedProfile, counts: SegmentedCounts, first: number, last: number): void {
    const isNear = first >= this.base && last < this.base + UNITS;
    if (profile === this.profile && counts === this.counts && isNear) {
      this.units = Math.max(this.units, last - this.base + 1);
      return;
    }
    this.end();
    if (profile !== this.profile) this.sums.fill(undefined);
    this.places = profile.segments.map((segment) => counts.placeOf(segment));
    [this.profile, this.counts, this.base, this.units] = [profile, counts, first, last - first + 1];
  }

  /** Adds seats of a column, which is given by its place. */
  add(column: number, unit: number, { whole, start, end, sign }: Seats): void {
    const { sequence, weights } = this.profile!.apportionment;
    const near = unit - this.base;
    const sums = (this.sums[column] ??= {
      isUsed: false,
      seats: new Int32Array(UNITS * weights.length),
      whole: new Float64Array(UNITS),
    });
    sums.isUsed = true;
    sums.whole[near] += whole;
    const { seats } = sums;
    const first = near * weights.length;
    for (let i = start; i < end; i++) seats[first + sequence[i]] += sign;
  }

  /** Moves what is added up to the counts of the entity. */
  end(): void {
    for (const [column, sums] of this.sums.entries()) {
      if (!sums?.isUsed) continue;
      this.move(column, sums);
      sums.isUsed = false;
      sums.seats.fill(0, 0, this.units * this.profile!.segments.length);
      sums.whole.fill(0);
    }
    this.counts = undefined;
  }

  private move(column: number, { seats, whole }: SeatSums): void {
    const { base, units, places } = this;
    const { weights } = this.profile!.apportionment;
    const segments = weights.length;
    const most = whole.reduce((max, each) => Math.max(max, Math.abs(each)), 0);
    const small = Int32Array.from(whole);
    for (let segment = 0; segment < segments; segment++) {
      const weight = weights[segment];
      const isSmall = most * weight < SMALL;
      let list: number[] | undefined;
      for (let near = 0, i = segment; near < units; near++, i += segments) {
        const count = isSmall ? (seats[i] + Math.imul(small[near], weight)) | 0 : seats[i] + whole[near] * weight;
        if (count === 0) continue;
        list ??= this.counts!.listOf(column, places[segment]);
        list[base + near] += count;
      }
    }
  }
}
