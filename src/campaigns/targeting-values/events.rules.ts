import { DAY_MS } from '../../common/time/days.js';
import { closedSet } from '../../common/values/closed-set.js';
import { shippedTable } from '../../common/list/shipped-list.js';

/** Event types. */
export const EVENT_TYPES = closedSet('EventType', [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
]);
export type TargetingEventType = (typeof EVENT_TYPES)[number];

/** A recurring event, as the list contains it. */
interface RecurringEvent {
  /** Three characters with which the targeting values of all its years begin. */
  code: string;
  name: string;
  type: TargetingEventType;
  /** An ISO 3166-1 alpha-2 code; empty for a global event. */
  country: string;
  days: number;
  when: string;
}

/** The occurrence of an event in one year, which can be targeted. */
export interface TargetableEvent {
  value: string;
  name: string;
  type: TargetingEventType;
  country: string;
  /** Midnight UTC of the first day, regardless of the time zone, and of the day after the last. */
  start: Date;
  end: Date;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIRST_YEAR = 2020;
const LAST_YEAR = 2099;

let events: { all: RecurringEvent[]; byCode: Map<string, RecurringEvent> } | undefined;

function list() {
  if (!events) {
    const all = shippedTable('targeting/events.tsv').map(([code, name, type, country, days, when]): RecurringEvent => ({
      code,
      name,
      type: type as TargetingEventType,
      country,
      days: Number(days),
      when,
    }));
    events = { all, byCode: new Map(all.map((event) => [event.code, event])) };
  }
  return events;
}

/** The first day of an event in a year, in milliseconds; undefined if it does not take place in that year. */
export function firstDayOf(when: string, year: number): number | undefined {
  const [, rule, later = '0'] = /^(.*?)([+-]\d+)?$/.exec(when)!;
  if (/^\d{4}-/.test(when)) {
    const day = when.split(',').find((each) => each.startsWith(`${year}-`));
    return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
  }
  if (rule === 'easter') return easter(year) + Number(later) * DAY_MS;
  const fixed = /^(\d\d)-(\d\d)$/.exec(when);
  if (fixed) return Date.UTC(year, Number(fixed[1]) - 1, Number(fixed[2]));
  const nth = /^(\d\d)-(\d|last)-(\w{3})$/.exec(rule);
  if (!nth) throw new Error(`${when} is not a valid time of an event`);
  const [, month, which, weekday] = nth;
  return nthWeekday(year, Number(month) - 1, which, WEEKDAYS.indexOf(weekday)) + Number(later) * DAY_MS;
}

/** The nth, or last, weekday of a month, in milliseconds. */
function nthWeekday(year: number, month: number, which: string, weekday: number): number {
  if (which === 'last') {
    const last = Date.UTC(year, month + 1, 0);
    return last - ((new Date(last).getUTCDay() - weekday + 7) % 7) * DAY_MS;
  }
  const first = Date.UTC(year, month, 1);
  return first + (((weekday - new Date(first).getUTCDay() + 7) % 7) + (Number(which) - 1) * 7) * DAY_MS;
}

/** Easter Sunday of a year of the Gregorian calendar (Meeus), in milliseconds. */
function easter(year: number): number {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}

function inYear(event: RecurringEvent, year: number): TargetableEvent | undefined {
  const start = firstDayOf(event.when, year);
  if (start === undefined) return undefined;
  const { code, name, type, country, days } = event;
  const value = `${code}${year.toString(36)}`;
  return { value, name, type, country, start: new Date(start), end: new Date(start + days * DAY_MS) };
}

/** The event with this targeting value. */
export function eventAt(value: string): TargetableEvent | undefined {
  const [, code, written] = /^(\w{3})([0-9a-z]{3})$/.exec(value) ?? [];
  const event = code === undefined ? undefined : list().byCode.get(code);
  const year = parseInt(written, 36);
  return event && year >= FIRST_YEAR && year <= LAST_YEAR ? inYear(event, year) : undefined;
}

/** The default range of the event look-up. Later events are not planned yet. */
const YEARS_AHEAD = 3;

/** The events between `start` and `end`, or within three years, earliest first. */
export function eventsBetween(start: Date, end = yearsAfter(start, YEARS_AHEAD)): TargetableEvent[] {
  const first = Math.max(start.getUTCFullYear(), FIRST_YEAR);
  const last = Math.min(end.getUTCFullYear(), LAST_YEAR);
  const found: TargetableEvent[] = [];
  // An event that began at the end of a year may continue in the next.
  for (let year = Math.max(first - 1, FIRST_YEAR); year <= last; year++) {
    for (const event of list().all) {
      const one = inYear(event, year);
      if (one && one.end > start && one.start < end) found.push(one);
    }
  }
  return found.sort((a, b) => a.start.getTime() - b.start.getTime() || (a.value < b.value ? -1 : 1));
}

function yearsAfter(start: Date, years: number): Date {
  const end = new Date(start);
  end.setUTCFullYear(start.getUTCFullYear() + years);
  return end;
}
