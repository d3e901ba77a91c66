import fc from 'fast-check';
import {
  criterionKeyOf,
  problemsOfSet,
  type SetCriterion,
} from '../../../src/campaigns/criterion-sets/criterion-set.rules.js';
import { judge, type CriterionRow } from '../../../src/campaigns/criterion-sets/targeting-criteria.rules.js';
import { DEVICES, TV_SHOWS } from '../../../src/campaigns/targeting-values/targeting-lists.js';

const US = '96683cc9126741d1';
const IPHONE = DEVICES.all().find(({ osType }) => osType === 'iOS')!.value;
const SHOW = TV_SHOWS.all().find(({ locales }) => locales.join() === 'en-US')!.value;

const is = (targeting_type: SetCriterion['targeting_type'], targeting_value: string, operator = 'EQ') =>
  ({ targeting_type, targeting_value, operator_type: operator }) as SetCriterion;
const stored = (...criteria: SetCriterion[]): CriterionRow[] =>
  criteria.map((criterion, i) => ({ ...criterion, id: `c${i}` }));

/** Criteria of which many do not go together, need each other, or are the same. */
const criterion = fc.constantFrom(
  is('AGE', 'AGE_OVER_21'),
  is('AGE', 'AGE_OVER_35'),
  is('LOCATION', US),
  is('LOCATION', US, 'NE'),
  is('TV_SHOW', SHOW),
  is('PLATFORM', '0'),
  is('PLATFORM', '1'),
  is('DEVICE', IPHONE),
  is('BROAD_KEYWORD', 'tea'),
  is('BROAD_KEYWORD', 'TEA'),
  is('BROAD_KEYWORD', 'tea', 'NE'),
  is('CUSTOM_AUDIENCE', 'a1'),
  is('CUSTOM_AUDIENCE_EXPANDED', 'a1'),
  is('CAMPAIGN_ENGAGEMENT', 'k1'),
  is('ENGAGEMENT_TYPE', 'IMPRESSION'),
);

/** A set that came to be as sets do: of what was accepted, some at a time. */
const sets = fc.array(fc.array(criterion, { maxLength: 4 }), { maxLength: 5 }).map((batches) => {
  let set: CriterionRow[] = [];
  for (const batch of batches) {
    const { problems, existing, same } = judge(set, batch);
    if (problems.size > 0) continue;
    set = stored(...set, ...batch.filter((_, i) => !existing.has(i) && !same.has(i)));
  }
  return set;
});

describe('criteria that are added and taken away', () => {
  it('leave a set of which nothing is wrong, where nothing is refused', () => {
    fc.assert(
      fc.property(
        sets,
        fc.array(criterion, { maxLength: 6 }),
        fc.array(fc.nat(8), { maxLength: 3 }),
        (set, wanted, go) => {
          expect(problemsOfSet(set).flat()).toEqual([]);
          const gone = new Set(go.map((i) => `c${i}`).filter((id) => set.some((each) => each.id === id)));
          const { problems, existing, same, needed } = judge(set, wanted, gone);
          const kept = set.filter(({ id }) => !gone.has(id));
          const added = wanted.filter((_, i) => !existing.has(i) && !same.has(i));
          const after = [...kept, ...added];
          const isFine = problemsOfSet(after).flat().length === 0;
          expect(problems.size === 0 && needed.size === 0).toBe(isFine);
          expect([...needed.keys()].filter((id) => !gone.has(id))).toEqual([]);
          if (!isFine) return;
          expect(new Set(after.map(criterionKeyOf)).size).toBe(after.length);
          for (const [i, id] of existing)
            expect(criterionKeyOf(kept.find((each) => each.id === id)!)).toBe(criterionKeyOf(wanted[i]));
          for (const [i, first] of same) expect(criterionKeyOf(wanted[first])).toBe(criterionKeyOf(wanted[i]));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are there once: one that stays is answered, one that goes is made anew', () => {
    const set = stored(is('BROAD_KEYWORD', 'Tea'));
    const wanted = [is('BROAD_KEYWORD', 'tea'), is('BROAD_KEYWORD', 'cake'), is('BROAD_KEYWORD', 'CAKE')];
    const beside = judge(set, wanted);
    expect([[...beside.existing], [...beside.same]]).toEqual([[[0, 'c0']], [[2, 1]]]);
    const anew = judge(set, wanted, new Set(['c0']));
    expect([[...anew.existing], [...anew.same], anew.problems.size]).toEqual([[], [[2, 1]], 0]);
  });

  it('blame what takes away what is needed, and not what was wrong before', () => {
    const set = stored(is('LOCATION', US), is('TV_SHOW', SHOW), is('GENDER', '1'));
    const refused = judge(set, [], new Set(['c0', 'c2'])).needed;
    expect([...refused].map(([id, { detail }]) => [id, detail.parameter])).toEqual([['c0', 'targeting_criterion_id']]);
    expect(judge(set, [], new Set(['c0', 'c1'])).needed.size).toBe(0);
    const wrong = stored(is('TV_SHOW', SHOW), is('GENDER', '1'));
    expect(judge(wrong, [], new Set(['c1'])).needed.size).toBe(0);
  });
});
