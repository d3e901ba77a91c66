import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { IdentifierKind } from '../../../src/audiences/entities/audience-identifier.entity.js';
import { readEntry } from '../../../src/audiences/directory/directory-entry.rules.js';
import {
  AGE_BUCKETS,
  DIRECTORY_PLATFORMS,
  ageBucketOf,
  ageBucketsWithin,
  platformBits,
  platformsOf,
} from '../../../src/audiences/directory/directory-traits.rules.js';
import { hashOf, normalisedIdentifier } from '../../../src/audiences/directory/identifier.rules.js';
import { isSetValue, SET_KINDS } from '../../../src/audiences/directory/user-sets.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('identifiers', () => {
  it.each<[IdentifierKind, string, string]>([
    ['email', ' Ann@Example.COM ', 'ann@example.com'],
    ['handle', '@Ann_B', 'ann_b'],
    ['platform_id', ' 1234567890 ', '1234567890'],
    ['device_id', 'AEBE52E7-03EE-455A-B3C4-E57283966239', 'aebe52e7-03ee-455a-b3c4-e57283966239'],
    ['device_id', '97 81-C3A5 0B1D 2E3F', '9781c3a50b1d2e3f'],
    ['phone_number', '+1 (415) 555-0123', '+14155550123'],
    ['phone_number', '0049 30.123456', '+4930123456'],
    ['partner_user_id', ' as It is ', ' as It is '],
  ])('%s %j is normalised to %j before it is hashed', (kind, given, value) => {
    expect(normalisedIdentifier(kind, given)).toEqual({ value });
    expect(hashOf(kind, given)).toEqual({ hash: sha256(value) });
  });

  it('have the hash of the published check vector', () => {
    expect(hashOf('handle', '@AdsAPI')).toEqual({
      hash: Buffer.from('49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d', 'hex'),
    });
  });

  it.each<[IdentifierKind, string]>([
    ['email', 'ann'],
    ['email', 'a b@example.com'],
    ['handle', 'ann!'],
    ['platform_id', '012'],
    ['platform_id', 'ann'],
    ['device_id', 'aebe52e703ee455ab3c4e57283966239'],
    ['phone_number', '030 123456'],
    ['partner_user_id', ''],
  ])('%s %j is refused', (kind, given) => {
    expect(hashOf(kind, given)).toEqual({ problem: expect.any(String) });
  });

  it('are taken as hashes where they are, in either case, but for the ids of partners', () => {
    const hex = sha256('x').toString('hex');
    expect(hashOf('email', hex.toUpperCase())).toEqual({ hash: sha256('x') });
    expect(hashOf('partner_user_id', hex)).toEqual({ hash: sha256(hex) });
  });
});

describe('ages', () => {
  const TARGETED = [
    '13_TO_24',
    '13_TO_34',
    '13_TO_49',
    '13_TO_54',
    'OVER_13',
    '18_TO_34',
    '18_TO_49',
    '18_TO_54',
  ].concat(
    ['OVER_18', '21_TO_34', '21_TO_49', '21_TO_54', 'OVER_21', '25_TO_49', '25_TO_54', 'OVER_25', '35_TO_49'],
    ['35_TO_54', 'OVER_35', 'OVER_50'],
  );

  it.each(TARGETED.map((each) => `AGE_${each}`))('%s takes in exactly the years that it names', (age) => {
    const [first, last = 130] = age.match(/\d+/g)!.map(Number);
    const buckets = ageBucketsWithin(age)!;
    for (let years = 13; years <= 130; years++)
      expect({ years, in: buckets.includes(ageBucketOf(years)!) }).toEqual({
        years,
        in: years >= first && years <= last,
      });
  });

  it.each(['AGE_14_TO_20', 'AGE_OVER_14', 'AGE_13_TO_16', 'AGE', 'OVER_18', ''])('%j cannot be targeted', (age) => {
    expect(ageBucketsWithin(age)).toBeUndefined();
  });

  it('are those that people who may use the platform have', () => {
    expect([12, 131, 20.5, NaN].map(ageBucketOf)).toEqual([undefined, undefined, undefined, undefined]);
    expect([13, 17, 18, 54, 55, 130].map(ageBucketOf)).toEqual([0, 0, 1, 5, 6, 6].map((place) => AGE_BUCKETS[place]));
  });
});

it('platforms are kept as bits', () => {
  fc.assert(
    fc.property(fc.subarray([...DIRECTORY_PLATFORMS]), (some) => expect(platformsOf(platformBits(some))).toEqual(some)),
  );
});

describe('a line of an import', () => {
  const problemsOf = (given: unknown) => {
    const result = readEntry(given);
    return 'problems' in result ? result.problems.map(({ field }) => field) : [];
  };

  it('is read in all its fields', () => {
    expect(
      readEntry({
        user_id: 17,
        username: 'ann',
        name: 'Ann',
        active_at: '2026-11-01T10:00:00+01:00',
        country: 'us',
        language: 'en-gb',
        gender: 2,
        age: 34,
        platforms: ['ios', 4],
        interests: ['11005', 11006, '11005'],
        keywords: 'Coffee',
        follows: ['@ben', '1000000000000001'],
        email: 'ann@example.com',
        partner_user_id: [],
      }),
    ).toEqual({
      entry: {
        userId: '17',
        username: 'ann',
        name: 'Ann',
        activeAt: '2026-11-01T09:00:00.000Z',
        country: 'US',
        language: 'en-GB',
        gender: 'FEMALE',
        ageBucket: 'AGE_25_TO_34',
        platforms: ['IOS', 'DESKTOP'],
        lists: { INTEREST: ['11005', '11006'], KEYWORD: ['Coffee'] },
        follows: ['ben', '1000000000000001'],
        identifiers: { email: [sha256('ann@example.com')], partner_user_id: [] },
      },
    });
  });

  it('takes away with null, and leaves what it does not name', () => {
    expect(readEntry({ username: 'ann', country: null, age_bucket: '', interests: null, email: null })).toEqual({
      entry: { username: 'ann', country: null, ageBucket: null, lists: { INTEREST: [] }, identifiers: { email: [] } },
    });
  });

  it.each<[string, unknown, string[]]>([
    ['no object', 'ann', ['line']],
    ['a list', [], ['line']],
    ['nobody', { country: 'US' }, ['username']],
    ['an unknown field', { username: 'ann', county: 'US' }, ['county']],
    ['a field of every object', { username: 'ann', constructor: 'US' }, ['constructor']],
    ['a number for a name', { username: 12345 }, ['username']],
    ['an id beyond all', { user_id: '9007199254740992' }, ['user_id']],
    ['a country that is none', { username: 'ann', country: 'XX' }, ['country']],
    ['a time without a zone', { username: 'ann', active_at: '2026-11-01T10:00:00' }, ['active_at']],
    ['a day that is none', { username: 'ann', active_at: '2026-13-01' }, ['active_at']],
    ['two ages', { username: 'ann', age: 20, age_bucket: 'AGE_OVER_55' }, ['age']],
    ['a child', { username: 'ann', age: 12 }, ['age']],
    ['no age', { username: 'ann', age: 'old' }, ['age']],
    ['a platform that is none', { username: 'ann', platforms: ['PHONE'] }, ['platforms']],
    [
      'a word among flags',
      { username: 'ann', gender: true, interests: [{}], follows: 'a b' },
      ['gender', 'interests', 'follows'],
    ],
    ['an empty value', { username: 'ann', keywords: [''] }, ['keywords']],
    ['a value of 256 characters', { username: 'ann', keywords: ['k'.repeat(256)] }, ['keywords']],
    ['values of 1 and 255 characters', { username: 'ann', keywords: ['k', 'k'.repeat(255)] }, []],
    ['zero bytes', { username: 'ann', name: 'a\0b', keywords: ['\ud800'] }, ['name', 'keywords']],
    ['too many', { username: 'ann', email: Array.from({ length: 101 }, () => 'a@b.c') }, ['email']],
    ['a wrong identifier', { username: 'ann', email: ['a@b.c', 'nobody'] }, ['email']],
  ])('with %s is refused by its field', (_, given, fields) => {
    expect(problemsOf(given)).toEqual(fields);
  });

  it('never makes the reader fail', () => {
    const fields = ['username', 'user_id', 'age', 'gender', 'active_at', 'language', 'platforms', 'interests', 'email'];
    const line = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue());
    fc.assert(fc.property(line, (given) => void readEntry(given)));
  });
});

it('values of sets are those that somebody can have', () => {
  const wrong: Record<string, string> = {
    COUNTRY: 'USA',
    LANGUAGE: '?',
    GENDER: '3',
    AGE: 'AGE_19_TO_20',
    PLATFORM: '5',
    USER: 'ann',
  };
  for (const kind of SET_KINDS) expect([kind, isSetValue(kind, wrong[kind] ?? '')]).toEqual([kind, false]);
  const right: Record<string, string> = {
    COUNTRY: 'US',
    LANGUAGE: 'en',
    GENDER: '1',
    AGE: 'AGE_OVER_18',
    PLATFORM: '0',
    USER: '12',
  };
  for (const kind of SET_KINDS) expect([kind, isSetValue(kind, right[kind] ?? '7')]).toEqual([kind, true]);
});
