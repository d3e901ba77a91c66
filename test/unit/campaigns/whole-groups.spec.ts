import fc from 'fast-check';
import { identifierProblem } from '../../../src/accounts/account-apps/app-identifiers.js';
import { wholeGroups } from '../../../src/campaigns/reference/advertiser-business-categories/advertiser-business-categories.rules.js';

const GROUPS = [
  { id: 'alcohol', iabCategories: ['IAB8-5', 'IAB8-18'] },
  { id: 'travel', iabCategories: ['IAB20'] },
  { id: 'cards', iabCategories: ['IAB9-7'] },
];

it.each<[string[], string[], string[]]>([
  [[], [], []],
  [['IAB8-5'], ['alcohol'], ['IAB8-5', 'IAB8-18']],
  [['IAB8-18', 'IAB8-5', 'IAB8-5'], ['alcohol'], ['IAB8-5', 'IAB8-18']],
  // a part of a part
  [['IAB20-3'], ['travel'], ['IAB20']],
  [
    ['IAB20', 'IAB9-7'],
    ['travel', 'cards'],
    ['IAB20', 'IAB9-7'],
  ],
  // what a group has parts of is no part of the group
  [['IAB8'], [], ['IAB8']],
  [['IAB24', 'IAB9-7'], ['cards'], ['IAB9-7', 'IAB24']],
])('%j are parts of %j: %j', (given, groups, categories) => {
  expect(wholeGroups(given, GROUPS)).toMatchObject({ groups, categories });
});

it('is the same when it is asked again with its answer, whatever the order', () => {
  const category = fc.constantFrom('IAB8-5', 'IAB8-18', 'IAB20', 'IAB20-1', 'IAB9-7', 'IAB24', 'IAB8');
  fc.assert(
    fc.property(fc.array(category, { maxLength: 8 }), (given) => {
      const once = wholeGroups(given, GROUPS);
      expect(wholeGroups(once.categories, GROUPS)).toEqual(once);
      expect(new Set(wholeGroups([...given].reverse(), GROUPS).categories)).toEqual(new Set(once.categories));
      for (const { id, iabCategories } of GROUPS)
        expect(iabCategories.every((each) => once.categories.includes(each))).toBe(once.groups.includes(id));
    }),
  );
});

it.each([
  ['Android', 'com.example.app', true],
  ['Android', 'com.example', true],
  ['Android', '333903271', false],
  ['Android', 'app', false],
  ['Android', 'com..app', false],
  ['iOS', '333903271', true],
  ['iOS', '0333903271', false],
  ['iOS', 'id333903271', false],
  ['iOS', 'com.example.app', false],
] as const)('an app on %s may be %s: %s', (os_type, app_store_identifier, may) => {
  expect(identifierProblem({ os_type, app_store_identifier }) === undefined).toBe(may);
});
