import { DAY_MS } from '../../common/days.js';
import { closedSet } from '../../common/closed-set.js';
import { shippedTable } from '../../common/list/shipped-list.js';

/** What happens in the world, by kind. */
export const EVENT_TYPES = closedSet('EventType', [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
]);
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happens again: what is on the list. */
export interface RecurringEvent {
  /** Three characters that begin the targeting values of all its years. */
  code: string;
  name: string;
  type: EventType;
  /** ISO 3166-1 alpha-2; empty where it is the world's. */
  country: string;
  days: number;
  when: string;
}

/** An event of one year that can be targeted. */
export interface TargetableEvent {
  value: string;
  name: string;
  type: EventType;
  country: string;
  /** Midnight in UTC of its first day, whatever the zone it is in, and of the day after its last. */
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
      type: type as EventType,
      country,
      days: Number(days),
      when,
    }));
    events = { all, byCode: new Map(all.map((event) => [event.code, event])) };
  }
  return events;
}

/** The first day of an event in a year, in milliseconds; undefined where it does not take place in it. */
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
  if (!nth) throw new Error(`${when} is no time of an event`);
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

/** The event that has this targeting value. */
export function eventAt(value: string): TargetableEvent | undefined {
  const [, code, written] = /^(\w{3})([0-9a-z]{3})$/.exec(value) ?? [];
  const event = code === undefined ? undefined : list().byCode.get(code);
  const year = parseInt(written, 36);
  return event && year >= FIRST_YEAR && year <= LAST_YEAR ? inYear(event, year) : undefined;
}

/** How far events are looked up where no end is given: what is later is not planned for yet. */
const YEARS_AHEAD = 3;

/** The events that are on at some moment from `start` up to `end`, or within three years, the first to begin first. */
export function eventsBetween(start: Date, end?: Date): TargetableEvent[] {
  const first = Math.max(start.getUTCFullYear(), FIRST_YEAR);
  const last = Math.min(end?.getUTCFullYear() ?? first + YEARS_AHEAD, LAST_YEAR);
  const found: TargetableEvent[] = [];
  // what began at the end of a year goes on in the next
  for (let year = Math.max(first - 1, FIRST_YEAR); year <= last; year++) {
    for (const event of list().all) {
      const one = inYear(event, year);
      if (one && one.end > start && (!end || one.start < end)) found.push(one);
    }
  }
  return found.sort((a, b) => a.start.getTime() - b.start.getTime() || (a.value < b.value ? -1 : 1));
}
