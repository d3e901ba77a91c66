import { DAY_MS, dayOf } from '../time/days.js';
import { firstIdOf, timeOfId } from '../entity/ids.js';

/** The period of a partition, in UTC. */
export type PartitionWidth = 'day' | 'month' | 'quarter' | 'year';

/** A range of bounds: `from` is inclusive, `to` exclusive. */
export interface BoundRange {
  from: string;
  to: string;
}

/** Before all ids, which begin with a letter or a digit. */
const FIRST_ID = '';
/** After all ids: `~` follows the letters and the digits. */
const LAST_ID = '~';

/** The column that divides a table. Its bounds are texts whose order is that of time. */
export interface PartitionKey {
  column: string;
  /** Before and after all bounds. */
  first: string;
  last: string;
  boundOf: (time: Date) => string;
  timeOf: (bound: string) => Date;
  /** A bound as PostgreSQL shows it. */
  read: (shown: string) => string;
}

/** Ids, which begin with the time of their creation. */
export const BY_ID: PartitionKey = {
  column: 'id',
  first: FIRST_ID,
  last: LAST_ID,
  boundOf: firstIdOf,
  timeOf: timeOfId,
  read: (shown) => shown,
};

const SHOWN_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d)(?::?(\d\d))?$/;

/** A time with a zone, which PostgreSQL shows in the zone of the session. */
export const byTime = (column: string): PartitionKey => ({
  column,
  first: '-infinity',
  last: 'infinity',
  boundOf: (time) => time.toISOString(),
  timeOf: (bound) => new Date(bound),
  read: (shown) => {
    const [, day, time, hours, minutes = '00'] = SHOWN_TIME.exec(shown)!;
    return new Date(`${day}T${time}${hours}:${minutes}`).toISOString();
  },
});

const MONTHS = { month: 1, quarter: 3, year: 12 };

/** The beginning of the period of a time. */
export function startOfPeriod(at: Date, width: PartitionWidth): Date {
  if (width === 'day') return new Date(dayOf(at.getTime()) * DAY_MS);
  const month = at.getUTCMonth();
  return new Date(Date.UTC(at.getUTCFullYear(), month - (month % MONTHS[width]), 1));
}

/** The end of the period of a time, which is the beginning of the next one. */
export function endOfPeriod(at: Date, width: PartitionWidth): Date {
  const start = startOfPeriod(at, width);
  if (width === 'day') return new Date(start.getTime() + DAY_MS);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + MONTHS[width], 1));
}

/** The end of the period that is `ahead` periods after that of a time. */
export function endAhead(now: Date, { width, ahead }: { width: PartitionWidth; ahead: number }): Date {
  let end = endOfPeriod(now, width);
  for (let i = 0; i < ahead; i++) end = endOfPeriod(end, width);
  return end;
}

/** The beginnings of the periods from that of one time to that of another. */
export function periodsBetween(from: Date, until: Date, width: PartitionWidth): Date[] {
  const starts: Date[] = [];
  for (let start = startOfPeriod(from, width); start <= until; start = endOfPeriod(start, width)) starts.push(start);
  return starts;
}

/** A new partition: the suffix of its name is the day of its beginning. */
export interface NewPartition extends BoundRange {
  suffix: string;
}

/** A day as a suffix of a name: `20261124`. */
export const daySuffix = (at: Date): string => at.toISOString().slice(0, 10).replaceAll('-', '');

/**
 * The partitions that are missing from the current period to the one `ahead` periods later. The existing ranges may have
 * any bounds, such as those of another width: new ones fill the gaps between them.
 */
export function missingPartitions(
  existing: readonly BoundRange[],
  now: Date,
  { width, ahead, key = BY_ID }: { width: PartitionWidth; ahead: number; key?: PartitionKey },
): NewPartition[] {
  const missing: NewPartition[] = [];
  let start = startOfPeriod(now, width);
  for (let i = 0; i <= ahead; i++) {
    const end = endOfPeriod(start, width);
    for (const gap of gapsIn({ from: key.boundOf(start), to: key.boundOf(end) }, existing))
      missing.push({ ...gap, suffix: daySuffix(key.timeOf(gap.from)) });
    start = end;
  }
  return missing;
}

/** The parts of a range that no other range has. */
function gapsIn({ from, to }: BoundRange, others: readonly BoundRange[]): BoundRange[] {
  const within = others.filter((other) => other.to > from && other.from < to);
  const sorted = within.sort((a, b) => (a.from < b.from ? -1 : 1));
  const gaps: BoundRange[] = [];
  let covered = from;
  for (const other of sorted) {
    if (other.from > covered) gaps.push({ from: covered, to: other.from });
    if (other.to > covered) covered = other.to;
  }
  return covered < to ? [...gaps, { from: covered, to }] : gaps;
}

/** The milliseconds from `now` for which there are partitions without a gap, at most those of `ahead` periods. */
export function coveredMs(
  existing: readonly BoundRange[],
  now: Date,
  partitioning: { width: PartitionWidth; ahead: number; key?: PartitionKey },
): number {
  const [missing] = missingPartitions(existing, now, partitioning);
  const end = missing ? (partitioning.key ?? BY_ID).timeOf(missing.from) : endAhead(now, partitioning);
  return Math.max(0, end.getTime() - now.getTime());
}
