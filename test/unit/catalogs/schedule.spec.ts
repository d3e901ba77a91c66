import fc from 'fast-check';
import { nextDue, type Schedule } from '../../../src/catalogs/scheduled-feeds/schedule.rules.js';
import { DAY_MS, HOUR_MS } from '../../../src/common/time/days.js';
import { offsetAt } from '../../../src/common/time/time-zones.js';

const BERLIN: Schedule = { frequency: 'DAILY', repeat: null, startTime: '02:30', timeZone: 'Europe/Berlin' };

/** The next times after one. */
function duesOf(schedule: Schedule, after: string, count: number): string[] {
  const found: string[] = [];
  for (let ms = Date.parse(after); found.length < count; found.push(new Date(ms).toISOString()))
    ms = nextDue(schedule, ms);
  return found.map((each) => each.slice(0, 16));
}

describe('the times of a feed', () => {
  it('are at the start time, once a day, also when clocks change', () => {
    // 02:30 does not exist on March 29, and is twice on October 25
    expect(duesOf(BERLIN, '2026-03-27T12:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
    expect(duesOf(BERLIN, '2026-10-23T12:00Z', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('are on a weekday of the time zone', () => {
    const weekly: Schedule = {
      frequency: 'WEEKLY',
      repeat: 'MONDAY',
      startTime: '08:00',
      timeZone: 'Pacific/Auckland',
    };
    // Sunday evening in UTC
    expect(duesOf(weekly, '2026-11-27T00:00Z', 2)).toEqual(['2026-11-29T19:00', '2026-12-06T19:00']);
  });

  it('are every so many hours from the start time of each day', () => {
    const hourly: Schedule = { ...BERLIN, frequency: 'HOURLY', repeat: '8', startTime: '06:00' };
    expect(duesOf(hourly, '2026-11-27T04:00Z', 4)).toEqual([
      '2026-11-27T05:00',
      '2026-11-27T13:00',
      '2026-11-27T21:00',
      '2026-11-28T05:00',
    ]);
  });

  const zones = fc.constantFrom(
    ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tehran', 'Australia/Lord_Howe', 'Pacific/Apia'],
    ...['America/St_Johns', 'Africa/Casablanca', 'Asia/Kathmandu', 'Pacific/Chatham'],
  );
  const moments = fc.integer({ min: Date.parse('2012-01-01'), max: Date.parse('2035-01-01') });
  const startTimes = fc.nat(24 * 60 - 1).map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
  const localTimeOf = (timeZone: string, ms: number) =>
    new Date(ms + offsetAt(timeZone, ms)).toISOString().slice(11, 16);

  it('are after a time and the earliest such, DAILY at the start time unless clocks skip it', () => {
    fc.assert(
      fc.property(zones, moments, startTimes, (timeZone, after, startTime) => {
        const daily: Schedule = { frequency: 'DAILY', repeat: null, startTime, timeZone };
        const due = nextDue(daily, after);
        expect(due).toBeGreaterThan(after);
        expect(due - after).toBeLessThanOrEqual(DAY_MS + HOUR_MS);
        // whatever the time asked before it, the next one is the same
        expect(nextDue(daily, after + (due - after) / 2)).toBe(due);
        if (localTimeOf(timeZone, due) !== startTime)
          expect(offsetAt(timeZone, due)).toBeGreaterThan(offsetAt(timeZone, due - DAY_MS));
        expect(nextDue(daily, due) - due).toBeGreaterThanOrEqual(DAY_MS - HOUR_MS);
      }),
    );
  });

  it('are at most so many hours apart for HOURLY, and a week for WEEKLY', () => {
    const hours = fc.constantFrom('1', '2', '3', '4', '6', '8', '12');
    fc.assert(
      fc.property(zones, moments, startTimes, hours, (timeZone, after, startTime, repeat) => {
        const hourly: Schedule = { frequency: 'HOURLY', repeat, startTime, timeZone };
        const due = nextDue(hourly, after);
        const gap = nextDue(hourly, due) - due;
        expect(due).toBeGreaterThan(after);
        expect(due - after).toBeLessThanOrEqual(Number(repeat) * HOUR_MS);
        expect(gap).toBeGreaterThan(0);
        expect(gap).toBeLessThanOrEqual(Number(repeat) * HOUR_MS);
        // the start time is one of them
        const daily = nextDue({ ...hourly, frequency: 'DAILY', repeat: null }, after);
        expect(nextDue(hourly, daily - 1)).toBe(daily);
        const weekly = nextDue({ ...hourly, frequency: 'WEEKLY', repeat: 'SUNDAY' }, after);
        expect(weekly - after).toBeLessThanOrEqual(7 * DAY_MS + HOUR_MS);
        expect(new Date(weekly + offsetAt(timeZone, weekly)).getUTCDay()).toBe(0);
      }),
    );
  });
});
