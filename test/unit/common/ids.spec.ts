import fc from 'fast-check';
import { Clock } from '../../../src/common/time/clock.js';
import {
  BASE_36_LAYOUT,
  DECIMAL_LAYOUT,
  IdSequence,
  lastMoment,
  newId,
  newNumber,
  type IdLayout,
} from '../../../src/common/entity/ids.js';

const KINDS: [string, IdLayout, RegExp, from: string, until: string][] = [
  ['base 36', BASE_36_LAYOUT, /^[0-9a-z]{13}$/, '2020-01-01', '2100-07-19T17:50:28.328Z'],
  ['decimal', DECIMAL_LAYOUT, /^[1-9][0-9]{15}$/, '2026-07-01', '2057-06-20T23:28:35.275Z'],
];
const MILLISECONDS_OF_30_YEARS = 30 * 365.25 * 86_400_000;

/** Byte by byte, as collation "C" compares. */
const ordered = (ids: string[]) =>
  ids.every((id, i) => i === 0 || Buffer.compare(Buffer.from(ids[i - 1]), Buffer.from(id)) < 0);

describe.each(KINDS)('ids in %s', (_, layout, form, from, until) => {
  const end = lastMoment(layout);
  const moments = fc.date({ min: new Date(from), max: new Date(end.getTime() - 60_000), noInvalidDate: true });
  const runs = fc.array(fc.record({ at: moments, count: fc.integer({ min: 1, max: 20 }) }), {
    minLength: 1,
    maxLength: 20,
  });

  it(`end in ${until.slice(0, 4)}`, () => {
    expect(end.toISOString()).toBe(until);
    expect(end.getTime() - Date.UTC(2026, 10, 21)).toBeGreaterThan(MILLISECONDS_OF_30_YEARS);
  });

  it('have one length and come in the order of their making, wherever the clock is moved', () => {
    fc.assert(
      fc.property(runs, (moves) => {
        const [sequence, clock] = [new IdSequence(layout), new Clock()];
        const made = moves.flatMap(({ at, count }) => {
          clock.set(at);
          return Array.from({ length: count }, () => sequence.next(clock.now()));
        });
        expect(made.filter((id) => !form.test(id))).toEqual([]);
        expect(ordered(made)).toBe(true);
      }),
    );
  });

  it('come in the order of time, whichever process makes them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(moments, { selector: Number, minLength: 2, maxLength: 20 }), (times) => {
        const made = times.sort((a, b) => a.getTime() - b.getTime()).map((at) => new IdSequence(layout).next(at));
        expect(ordered(made)).toBe(true);
      }),
    );
  });

  it('go on in the next milliseconds where one has no more, without a gap in the order', () => {
    const sequence = new IdSequence({ ...layout, idsPerMs: 64, last: layout.first + 64n * 10n ** 12n - 1n });
    const at = new Date('2030-03-03');
    const made = Array.from({ length: 1_000 }, () => sequence.next(at));
    expect(ordered(made)).toBe(true);
    expect(made.filter((id) => !form.test(id))).toEqual([]);
  });

  it('count a moment before the first as the first', () => {
    const sequence = new IdSequence(layout);
    const made = [new Date(0), new Date('1969-12-31'), new Date(from)].map((at) => sequence.next(at));
    expect(made.filter((id) => !form.test(id))).toEqual([]);
    expect(ordered(made)).toBe(true);
  });

  it('are refused after the last moment and of no moment at all, and go on when the clock is right again', () => {
    const sequence = new IdSequence(layout);
    expect(sequence.next(end)).toMatch(form);
    const other = new IdSequence(layout);
    const first = other.next(new Date('2030-03-03'));
    for (const wrong of [new Date(end.getTime() + 1), new Date(NaN)]) {
      expect(() => other.next(wrong)).toThrow(RangeError);
    }
    expect(ordered([first, other.next(new Date('2030-03-04'))])).toBe(true);
  });
});

describe('decimal ids', () => {
  it('of two processes in one millisecond are the same once in 8,192 times', () => {
    const at = new Date('2030-03-03');
    const tries = 200_000;
    const draw = () => new IdSequence(DECIMAL_LAYOUT).next(at);
    let same = 0;
    for (let i = 0; i < tries; i++) same += Number(draw() === draw());
    // 24 are to be expected; as many as 60 come about once in a thousand million runs.
    expect(same).toBeLessThan(60);
  });

  it('are integers that JSON keeps, until the last moment', () => {
    const numbers = Array.from({ length: 200 }, () => new IdSequence(DECIMAL_LAYOUT).next(lastMoment(DECIMAL_LAYOUT)));
    expect(numbers.filter((each) => String(Number(each)) !== each || !Number.isSafeInteger(Number(each)))).toEqual([]);
  });

  it('are greater than those of stores that were made before they had 16 digits', () => {
    const before = (at: number) => (at - Date.UTC(2020, 0, 1)) * 4096 + 4095;
    const first = Number(new IdSequence(DECIMAL_LAYOUT).next(new Date(0)));
    // The old layout itself reached 16 digits on 2027-09-26; nothing was made with it then.
    expect(first).toBeGreaterThan(before(Date.UTC(2027, 8, 25)));
  });
});

describe('the ids of this process', () => {
  it('are of their kinds', () => {
    const now = new Clock().now();
    expect([newId(now), newNumber(now)]).toEqual([
      expect.stringMatching(/^[0-9a-z]{13}$/),
      expect.stringMatching(/^[1-9][0-9]{15}$/),
    ]);
    expect(ordered(Array.from({ length: 5_000 }, () => newId(now)))).toBe(true);
    expect(ordered(Array.from({ length: 5_000 }, () => newNumber(now)))).toBe(true);
  });
});
