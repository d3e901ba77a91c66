import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../../src/common/time/days.js';
import {
  boundsOf,
  windowProblems,
  type Granularity,
} from '../../../src/statistics/account-statistics/statistics-window.rules.js';
import {
  dayBeginningAt,
  lastFirstHour,
  localDay,
  nextFirstHour,
  startOfDay,
} from '../../../src/common/time/time-zones.js';

const dayOf = (date: string) => Date.parse(date) / DAY_MS;
const begins = (timezone: string, date: string) => new Date(startOfDay(timezone, dayOf(date))).toISOString();

it.each([
  ['UTC', '2026-03-08', '2026-03-08T00:00:00.000Z'],
  ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00.000Z'],
  ['America/Los_Angeles', '2026-03-09', '2026-03-09T07:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-08', '2026-03-07T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2026-03-08', '2026-03-07T10:00:00.000Z'],
  // clocks skip midnight, and repeat it
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
])('in %s, %s begins at %s', (timezone, date, moment) => expect(begins(timezone, date)).toBe(moment));

it('each moment is in the day that its date begins and before the next one', () => {
  const zone = fc.constantFrom('America/Los_Angeles', 'America/Santiago', 'Africa/Cairo', 'Australia/Lord_Howe', 'Asia/Beirut'); // prettier-ignore
  const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });
  fc.assert(
    fc.property(zone, moment, (timezone, ms) => {
      const day = localDay(timezone, ms);
      expect(startOfDay(timezone, day)).toBeLessThanOrEqual(ms);
      expect(startOfDay(timezone, day + 1)).toBeGreaterThan(ms);
      expect(dayBeginningAt(timezone, startOfDay(timezone, day), Date.UTC(2026, 0, 1))).toBe(day);
    }),
  );
});

it('the first whole hour of a day is the last and the next one of itself, and those around it are a day away', () => {
  const zone = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Australia/Lord_Howe');
  const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });
  fc.assert(
    fc.property(zone, moment, (timezone, ms) => {
      const [last, next] = [lastFirstHour(timezone, ms), nextFirstHour(timezone, ms)];
      for (const first of [last, next]) {
        expect(first % HOUR_MS).toBe(0);
        const start = startOfDay(timezone, localDay(timezone, first));
        expect(first - start).toBeGreaterThanOrEqual(0);
        expect(first - start).toBeLessThan(HOUR_MS);
        expect([lastFirstHour(timezone, first), nextFirstHour(timezone, first)]).toEqual([first, first]);
      }
      expect(last).toBeLessThanOrEqual(ms);
      expect(next).toBeGreaterThanOrEqual(ms);
      expect(nextFirstHour(timezone, last + 1)).toBeGreaterThan(ms - 1);
      expect(lastFirstHour(timezone, next - 1)).toBeLessThan(ms + 1);
    }),
  );
});

const place = { timezone: 'America/Los_Angeles', now: new Date('2026-06-01T00:00:00Z') };
const asked = (start_time: string, end_time: string, granularity: Granularity) => ({
  start_time,
  end_time,
  granularity,
});

it("a day also begins at midnight by today's offset, and is the same day", () => {
  const today = asked('2026-03-01T07:00:00Z', '2026-03-03T07:00:00Z', 'DAY');
  expect(windowProblems(today, place, 7)).toEqual([]);
  expect(boundsOf(today, place)).toEqual(boundsOf(asked('2026-03-01', '2026-03-03', 'DAY'), place));
  expect(windowProblems(asked('2026-03-01T06:00:00Z', '2026-03-03', 'DAY'), place, 7)).toHaveLength(1);
});

it("a range from midnight to the same midnight by today's offset has no day", () => {
  const winter = { ...place, now: new Date('2026-12-01T00:00:00Z') };
  for (const [start, end, there] of [
    ['2026-07-01T07:00:00Z', '2026-07-01T08:00:00Z', winter],
    ['2026-03-01T07:00:00Z', '2026-03-01T08:00:00Z', place],
    ['2026-07-01T08:00:00Z', '2026-07-01T07:00:00Z', winter],
    ['2026-07-01', '2026-07-01', winter],
  ] as const) {
    const found = windowProblems(asked(start, end, 'DAY'), there, 7);
    expect(found.map(({ code, message, detail }) => [code, message, detail])).toEqual([
      ['INVALID_TIME_WINDOW', 'end_time must be after start_time', { parameter: 'end_time', value: end }],
    ]);
  }
  const hour = asked('2026-07-01T07:00:00Z', '2026-07-01T08:00:00Z', 'HOUR');
  expect(windowProblems(hour, winter, 7)).toEqual([]);
  const day = asked('2026-07-01T08:00:00Z', '2026-07-02T07:00:00Z', 'DAY');
  expect(windowProblems(day, winter, 7)).toEqual([]);
});

it('hours of a range are as many as its days have, 23 and 25 where clocks change', () => {
  for (const [date, next, hours] of [
    ['2026-03-08', '2026-03-09', 23],
    ['2026-11-01', '2026-11-02', 25],
  ] as const) {
    const bounds = boundsOf(asked(date, next, 'HOUR'), place);
    expect(bounds).toHaveLength(hours + 1);
    expect(bounds.at(-1)! - bounds[0]).toBe(hours * HOUR_MS);
    expect(boundsOf(asked(date, next, 'DAY'), place)).toEqual([bounds[0], bounds.at(-1)]);
  }
});

it('where days begin at half past, their hours are whole, too', () => {
  const kolkata = { ...place, timezone: 'Asia/Kolkata' };
  expect(windowProblems(asked('2026-03-01', '2026-03-02', 'TOTAL'), kolkata, 7)).toEqual([]);
  expect(windowProblems(asked('2026-03-01T00:30:00Z', '2026-03-02', 'TOTAL'), place, 7)).toHaveLength(1);
});
