import fc from 'fast-check';
import {
  isFew,
  MAX_COUNTED,
  overflow,
  SAMPLE_SIZE,
  sampleKey,
  standsFor,
} from '../../../src/audiences/directory/directory-sample.rules.js';

/** The sample of `size` that users with the numbers up to `users` have, by what `sampleKey` says. */
const sampleOf = (users: number, size: number): Set<number> => {
  const numbers = Array.from({ length: users }, (_, i) => i + 1);
  const keys = new Map(numbers.map((number) => [number, sampleKey(number)]));
  return new Set(numbers.sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1)).slice(0, size));
};

const USERS = 20_000;
const SIZE = 2_000;
const sample = sampleOf(USERS, SIZE);

describe('the sample of the directory', () => {
  it('has the same users however often it is taken', () => {
    expect(sampleOf(USERS, SIZE)).toEqual(sample);
    expect(new Set(Array.from({ length: 1_000 }, (_, i) => sampleKey(i))).size).toBe(1_000);
  });

  it('changes by those who are added alone, each of whom takes the place of one', () => {
    const after = sampleOf(USERS + 500, SIZE);
    const added = [...after].filter((number) => !sample.has(number));
    expect(added.every((number) => number > USERS)).toBe(true);
    // of 500 users one in ten or so
    expect(added.length).toBeGreaterThan(20);
    expect(added.length).toBeLessThan(80);
    expect([...sample].filter((number) => !after.has(number))).toHaveLength(added.length);
  });

  it('is fair: whatever users are counted, it has the share of them that it has of all', () => {
    // a chi-squared test of 20 parts, of users who joined together, and of every twentieth: 19 degrees of freedom
    for (const part of [(n: number) => Math.floor((n - 1) / (USERS / 20)), (n: number) => n % 20]) {
      const counts = Array.from<number>({ length: 20 }).fill(0);
      for (const number of sample) counts[part(number)]++;
      const expected = SIZE / 20;
      const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      expect(chiSquared).toBeLessThan(43.8); // one in a thousand fair samples is beyond it
    }
  });

  it('is kept by taking the largest keys out again, however users are added', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 30 }), (batches) => {
        let [users, held] = [0, 0];
        for (const added of batches) {
          // while there is room all of them are put into it; later any number of them
          const put = users < SAMPLE_SIZE ? added : added % 100;
          held += put - overflow(users, put);
          users += added;
          expect(held).toBe(Math.min(users, SAMPLE_SIZE));
        }
      }),
    );
  });
});

describe('what users of the sample stand for', () => {
  it('is themselves where all are in it, and their share of the directory otherwise', () => {
    expect(standsFor(17, SAMPLE_SIZE)).toBe(17);
    expect(standsFor(17, 5)).toBe(17);
    expect(standsFor(17, 10 * SAMPLE_SIZE)).toBe(170);
    expect(standsFor(1_000, SAMPLE_SIZE + 1)).toBeCloseTo(1_000.01);
  });

  it('is few where they can be counted one by one', () => {
    expect(isFew(MAX_COUNTED, SAMPLE_SIZE)).toBe(true);
    expect(isFew(MAX_COUNTED, 2 * SAMPLE_SIZE)).toBe(false);
    expect(isFew(MAX_COUNTED / 10, 10 * SAMPLE_SIZE)).toBe(true);
  });
});
