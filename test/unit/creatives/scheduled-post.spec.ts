import fc from 'fast-check';
import {
  exceedsScheduleDensity,
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
