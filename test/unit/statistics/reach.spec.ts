import fc from 'fast-check';
import { POPULATION } from '../../../src/statistics/facts/delivery-audience.entity.js';
import { reachOf, type ShownTo } from '../../../src/statistics/reach/reach.rules.js';

const impressions = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 10_000_000_000 }),
);
const users = fc.option(fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 2 * POPULATION })));
const part: fc.Arbitrary<ShownTo> = fc.record({ users, impressions });
const parts = fc.array(part, { maxLength: 8 });
const sum = (shown: readonly ShownTo[]) => shown.reduce((total, each) => total + each.impressions, 0);

describe('reach', () => {
  it('is at most the impressions, the population and the audience, and 0 only without impressions', () => {
    fc.assert(
      fc.property(parts, (shown) => {
        const reach = reachOf(shown);
        expect(Number.isSafeInteger(reach.users)).toBe(true);
        const population = Math.max(POPULATION, ...shown.map((each) => each.users ?? 0));
        expect(reach.users).toBeLessThanOrEqual(Math.min(sum(shown), population));
        expect(reach.users > 0).toBe(sum(shown) > 0);
      }),
    );
    fc.assert(
      fc.property(part, (shown) => {
        expect(reachOf([shown]).users).toBeLessThanOrEqual(Math.max(1, shown.users ?? POPULATION));
      }),
    );
  });

  it('is at least that of each part, and at most the sum of all', () => {
    fc.assert(
      fc.property(parts, (shown) => {
        const { users: whole } = reachOf(shown);
        const single = shown.map((each) => reachOf([each]).users);
        expect(whole).toBeGreaterThanOrEqual(Math.max(0, ...single));
        expect(whole).toBeLessThanOrEqual(single.reduce((total, each) => total + each, 0));
      }),
    );
  });

  it('never falls when impressions are added, which a longer range does', () => {
    fc.assert(
      fc.property(parts, fc.array(impressions, { minLength: 8, maxLength: 8 }), part, (shown, more, another) => {
        const longer = shown.map((each, i) => ({ ...each, impressions: each.impressions + more[i] }));
        expect(reachOf([...longer, another]).users).toBeGreaterThanOrEqual(reachOf(shown).users);
      }),
    );
  });

  it('gives the frequency with two decimals: the impressions for each user', () => {
    fc.assert(
      fc.property(parts, (shown) => {
        const { users: whole, frequency } = reachOf(shown);
        if (whole === 0) return expect(frequency).toBe(0);
        expect(Math.abs(frequency - sum(shown) / whole)).toBeLessThanOrEqual(0.005_1);
        expect(Number(frequency.toFixed(2))).toBe(frequency);
      }),
    );
  });

  it.each([
    [[], { users: 0, frequency: 0 }],
    [[{ users: 1_000, impressions: 1 }], { users: 1, frequency: 1 }],
    // 1,000 × (1 − 0.999^1,000) = 632.3
    [[{ users: 1_000, impressions: 1_000 }], { users: 633, frequency: 1.58 }],
    // everybody has seen it ten times
    [[{ users: 1_000, impressions: 100_000 }], { users: 1_000, frequency: 100 }],
    // two different audiences have 0.1 of 1,000 users in common
    [Array.from({ length: 2 }, () => ({ users: 1_000, impressions: 100_000 })), { users: 2_000, frequency: 100 }],
    // half of the population, twice: three quarters
    [Array.from({ length: 2 }, () => ({ users: 5_000_000, impressions: 1e10 })), { users: 7_500_000, frequency: 2_666.67 }],
    [[{ users: null, impressions: 1_000 }], { users: 1_000, frequency: 1 }],
  ])('of %j is %j', (shown, expected) => expect(reachOf(shown)).toEqual(expected)); // prettier-ignore
});
