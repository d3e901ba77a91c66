import { DAY_MS, minuteOf } from '../../common/time/days.js';

/** Something that happens in an account of a clock: a flight, or a moment. Times are in milliseconds. */
export interface TimelineEvent {
  label: string;
  /** The page that shows it, below the section of accounts; absent without one. */
  link?: string;
  start: number;
  /** Absent for a moment; Infinity for a flight without an end. */
  end?: number;
}

/** Maximum number of lanes. */
const MAX_LANES = 40;
/** Days before the clock that the timeline shows at most, and days after it that it shows at least and at most. */
const MAX_DAYS_BEFORE = 30;
const MIN_DAYS_AFTER = 7;
const MAX_DAYS_AFTER = 400;
/** A clock advances by at most two years. */
const MAX_DAYS_AHEAD = 730;
const TICKS = 5;

/** A flight or a moment beside others. Places are percentages of the timeline. */
interface Lane {
  label: string;
  link?: string;
  /** The beginning and the end in words. */
  times: string;
  x: string;
  width: string;
  isMoment: boolean;
}

export interface Timeline {
  /** Its first and its last second since the epoch. */
  from: number;
  to: number;
  /** The place of the clock, and its second. */
  now: string;
  at: number;
  ticks: { x: string; text: string }[];
  lanes: Lane[];
  /** The number of events that are not shown: those that are over, and those whose next change is the latest. */
  more: number;
  /** The next beginning, end or moment, for a form; null if there is none to which the clock can advance. */
  next: { time: string; label: string } | null;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;
const shown = (ms: number): string => minuteOf(ms).replace('T', ' ');

/** The changes of an event after a time: its beginning and its end. */
const changesAfter = ({ start, end }: TimelineEvent, ms: number): number[] =>
  [start, ...(end === undefined ? [] : [end])].filter((each) => each > ms);

/** The timeline of a clock: what runs or happens after its time, the next change first. */
export function timelineOf(now: number, events: readonly TimelineEvent[]): Timeline {
  const open = events.flatMap((event) => {
    const changes = changesAfter(event, now);
    return changes.length === 0 ? [] : [{ event, next: Math.min(...changes) }];
  });
  open.sort((one, other) => one.next - other.next);
  const lanes = open.slice(0, MAX_LANES).map(({ event }) => event);
  const after = (days: number) => now + days * DAY_MS;
  const last = Math.max(after(MIN_DAYS_AFTER), ...lanes.map(({ start, end }) => end ?? start));
  const to = Math.min(after(MAX_DAYS_AFTER), last + DAY_MS);
  const first = Math.min(now - DAY_MS, ...lanes.map(({ start }) => start));
  const from = Math.max(after(-MAX_DAYS_BEFORE), first);
  const shareOf = (ms: number) => Math.min(1, Math.max(0, (ms - from) / (to - from)));
  const [next] = open;
  return {
    from: Math.floor(from / 1000),
    to: Math.ceil(to / 1000),
    now: percent(shareOf(now)),
    at: Math.floor(now / 1000),
    ticks: Array.from({ length: TICKS }, (_, i) => ({
      x: percent((i + 0.5) / TICKS),
      text: minuteOf(from + ((i + 0.5) / TICKS) * (to - from)).slice(0, 10),
    })),
    lanes: lanes.map(({ label, link, start, end }) => ({
      label,
      link,
      times: end === undefined ? shown(start) : `${shown(start)} to ${end === Infinity ? 'open end' : shown(end)}`,
      x: percent(shareOf(start)),
      width: percent(shareOf(end ?? start) - shareOf(start)),
      isMoment: end === undefined,
    })),
    more: events.length - lanes.length,
    next:
      next && next.next + 59_999 <= after(MAX_DAYS_AHEAD)
        ? { time: minuteOf(next.next + 59_999), label: next.event.label }
        : null,
  };
}
