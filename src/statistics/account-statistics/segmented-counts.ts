import { requestTooComplex } from '../../common/errors/catalogue.js';
import { apportionmentOf, type Apportionment, type Seats } from './apportion.rules.js';
import type { Counts, FactColumn, Segment } from './metrics.js';
import { inOrder, type SegmentProfile } from './segment-profile.rules.js';

/** The numbers of one entity. More do not fit beside those of other jobs. */
const MAX_NUMBERS = 10_000_000;

/** A profile with the seats of its segments. */
export interface PreparedProfile {
  segments: readonly Segment[];
  apportionment: Apportionment;
}

/** Prepares a profile; undefined if it has no segments. */
export const prepared = ({ segments, outside }: SegmentProfile): PreparedProfile | undefined =>
  segments.length === 0
    ? undefined
    : { segments, apportionment: apportionmentOf(segments.map(({ weight }) => weight), outside) }; // prettier-ignore

/** A number for each unit of time, by the place of the segment; absent for segments without any. */
type Lists = (number[] | undefined)[];

/** Adds up the counts of the segments of an entity. */
export class SegmentedCounts {
  private readonly segments: Segment[] = [];
  private readonly places = new Map<string | null, number>();
  /** The places of the segments of each profile. */
  private readonly placesOf = new Map<PreparedProfile, Uint32Array>();
  private readonly lists: Map<FactColumn, Lists>;
  private readonly zeros: readonly number[];
  private numbers = 0;

  constructor(
    private readonly id: string,
    private readonly columns: readonly FactColumn[],
    length: number,
  ) {
    this.lists = new Map(columns.map((column) => [column, []]));
    this.zeros = new Array<number>(length).fill(0);
  }

  /** Adds seats of a profile to the counts of a column in a unit of time. */
  add(column: FactColumn, unit: number, profile: PreparedProfile, { whole, start, end, sign }: Seats): void {
    const { sequence, weights } = profile.apportionment;
    const lists = this.lists.get(column)!;
    const places = this.placesIn(profile);
    if (whole === 0 && end - start < weights.length) {
      for (let i = start; i < end; i++) {
        const place = places[sequence[i]];
        (lists[place] ?? this.added(lists, place))[unit] += sign;
      }
      return;
    }
    const counts = scratch(weights.length);
    for (let i = start; i < end; i++) counts[sequence[i]]++;
    for (let i = 0; i < weights.length; i++) {
      const count = whole * weights[i] + sign * counts[i];
      if (count === 0) continue;
      const place = places[i];
      (lists[place] ?? this.added(lists, place))[unit] += count;
    }
  }

  /** The counts of the segments that have some, in the order of their values. */
  all(): Counts[] {
    const counted = this.segments.map((segment, place): Counts => {
      const counts = new Map<FactColumn, number[]>();
      for (const column of this.columns) {
        const list = this.lists.get(column)![place];
        if (list) counts.set(column, list);
      }
      return { segment, counts };
    });
    return counted.filter(({ counts }) => counts.size > 0).sort((one, other) => inOrder(one.segment!, other.segment!));
  }

  private added(lists: Lists, place: number): number[] {
    this.numbers += this.zeros.length;
    if (this.numbers > MAX_NUMBERS)
      throw requestTooComplex(`The segments of ${this.id} have more than ${MAX_NUMBERS} numbers`, {
        details: 'ask for a shorter range, a longer granularity or fewer metric groups',
      });
    const list = this.zeros.slice();
    lists[place] = list;
    return list;
  }

  private placesIn(profile: PreparedProfile): Uint32Array {
    let places = this.placesOf.get(profile);
    if (!places) {
      places = Uint32Array.from(profile.segments, (segment) => this.placeOf(segment));
      this.placesOf.set(profile, places);
    }
    return places;
  }

  private placeOf({ name, value }: Segment): number {
    let place = this.places.get(value);
    if (place === undefined) {
      place = this.segments.push({ name, value }) - 1;
      this.places.set(value, place);
    }
    return place;
  }
}

let counters = new Int32Array(1_024);

/** Zeros for so many segments, until the next call. */
function scratch(length: number): Int32Array {
  if (length > counters.length) counters = new Int32Array(2 * length);
  return counters.fill(0, 0, length);
}
