import { Draws } from '../delivery/draw.js';
import { localDay } from '../../common/time/time-zones.js';
import { seatsOf, type Seats } from './apportion.rules.js';
import { CellDivision, cellEventsOf, MAIN, worthOf } from './cell-counts.rules.js';
import type { CellRow } from './cells.statements.js';
import type { FactColumn } from './metrics.js';
import { SeatCounter, type PreparedProfile, type SegmentedCounts } from './segmented-counts.js';
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

/** The delivery of one thing of a line item to one audience on one placement and local day. */
export interface Cell {
  day: number;
  /** The day, or its hours, earliest first. */
  rows: readonly CellRow[];
}

const MAX_SEATS = 1_000;
/** The cells between possible pauses. */
const CELLS_PER_PAUSE = 16;

/**
 * Divides cells among segments. The hours of a cell are parts of one cumulative count that begins at a drawn seat, so they add
 * up to the day.
 */
export class CellDivider {
  private readonly times = new Map<string, KnownTime>();
  /** The draws for the last promoted things. */
  private readonly seats = new Map<string, { lineItemId: string; audienceId: string; seat: number }>();
  private readonly division: CellDivision;
  private readonly counter: SeatCounter;

  constructor(private readonly units: DividedUnits) {
    this.division = new CellDivision(units.columns);
    this.counter = new SeatCounter(units.columns.length);
  }

  /** The columns that rows need. */
  get columns(): readonly FactColumn[] {
    return this.division.columns;
  }

  /** The cells of rows of one line item, in the order of their days. */
  cellsOf(rows: readonly CellRow[]): Cell[] {
    const cells: Cell[] = [];
    const ofHours = new Map<string, { day: number; rows: CellRow[] }>();
    for (const row of rows) {
      const { day } = this.timeOf(row.time);
      if (row.isDay) {
        cells.push({ day, rows: [row] });
        continue;
      }
      const key = `${row.promotedId} ${row.audienceId} ${day}`;
      const known = ofHours.get(key);
      if (known) known.rows.push(row);
      else ofHours.set(key, { day, rows: [row] });
    }
    for (const cell of ofHours.values()) {
      cell.rows.sort((one, other) => this.timeOf(one.time).ms - this.timeOf(other.time).ms);
      cells.push(cell);
    }
    return cells.sort((one, other) => one.day - other.day);
  }

  /**
   * Adds the counts of cells to those of the segments of their audience. They are complete after `end`. Pauses are possible
   * where it yields.
   */
  *divide(cells: readonly Cell[], profile: PreparedProfile, counts: SegmentedCounts): Generator<void> {
    for (const [i, cell] of cells.entries()) {
      yield* this.divideOne(cell, profile, counts);
      if (i % CELLS_PER_PAUSE === 0) yield;
    }
  }

  private *divideOne({ day, rows }: Cell, profile: PreparedProfile, counts: SegmentedCounts): Generator<void> {
    const units = rows.map(({ time }) => this.timeOf(time).unit);
    const within = units.filter((unit) => unit !== undefined);
    if (within.length === 0) return;
    yield* this.counter.begin(profile, counts, within[0], within[within.length - 1]);
    const seat = this.firstSeat(rows[0], day);
    const parts = rows.map((row) => this.countsOf(row));
    const whole = parts.length === 1 ? parts[0] : parts.reduce((sum, part) => sum.map((count, i) => count + part[i]));
    /** Of the main stream: equal counts from the beginning have the same seats. */
    const known = new Map<number, Seats>();
    for (const run of this.division.runsOf(whole)) {
      const first = run.stream === MAIN ? seat : mixed(seat, run.stream);
      const worth = worthOf(run, whole);
      let before = 0;
      for (let i = 0; i < parts.length; i++) {
        const events = cellEventsOf(run, parts[i]);
        const unit = units[i];
        if (events === 0) continue;
        if (unit !== undefined) {
          const isKnown = run.stream === MAIN && before === 0 && worth === 1;
          const seats =
            (isKnown ? known.get(events) : undefined) ??
            seatsOf(profile.apportionment, first, before, before + events, worth);
          if (isKnown) known.set(events, seats);
          for (const column of run.of) this.counter.add(column, unit, seats);
        }
        before += events;
      }
    }
  }

  private countsOf(row: CellRow): number[] {
    const counts: number[] = [];
    for (const column of this.division.columns) counts.push(row[column] ?? 0);
    return counts;
  }

  /** Completes the counts of all cells so far. */
  end(): Generator<void> {
    return this.counter.end();
  }

  /** The seat at which the counts of a cell begin. */
  private firstSeat({ lineItemId, promotedId, audienceId }: CellRow, day: number): number {
    let known = this.seats.get(promotedId);
    if (known?.lineItemId !== lineItemId || known.audienceId !== audienceId) {
      const { type, placement } = this.units;
      known = { lineItemId, audienceId, seat: Draws.of(type, lineItemId, placement, promotedId).draw(audienceId) };
      if (this.seats.size >= MAX_SEATS) this.seats.clear();
      this.seats.set(promotedId, known);
    }
    return mixed(known.seat, day);
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

/** Another seat for each day and stream, by the last steps of MurmurHash3. */
function mixed(seat: number, by: number): number {
  let hash = (seat + Math.imul(by, 0x9e3779b9)) | 0;
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
