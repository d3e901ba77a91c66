import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { DATED_CHANGES, isInForce, type DatedChangeName } from '../../../src/common/as-of/dated-changes.js';
import { isCalendarDate } from '../../../src/config/environment.js';

const NAMES = Object.keys(DATED_CHANGES) as DatedChangeName[];
const DAY_MS = 86_400_000;
const dates = fc.integer({ min: 0, max: 40_000 }).map((days) => new Date(days * DAY_MS).toISOString().slice(0, 10));

describe('dated changes', () => {
  it('are days, in their order', () => {
    const days = NAMES.map((name) => DATED_CHANGES[name].date);
    expect(days.filter((day) => !isCalendarDate(day))).toEqual([]);
    expect(days).toEqual(days.toSorted());
  });

  it('are in force from their day on, and never without a date', () => {
    fc.assert(
      fc.property(dates, fc.constantFrom(...NAMES), (date, name) => {
        expect(isInForce(name, date)).toBe(Date.parse(date) >= Date.parse(DATED_CHANGES[name].date));
      }),
    );
    expect(NAMES.filter((name) => isInForce(name, undefined))).toEqual([]);
  });

  it('stand in docs/gaps.md, with their dates, sources and what decides', () => {
    const lines = readFileSync('docs/gaps.md', 'utf8').split('\n');
    const cells = lines.map((line) => line.split('|').map((cell) => cell.trim())).map((line) => line.slice(1, -1));
    const start = cells.findIndex(([first]) => first === 'Change');
    const rows = cells.slice(start + 2, start + 2 + NAMES.length);
    expect(rows).toEqual(
      NAMES.map((name) => {
        const { date, what, source, by } = DATED_CHANGES[name];
        return [what, date, source, by];
      }),
    );
    expect(cells[start + 2 + NAMES.length]).toEqual([]);
  });
});

describe('a day of the calendar', () => {
  it('is what the calendar has, in this form', () => {
    fc.assert(fc.property(dates, (date) => expect(isCalendarDate(date)).toBe(true)));
    const others = ['', '2026-02-30', '2026-13-01', '2026-1-1', '20261101', '2026-11-01T00:00:00Z', 'today', undefined];
    expect(others.filter((each) => isCalendarDate(each))).toEqual([]);
  });
});
