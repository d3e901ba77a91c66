import fc from 'fast-check';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { ScheduledPost } from '../../../src/creatives/entities/scheduled-post.entity.js';
import {
  exceedsScheduleDensity,
  isDue,
  lockedProblems,
  newTime,
  timeProblems,
  wholeMinute,
  DENSITY_WINDOW_MINUTES,
} from '../../../src/creatives/scheduled-posts/scheduled-post.rules.js';

const START = Date.UTC(2026, 10, 22, 9);
const minute = (n: number) => new Date(START + n * 60_000).toISOString();
const now = new Date(START);

describe('the time of a scheduled post', () => {
  it('is a whole minute', () => {
    expect(wholeMinute('2026-11-22T09:30:59Z')).toBe('2026-11-22T09:30:00.000Z');
    expect(wholeMinute('2026-11-22T09:30:00Z')).toBe('2026-11-22T09:30:00.000Z');
  });

  it.each([
    ['a minute ahead', minute(1), true],
    ['a year ahead', '2027-11-22T09:00:00.000Z', true],
    ['now', minute(0), false],
    ['a minute ago', minute(-1), false],
    ['a year and a minute ahead', '2027-11-22T09:01:00.000Z', false],
  ])('%s', (_, at, fits) => {
    const problems = timeProblems(at, now);
    if (fits) expect(problems).toEqual([]);
    else expect(problems).toMatchObject([{ code: 'INVALID_TIME_WINDOW', detail: { parameter: 'scheduled_at' } }]);
  });
});

describe('a scheduled post', () => {
  const of = (scheduledStatus: string, at: number, deletedAt: string | null = null) =>
    ({ id: 's', scheduledStatus, scheduledAt: minute(at), deletedAt }) as Row<ScheduledPost>;

  it.each([
    ['before its minute', of('SCHEDULED', 1), false, true],
    ['in its minute', of('SCHEDULED', 0), true, false],
    ['after its minute', of('SCHEDULED', -1), true, false],
    ['deleted', of('SCHEDULED', -1, minute(-2)), false, false],
    ['published', of('SUCCEEDED', 1), false, false],
  ])('is due and may change as its time says: %s', (_, scheduled, due, mayChange) => {
    expect([isDue(scheduled, now), lockedProblems(scheduled, now).length === 0]).toEqual([due, mayChange]);
  });

  it('has another time if another minute is sent', () => {
    expect(newTime(undefined)).toBeUndefined();
    expect(newTime(undefined, minute(1))).toBeUndefined();
    expect(newTime('2026-11-22T09:01:30Z', minute(1))).toBeUndefined();
    expect(newTime('2026-11-22T09:02:30Z', minute(1))).toBe(minute(2));
    expect(newTime('2026-11-22T09:02:30Z')).toBe(minute(2));
  });
});

describe('as many as thirty in fifteen minutes', () => {
  it('have room, in one minute or over the fifteen', () => {
    expect(
      exceedsScheduleDensity(
        Array.from({ length: 29 }, () => minute(5)),
        minute(5),
      ),
    ).toBe(false);
    expect(
      exceedsScheduleDensity(
        Array.from({ length: 30 }, () => minute(5)),
        minute(5),
      ),
    ).toBe(true);
    expect(
      exceedsScheduleDensity(
        Array.from({ length: 30 }, () => minute(5)),
        minute(19),
      ),
    ).toBe(true);
    expect(
      exceedsScheduleDensity(
        Array.from({ length: 30 }, () => minute(5)),
        minute(20),
      ),
    ).toBe(false);
    expect(
      exceedsScheduleDensity(
        Array.from({ length: 30 }, () => minute(20)),
        minute(5),
      ),
    ).toBe(false);
  });

  it('are counted in every window that the new one is in', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 70 });
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 60 }), (others, at) => {
        const counts = Array.from({ length: DENSITY_WINDOW_MINUTES.minutes }, (_, back) => {
          const start = at - back;
          return [...others, at].filter((time) => time >= start && time < start + DENSITY_WINDOW_MINUTES.minutes)
            .length;
        });
        expect(exceedsScheduleDensity(others.map(minute), minute(at))).toBe(
          Math.max(...counts) > DENSITY_WINDOW_MINUTES.max,
        );
      }),
    );
  });
});
