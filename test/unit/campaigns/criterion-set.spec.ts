import fc from 'fast-check';
import { LOCATIONS } from '../../../src/audiences/locations/locations.js';
import {
  criterionKeyOf,
  problemsOfSet,
  type LineItemAround,
  type SetCriterion,
} from '../../../src/campaigns/criterion-sets/criterion-set.rules.js';
import { DEVICES, TV_SHOWS } from '../../../src/campaigns/targeting-values/targeting-lists.js';
import {
  LIMITS,
  OPERATOR_TYPES,
  TARGETING,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../../../src/campaigns/targeting-values/targeting-types.js';

const is = (
  type: TargetingType,
  value: string,
  operator: OperatorType = TARGETING[type].operators[0],
): SetCriterion => ({
  targeting_type: type,
  targeting_value: value,
  operator_type: operator,
});
const many = (type: TargetingType, count: number, operator?: OperatorType) =>
  Array.from({ length: count }, (_, i) => is(type, `${type}${i}`, operator));
/** By index, the codes and parameters of what is wrong. */
const told = (criteria: SetCriterion[], around?: LineItemAround) =>
  problemsOfSet(criteria, around).map((problems) => problems.map(({ code, detail }) => `${code} ${detail.parameter}`));
/** The indices of what is refused. */
const refused = (criteria: SetCriterion[], around?: LineItemAround) =>
  told(criteria, around).flatMap((problems, i) => (problems.length > 0 ? [i] : []));
const at = (name: string) => LOCATIONS.all().find((each) => each.name === name)!.value;
const show = (name: string) => TV_SHOWS.all().find((each) => each.name === name)!.value;
const [US, DE, LA] = [at('United States'), at('Germany'), at('Los Angeles, CA, US')];

describe('the criteria of a line item', () => {
  it('are fine without any, and with one of each type that stands alone', () => {
    expect(problemsOfSet([])).toEqual([]);
    const alone = TARGETING_TYPES.filter((type) => type !== 'TV_SHOW' && type !== 'ENGAGEMENT_TYPE');
    expect(refused(alone.map((type) => is(type, `a ${type}`)))).toEqual([]);
  });

  it.each([
    ['AGE', 1],
    ['EVENT', 1],
    ['INTEREST', 100],
    ['FOLLOWERS_OF_USER', 100],
    ['LOCATION', 2000],
    ['BROAD_KEYWORD', 1000],
    ['CONTENT_PUBLISHER_USER', 50],
    ['CONVERSATION', 500],
  ] as const)('have at most so many of %s: %i', (type, max) => {
    expect(refused(many(type, max))).toEqual([]);
    expect(refused(many(type, max + 2))).toEqual([max, max + 1]);
    expect(told(many(type, max + 1))[max]).toEqual(['INVALID_PARAMETER targeting_type']);
  });

  it('are counted together where types share a limit, and not where they do not', () => {
    const seeds = [...many('FOLLOWERS_OF_USER', 60), ...many('SIMILAR_TO_FOLLOWERS_OF_USER', 41)];
    expect(refused(seeds)).toEqual([100]);
    const keywords = [...many('BROAD_KEYWORD', 500), ...many('EXACT_KEYWORD', 500), ...many('PHRASE_KEYWORD', 1, 'NE')];
    expect(refused(keywords)).toEqual([1000]);
    expect(refused([...many('CONVERSATION', 500), ...many('DEVICE', 500)])).toEqual([]);
  });

  it('are at most 4,000 in all', () => {
    const all = [
      ...many('LOCATION', 2000),
      ...many('BROAD_KEYWORD', 1000),
      ...many('CONVERSATION', 500),
      ...many('CUSTOM_AUDIENCE', 499),
      is('AGE', 'a'),
      is('EVENT', 'b'),
    ];
    expect(refused(all)).toEqual([4000]);
  });

  it.each([
    ['CUSTOM_AUDIENCE_EXPANDED', 'NE'],
    ['CAMPAIGN_ENGAGEMENT_LOOKALIKE', 'NE'],
    ['USER_ENGAGEMENT_LOOKALIKE', 'NE'],
    ['APP_STORE_CATEGORY_LOOKALIKE', 'NE'],
    ['APP_LIST', 'EQ'],
    ['CONTENT_PUBLISHER_USER', 'EQ'],
    ['NETWORK_ACTIVATION_DURATION', 'EQ'],
    ['BROAD_KEYWORD', 'GTE'],
    ['AGE', 'LT'],
  ] as const)('of %s do not take %s', (type, operator) => {
    expect(told([is(type, '1', operator)])).toEqual([['INVALID_PARAMETER operator_type']]);
  });

  it('are there once, whatever the case of keywords and the operator', () => {
    const same = [is('BROAD_KEYWORD', 'Coffee'), is('EXACT_KEYWORD', 'coffee'), is('BROAD_KEYWORD', 'coffee')];
    expect(refused(same)).toEqual([2]);
    expect(refused([is('LOCATION', US), is('LOCATION', US, 'NE')])).toEqual([1]);
    expect(refused([is('CUSTOM_AUDIENCE', 'abc'), is('CUSTOM_AUDIENCE', 'abd')])).toEqual([]);
  });

  it.each([
    ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'],
    ['CAMPAIGN_ENGAGEMENT', 'CAMPAIGN_ENGAGEMENT_LOOKALIKE'],
    ['USER_ENGAGEMENT', 'USER_ENGAGEMENT_LOOKALIKE'],
    ['APP_STORE_CATEGORY', 'APP_STORE_CATEGORY_LOOKALIKE'],
  ] as const)('of %s and %s are not of the same', (type, lookalike) => {
    expect(refused([is(type, 'a'), is(lookalike, 'b')])).toEqual([]);
    expect(refused([is(type, 'a'), is(lookalike, 'a')])).toEqual([1]);
    expect(refused([is(lookalike, 'a'), is(type, 'a')])).toEqual([1]);
  });

  it('of shows need a location, and none outside the market', () => {
    const tatort = is('TV_SHOW', show('Tatort'));
    expect(told([tatort])).toEqual([['INVALID_TV_SHOW_LOCATIONS targeting_value']]);
    expect(told([is('LOCATION', DE, 'NE'), tatort])[1]).toEqual(['INVALID_TV_SHOW_LOCATIONS targeting_value']);
    expect(refused([is('LOCATION', DE), tatort])).toEqual([]);
    expect(refused([tatort, is('LOCATION', DE)])).toEqual([]);
    expect(told([is('LOCATION', US), tatort])[1]).toEqual(['TV_SHOW_OUTSIDE_MARKET targeting_value']);
    expect(told([is('LOCATION', DE), is('LOCATION', US), tatort])[2]).toEqual([
      'TV_SHOW_OUTSIDE_MARKET targeting_value',
    ]);
    expect(told([is('LOCATION', DE), tatort, is('LOCATION', US)])).toEqual([
      [],
      [],
      ['TV_SHOW_OUTSIDE_MARKET targeting_value'],
    ]);
    expect(refused([is('LOCATION', LA), is('TV_SHOW', show('Jeopardy!'))])).toEqual([]);
  });

  it('of engagements need what is engaged with', () => {
    const views = is('ENGAGEMENT_TYPE', 'VIDEO_VIEW');
    expect(told([views])).toEqual([['INVALID_PARAMETER targeting_type']]);
    for (const type of ['CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT'] as const)
      expect(refused([views, is(type, 'a')])).toEqual([]);
  });

  it('are not a platform and a device of it', () => {
    const [iOS, android] = [is('PLATFORM', '0'), is('PLATFORM', '1')];
    const device = is('DEVICE', ipad());
    expect(refused([device, iOS])).toEqual([1]);
    expect(refused([iOS, device])).toEqual([1]);
    expect(refused([android, device, is('PLATFORM_VERSION', 'h')])).toEqual([]);
    expect(refused([is('PLATFORM', '0', 'NE'), device])).toEqual([]);
  });

  it('of a line item with a curated category are no IAB categories, and keep fewer publishers away', () => {
    const around = { curatedIn: ['US'] };
    expect(refused([is('IAB_CATEGORY', 'IAB1')])).toEqual([]);
    expect(told([is('IAB_CATEGORY', 'IAB1')], around)).toEqual([['EXCLUSIVE_PARAMETERS targeting_type']]);
    expect(refused(many('CONTENT_PUBLISHER_USER', 6), around)).toEqual([5]);
    expect(refused([is('LOCATION', DE)], around)).toEqual([0]);
    expect(refused([is('LOCATION', DE), is('LOCATION', US)], around)).toEqual([]);
    expect(refused([is('LOCATION', DE, 'NE')], around)).toEqual([]);
  });

  it('of activations are one from and one to, with months between', () => {
    const [from, to] = [is('NETWORK_ACTIVATION_DURATION', '2', 'GTE'), is('NETWORK_ACTIVATION_DURATION', '3', 'LT')];
    expect(refused([from, to])).toEqual([]);
    expect(refused([from, to, is('NETWORK_ACTIVATION_DURATION', '1', 'GTE')])).toEqual([2]);
    expect(
      refused([is('NETWORK_ACTIVATION_DURATION', '3', 'LT'), is('NETWORK_ACTIVATION_DURATION', '4', 'GTE')]),
    ).toEqual([1]);
  });

  const criterion = fc.record({
    targeting_type: fc.constantFrom(...TARGETING_TYPES),
    targeting_value: fc.constantFrom('1', '2', '0', 'a', 'A', US, DE, LA, show('Tatort'), show('Jeopardy!'), ipad()),
    operator_type: fc.constantFrom(...OPERATOR_TYPES),
  });

  it('that are refused are those that do not fit: what is left of them is fine, with each that was kept', () => {
    fc.assert(
      fc.property(fc.array(criterion, { maxLength: 30 }), fc.constantFrom(null, ['US']), (criteria, curatedIn) => {
        let left = criteria;
        // what is taken away can be what another needs
        for (let round = 0; round <= criteria.length; round++) {
          const problems = problemsOfSet(left, { curatedIn });
          if (problems.every((each) => each.length === 0)) break;
          left = left.filter((_, i) => problems[i].length === 0);
        }
        expect(problemsOfSet(left, { curatedIn }).flat()).toEqual([]);
        expect(new Set(left.map(criterionKeyOf)).size).toBe(left.length);
        for (const { targeting_type: type, operator_type: operator } of left)
          expect(TARGETING[type].operators).toContain(operator);
        const keywords = left.filter(({ targeting_type: type }) => TARGETING[type].limit === 'keywords');
        expect(keywords.length).toBeLessThanOrEqual(LIMITS.keywords);
      }),
    );
  });

  it('that are stored and fine are not blamed for new ones, unless somebody needs what is not there', () => {
    fc.assert(
      fc.property(fc.array(criterion, { maxLength: 15 }), fc.array(criterion, { maxLength: 15 }), (before, more) => {
        const stored = before.reduce<SetCriterion[]>((kept, each) => {
          const together = [...kept, each];
          return problemsOfSet(together).flat().length === 0 ? together : kept;
        }, []);
        const problems = problemsOfSet([...stored, ...more]);
        expect(problems.slice(0, stored.length).flat()).toEqual([]);
      }),
    );
  });
});

function ipad(): string {
  return DEVICES.all().find(({ name }) => name === 'iPad')!.value;
}
