import { Draws } from '../delivery/draw.js';
import { localDay } from '../time-zone.rules.js';
import { seatsOf } from './apportion.rules.js';
import { CellDivision, eventsOf, STREAMS, type Run } from './cell-counts.rules.js';
import type { CellRow } from './cells.statements.js';
import type { FactColumn } from './metrics.js';
import type { PreparedProfile, SegmentedCounts } from './segmented-counts.js';
import type { SegmentationType } from './segmentation.js';

/** Which cells are divided, and into which units of time. */
export interface DividedUnits {
  type: SegmentationType;
  placement: string;
  timezone: string;
  /** The beginnings of the units of time and the end of the last one, in milliseconds. */
  bounds: readonly number[];
  columns: readonly FactColumn[];
}

/** A time as rows have it. */
interface KnownTime {
  ms: number;
  /** The unit of time that it begins in; undefined outside the range. */
  unit: number | undefined;
  day: number;
}

/**
 * Divides cells among segments. A cell is what a line item delivered of one thing to one audience on one placement and local
 * day. Its hours are parts of one cumulative count that begins at a drawn seat, so they add up to the day.
 */
export class CellDivider {
  private readonly times = new Map<string, KnownTime>();
  private readonly division: CellDivision;

  constructor(private readonly units: DividedUnits) {
    this.division = new CellDivision(units.columns);
  }

  /** What the rows of one cell have in common. */
  keyOf({ lineItemId, promotedId, audienceId, time }: CellRow): string {
    return `${lineItemId} ${promotedId} ${audienceId} ${this.timeOf(time).day}`;
  }

  /** Adds the counts of a cell, given all its rows, to those of the segments of its audience. */
  divide(rows: CellRow[], profile: PreparedProfile, counts: SegmentedCounts): void {
    const firsts = this.firstSeats(rows[0]);
    const runs = this.division.runsOf(rows.length === 1 ? rows[0] : totalOf(rows));
    if (rows.length > 1) rows.sort((one, other) => this.timeOf(one.time).ms - this.timeOf(other.time).ms);
    for (const run of runs) this.divideRun(run, rows, firsts[run.stream], profile, counts);
  }

  private divideRun(
    run: Run,
    rows: readonly CellRow[],
    first: number,
    profile: PreparedProfile,
    counts: SegmentedCounts,
  ) {
    let before = 0;
    for (const row of rows) {
      const events = eventsOf(run, row);
      if (events === 0) continue;
      const { unit } = this.timeOf(row.time);
      if (unit !== undefined) {
        const seats = seatsOf(profile.apportionment, first, before, before + events);
        for (const column of run.of) counts.add(column, unit, profile, seats);
      }
      before += events;
    }
  }

  /** The seat at which each stream of a cell begins. */
  private firstSeats({ lineItemId, promotedId, audienceId, time }: CellRow): number[] {
    const { type, placement } = this.units;
    const seat = Draws.of(type, lineItemId, placement, promotedId, audienceId).draw(this.timeOf(time).day);
    return Array.from({ length: STREAMS }, (_, stream) => (stream === 0 ? seat : mixed(seat, stream)));
  }

  private timeOf(time: string): KnownTime {
    let known = this.times.get(time);
    if (!known) {
      const ms = new Date(time).getTime();
      known = { ms, unit: unitOf(this.units.bounds, ms), day: localDay(this.units.timezone, ms) };
      this.times.set(time, known);
    }
    return known;
  }
}

/** Another seat for each stream, by the last steps of MurmurHash3. */
function mixed(seat: number, stream: number): number {
  let hash = (seat + Math.imul(stream, 0x9e3779b9)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The unit that a time is in; undefined before the first and after the last one. */
function unitOf(bounds: readonly number[], ms: number): number | undefined {
  if (ms < bounds[0] || ms >= bounds[bounds.length - 1]) return undefined;
  let [low, high] = [0, bounds.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (bounds[middle] <= ms) low = middle;
    else high = middle;
  }
  return low;
}

function totalOf(rows: readonly CellRow[]): Partial<Record<FactColumn, number>> {
  const total: Record<string, number> = {};
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (typeof value === 'number') total[name] = (total[name] ?? 0) + value;
  return total;
}
