import fc from 'fast-check';
import { armsOf } from '../../../src/campaigns/spending/test-arms.js';
import { isInArm, usersInArm } from '../../../src/statistics/delivery/test-arms.rules.js';
import { reachOf } from '../../../src/statistics/reach/reach.rules.js';

/** Sizes of 2 to 30 groups in hundredths of a percent, which add up to all users. */
const SIZES = fc
  .uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 29 })
  .map((cuts) => [...cuts.sort((a, b) => a - b).map((cut) => cut * 100), 10_000])
  .map((ends) => ends.map((end, i) => end - (ends[i - 1] ?? 0)));

const arms = (id: string, sizes: readonly number[]) => [
  ...armsOf({
    id,
    entityIds: sizes.map((_, i) => `e${i}`),
    userGroups: sizes.map((size) => ({ size, entities: 1 })),
  }).values(),
];

describe('arms of A/B tests', () => {
  it('divide all users: each is in one arm', () => {
    fc.assert(
      fc.property(fc.string(), SIZES, fc.array(fc.string(), { maxLength: 50 }), (id, sizes, users) => {
        const all = arms(id, sizes);
        for (const user of users) expect(all.filter((arm) => isInArm(arm, user))).toHaveLength(1);
      }),
    );
  });

  it('add up to the users of an audience, each by its size', () => {
    fc.assert(
      fc.property(SIZES, fc.integer({ min: 0, max: 10_000_000_000 }), (sizes, users) => {
        const parts = arms('test', sizes).map((arm) => usersInArm(arm, users));
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(users);
        for (const [i, part] of parts.entries())
          expect(Math.abs(part - (users * sizes[i]) / 10_000)).toBeLessThan(1.001);
      }),
    );
  });

  it('have about their share of a crowd', () => {
    const [small] = arms('1a', [2_000, 8_000]);
    const found = Array.from({ length: 10_000 }, (_, i) => `${i}`).filter((user) => isInArm(small, user)).length;
    expect(Math.abs(found - 2_000)).toBeLessThan(200);
  });

  it('have no user in common: reach of both is the sum', () => {
    const part = (range: string) => ({ audienceId: `0a.t1.${range}`, users: 500, impressions: 100_000 });
    expect(reachOf([part('0-5000'), part('5000-10000')]).users).toBe(1_000);
    expect(reachOf([{ ...part('0-5000'), audienceId: 'b' }, part('5000-10000')]).users).toBe(1_000);
  });
});
