import fc from 'fast-check';
import { apportionmentOf, apportionedParts } from '../../../src/statistics/account-statistics/apportion.rules.js';

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

const weights = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 });
const outside = fc.option(fc.record({ inside: fc.integer({ min: 1, max: 500 }), outside: fc.integer({ min: 0, max: 500 }) }), { nil: undefined }); // prettier-ignore
const first = fc.integer({ min: 0, max: 0xffff_ffff });
const count = fc.oneof(fc.nat(300), fc.nat(1_000_000), fc.nat(9_000_000_000_000_000));

/** The D'Hondt method as it is written down: each seat goes to the greatest quotient. */
function seatBySeat(own: readonly number[], seats: number): number[] {
  const parts = own.map(() => 0);
  for (let seat = 0; seat < seats; seat++) {
    let best = 0;
    // w / (n + 1), compared without a division
    for (let i = 1; i < own.length; i++) if (own[i] * (parts[best] + 1) > own[best] * (parts[i] + 1)) best = i;
    parts[best]++;
  }
  return parts;
}

it('gives each seat to the greatest quotient', () => {
  fc.assert(
    fc.property(weights, fc.nat(2_000), fc.nat(500), (own, from, length) => {
      const [before, after] = [from, from + length].map((seats) => seatBySeat(own, seats));
      const expected = after.map((seats, i) => seats - before[i]);
      expect(apportionedParts(apportionmentOf(own), from, 0, length)).toEqual(expected);
      expect(apportionedParts(apportionmentOf(own), 0, from, from + length)).toEqual(expected);
    }),
  );
});

it('divides a count exactly: no part is negative, and parts of it add up to the whole', () => {
  fc.assert(
    fc.property(
      weights,
      outside,
      first,
      fc.array(count, { minLength: 3, maxLength: 3 }),
      (own, others, seat, counts) => {
        const apportionment = apportionmentOf(own, others);
        const [low, middle, high] = counts.sort((a, b) => a - b);
        const whole = apportionedParts(apportionment, seat, low, high);
        const two = [
          apportionedParts(apportionment, seat, low, middle),
          apportionedParts(apportionment, seat, middle, high),
        ];
        expect(two[0].map((part, i) => part + two[1][i])).toEqual(whole);
        for (const part of [...two.flat(), ...whole]) expect(part).toBeGreaterThanOrEqual(0);
        if (!others || others.outside === 0) expect(sum(whole)).toBe(high - low);
        else expect(sum(whole)).toBeLessThanOrEqual(high - low);
      },
    ),
    { numRuns: 300 },
  );
});

it('smaller counts from the same seat have no greater part in any segment', () => {
  fc.assert(
    fc.property(weights, outside, first, count, count, (own, others, seat, one, other) => {
      const apportionment = apportionmentOf(own, others);
      const [less, more] = [Math.min(one, other), Math.max(one, other)].map((to) =>
        apportionedParts(apportionment, seat, 0, to),
      );
      expect(less.every((part, i) => part <= more[i])).toBe(true);
    }),
  );
});

it('each segment gets its share, wherever the count begins, and users outside theirs', () => {
  const apportionment = apportionmentOf([30, 20, 10], { inside: 3, outside: 7 });
  const seats = Array.from({ length: 600 }, (_, i) => apportionedParts(apportionment, i, 0, 1));
  expect([0, 1, 2].map((segment) => sum(seats.map((parts) => parts[segment])))).toEqual([90, 60, 30]);
  expect(apportionedParts(apportionment, 12_345, 0, 8_000_000_000_000_000)).toEqual([1.2e15, 0.8e15, 0.4e15]);
});
