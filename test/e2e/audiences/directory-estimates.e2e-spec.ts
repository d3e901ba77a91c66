import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { AudienceIdentifier } from '../../../src/audiences/entities/audience-identifier.entity.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { normalised, type GivenSegment, type Segment } from '../../../src/audiences/entities/segments.js';
import { DirectoryEstimatesService } from '../../../src/audiences/directory/directory-estimates.service.js';
import { sampleKey, SAMPLE_SIZE } from '../../../src/audiences/directory/directory-sample.rules.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import type { EstimatedUsers, UserSet } from '../../../src/audiences/directory/user-sets.js';
import { DoNotReachListsService } from '../../../src/audiences/do-not-reach-lists/do-not-reach-lists.service.js';
import { rows, type Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAY = 86_400_000;
const directory = () => world().get(DirectoryService);
const db = () => world().get(DataSource).manager;
const store = (...users: object[]) => directory().store(users.map((each) => directory().read(each)));
const estimate = (account: { id: string }, users: Partial<EstimatedUsers>) => {
  const asking = { primary: [], groups: [], without: [], ...users };
  return world()
    .get(DirectoryEstimatesService)
    .estimate(account, asking)
    .then(({ people }) => Math.round(people));
};
const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** An audience of the account, a flexible one where it has a tree. */
async function audience(account: Advertiser['account'], segments?: GivenSegment): Promise<string> {
  const { id } = await given.customAudience({ account });
  if (segments)
    await rows(db(), CustomAudience)
      .where('id', id)
      .update({ audienceType: 'FLEXIBLE', segments: normalised(segments) });
  return id;
}

interface Membership {
  identifiers: [kind: number, value: string][];
  updates?: number;
  until?: number;
}

/** Puts persons into an audience, or onto a list, as an upload would. */
async function fill(audienceId: string, persons: readonly Membership[]): Promise<void> {
  const now = world().clock.now().getTime();
  const made = persons.flatMap(({ identifiers, updates = 1, until = DAY }, person): Row<AudienceIdentifier>[] =>
    identifiers.map(([kind, value], i) => ({
      audienceId,
      kind,
      hash: sha256(value),
      person: `${person}`,
      first: i === 0,
      tied: identifiers.length > 1,
      effectiveAt: new Date(now - 2 * DAY).toISOString(),
      expiresAt: new Date(now + until).toISOString(),
      lastDay: Math.floor(now / DAY),
      updates,
      earlier: null,
      users: null,
    })),
  );
  await write(db(), [insert(AudienceIdentifier, made)]);
}

async function doNotReach({ account }: Advertiser, persons: readonly Membership[]): Promise<void> {
  const { id } = await world().get(DoNotReachListsService).create(account, {});
  await fill(id, persons);
}

describe('an estimate', () => {
  interface Person {
    i: number;
    daysAgo: number;
    suspended: boolean;
    country: string | null;
    gender: 'MALE' | 'FEMALE' | null;
    interests: string[];
    follows: string[];
    /** How often they are in each of three audiences, by how many identifiers. */
    in: { updates: number; by: number }[];
    left: boolean;
  }
  const STARS = ['201', '202'];
  const person = fc.record({
    daysAgo: fc.constantFrom(0, 0, 30, 91),
    suspended: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    country: fc.constantFrom('US', 'DE', null),
    gender: fc.constantFrom<'MALE' | 'FEMALE' | null>('MALE', 'FEMALE', null),
    interests: fc.subarray(['e1', 'e2']),
    follows: fc.subarray(STARS),
    in: fc.array(fc.record({ updates: fc.integer({ min: 0, max: 3 }), by: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 3,
      maxLength: 3,
    }),
    left: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });

  let people: Person[];
  let advertiser: Advertiser;
  let account: Advertiser['account'];
  let plain: string[];
  let trees: { id: string; segments: Segment }[];
  const identifiers = (i: number): [number, string][] => [
    [0, `${i}@estimate.example`],
    [0, `${i}@second.example`],
    [4, `+4930${1_000_000 + i}`],
  ];

  beforeAll(async () => {
    advertiser = await given.advertiser();
    ({ account } = advertiser);
    people = fc.sample(person, { numRuns: 70, seed: 7 }).map((each, i) => ({ ...each, i }));
    const now = world().clock.now().getTime();
    await store(
      ...people.map(({ i, daysAgo, country, gender, interests, follows }) => ({
        username: `estimated_${i}`,
        active_at: new Date(now - daysAgo * DAY).toISOString(),
        ...{ country, gender, interests, follows },
        email: [`${i}@estimate.example`, `${i}@second.example`],
        phone_number: `+4930${1_000_000 + i}`,
      })),
    );
    const suspended = people.filter((each) => each.suspended).map(({ i }) => `estimated_${i}`);
    await world().sql('UPDATE users SET "suspendedAt" = now() WHERE username = ANY($1)', suspended);
    plain = [await audience(account), await audience(account), await audience(account)];
    for (const [a, id] of plain.entries()) {
      const members = people.filter((each) => each.in[a].updates > 0);
      await fill(id, [
        ...members.map(({ i, in: inside }) => ({
          identifiers: identifiers(i).slice(0, inside[a].by),
          updates: inside[a].updates,
        })),
        { identifiers: [[0, 'nobody@estimate.example']] },
      ]);
    }
    const leaf = (a: number, more: GivenSegment = {}): GivenSegment => ({
      custom_audience_id: plain[a],
      lookback_window: 30,
      ...more,
    });
    trees = [];
    for (const given of [
      { boolean_operator: 'AND', child_segments: [leaf(0, { frequency: 2 }), leaf(1, { negate: true })] },
      {
        boolean_operator: 'OR',
        child_segments: [leaf(2, { frequency: 2, frequency_comparator: 'NUM_LT' }), leaf(0)],
        frequency: 2,
      },
      { boolean_operator: 'AND', child_segments: [leaf(1)], negate: true },
    ] as GivenSegment[])
      trees.push({ id: await audience(account, given), segments: normalised(given) });
    await doNotReach(advertiser, [
      ...people.filter(({ left }) => left).map(({ i }) => ({ identifiers: identifiers(i).slice(1, 2) })),
      { identifiers: [[0, '0@estimate.example']], until: -DAY },
    ]);
  });

  /** What a tree says of a person, gone through segment by segment. */
  const inTree = (segment: Segment, each: Person): boolean => {
    const compare: Record<string, (a: number, b: number) => boolean> = {
      NUM_GTE: (a, b) => a >= b,
      NUM_LT: (a, b) => a < b,
    };
    const by = compare[segment.frequency_comparator];
    if ('custom_audience_id' in segment) {
      const { updates } = each.in[plain.indexOf(segment.custom_audience_id)];
      return (updates > 0 && by(updates, segment.frequency)) !== segment.negate;
    }
    const held = segment.child_segments.filter((child) => inTree(child, each)).length;
    const enough = segment.boolean_operator === 'AND' ? held === segment.child_segments.length : held > 0;
    return (enough && by(held, segment.frequency)) !== segment.negate;
  };
  const namedIn = (segment: Segment): string[] =>
    'custom_audience_id' in segment ? [segment.custom_audience_id] : segment.child_segments.flatMap(namedIn);

  const isIn = (id: string, each: Person): boolean => {
    const tree = trees.find((one) => one.id === id);
    if (!tree) return each.in[plain.indexOf(id)].updates > 0;
    // whoever is in none of its audiences is not known to it
    return namedIn(tree.segments).some((leaf) => isIn(leaf, each)) && inTree(tree.segments, each);
  };

  const holds = ({ kind, values }: UserSet, each: Person): boolean => {
    switch (kind) {
      case 'COUNTRY':
        return each.country !== null && values.includes(each.country);
      case 'GENDER':
        return each.gender !== null && values.includes(each.gender);
      case 'INTEREST':
        return each.interests.some((interest) => values.includes(interest));
      case 'FOLLOWERS_OF_USER':
        return each.follows.some((star) => values.includes(star));
      case 'CUSTOM_AUDIENCE':
        return values.some((id) => isIn(id, each));
      default:
        throw new Error(kind);
    }
  };

  it('is what a model says: union of primary sets, intersection of groups, without the others and those to be left alone', async () => {
    const setOf = (kind: UserSet['kind'], of: string[]): fc.Arbitrary<UserSet> =>
      fc.subarray(of, { minLength: 1 }).map((values) => ({ kind, values }));
    const ofAudiences = () => setOf('CUSTOM_AUDIENCE', [...plain, ...trees.map(({ id }) => id)]);
    const primary = () => [setOf('INTEREST', ['e1', 'e2']), setOf('FOLLOWERS_OF_USER', STARS), ofAudiences()];
    const secondary = () => [setOf('COUNTRY', ['US', 'DE']), setOf('GENDER', ['MALE', 'FEMALE'])];
    const users = fc.record({
      primary: fc.uniqueArray(fc.oneof(...primary()), { selector: ({ kind }) => kind, maxLength: 3 }),
      groups: fc.array(
        fc.oneof(...secondary()).map((set) => [set]),
        { maxLength: 2 },
      ),
      without: fc.array(fc.oneof(...primary(), ...secondary()), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(users, async (asked) => {
        const expected = people.filter(
          (each) =>
            each.daysAgo <= 90 &&
            !each.suspended &&
            !each.left &&
            asked.primary.some((set) => holds(set, each)) &&
            asked.groups.every(([set]) => holds(set, each)) &&
            !asked.without.some((set) => holds(set, each)),
        ).length;
        expect(await estimate(account, asked)).toBe(expected);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('leaves out those to be left alone of the account that asks, and of no other', async () => {
    const other = await given.advertiser();
    const primary: UserSet[] = [{ kind: 'INTEREST', values: ['e1', 'e2'] }];
    const meant = people.filter(
      ({ daysAgo, suspended, interests }) => daysAgo <= 90 && !suspended && interests.length > 0,
    );
    expect(await estimate(other.account, { primary })).toBe(meant.length);
    expect(await estimate(account, { primary })).toBe(meant.filter(({ left }) => !left).length);
    expect(meant.some(({ left }) => left)).toBe(true);
  });

  it('counts nobody of an audience that is deleted, nor by one that is a leaf of another', async () => {
    const [first, second] = [await audience(account), await audience(account)];
    await fill(first, [{ identifiers: [[2, 'gone_1']] }]);
    await fill(second, [{ identifiers: [[2, 'gone_2']] }]);
    await store({ username: 'gone_1' }, { username: 'gone_2' });
    const leaf = (id: string) => ({ custom_audience_id: id, lookback_window: 30 }) as const;
    const tree = await audience(account, { boolean_operator: 'OR', child_segments: [leaf(first), leaf(second)] });
    const of = (...values: string[]) => estimate(account, { primary: [{ kind: 'CUSTOM_AUDIENCE', values }] });
    expect([await of(first), await of(tree), await of(first, tree)]).toEqual([1, 2, 2]);
    await advertiser.api.delete(`/12/accounts/${account.id}/custom_audiences/${first}`);
    expect([await of(first), await of(tree), await of(first, tree)]).toEqual([0, 1, 1]);
  });

  it('finds who wrote a keyword in the last days, beside those whom the directory says it of', async () => {
    const text = 'an altogether outlandish Zeppelinkeyword';
    await store(
      { username: 'writer_of_it', country: 'US' },
      { username: 'known_for_it', keywords: ['Zeppelinkeyword'] },
    );
    await store({ user_id: account.userId, country: 'DE' });
    await given.platformPost(account.userId, { text });
    const keyword = (values: string[], more: Partial<EstimatedUsers> = {}) =>
      estimate(account, { primary: [{ kind: 'KEYWORD', values }], ...more });
    expect(await keyword(['zeppelinkeyword'])).toBe(2);
    expect(await keyword(['outlandish zeppelinkeyword'])).toBe(1);
    expect(await keyword(['zeppelinkeyword outlandish'])).toBe(0);
    expect(await keyword(['zeppelinkeyword'], { groups: [[{ kind: 'COUNTRY', values: ['DE'] }]] })).toBe(1);
    expect(await keyword(['zeppelinkeyword'], { without: [{ kind: 'KEYWORD', values: ['outlandish'] }] })).toBe(1);
    world().clock.advance(8 * DAY);
    expect(await keyword(['zeppelinkeyword'])).toBe(1);
  });

  it('is bounded', () => {
    const values = Array.from({ length: 20_001 }, String);
    expect(() => estimate(account, { primary: [{ kind: 'INTEREST', values }] })).toThrow(RangeError);
  });
});

describe('the sample', () => {
  const stored = () =>
    world().sql<{ number: number; key: string }>(
      'SELECT number, key::text FROM directory_sample ORDER BY directory_sample.key',
    );

  it('has every user of a small directory, as they are', async () => {
    await store({ username: 'sampled', country: 'US', interests: ['s1'] });
    await store({ username: 'sampled', country: 'CA', follows: ['77'] }, { username: 'sampled_2' });
    const difference = await world().sql(
      `SELECT number FROM (SELECT number, "userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows FROM directory_users
        EXCEPT SELECT number, "userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows FROM directory_sample) d`,
    );
    expect(difference).toEqual([]);
    const sample = await stored();
    expect(sample.map(({ key }) => key)).toEqual(sample.map(({ number }) => `${sampleKey(number)}`));
    const [{ users }] = await world().sql<{ users: number }>('SELECT count(*)::int AS users FROM directory_users');
    const [{ value }] = await world().sql<{ value: number }>(
      `SELECT value FROM counters WHERE "ownerId" = 'directory'`,
    );
    expect([sample.length, value]).toEqual([users, users]);
  });

  /** The numbers with the least keys, the least first. */
  const leastKeys = (numbers: readonly number[]): number[] =>
    numbers
      .map((number) => ({ number, key: sampleKey(number) }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .slice(0, SAMPLE_SIZE)
      .map(({ number }) => number);
  const numbers = async () =>
    (await world().sql<{ number: number }>('SELECT number FROM directory_users')).map(({ number }) => number);

  it('stays at its size in a large directory, has those with the least keys, and stands for all', async () => {
    const { account } = await given.advertiser();
    const [many, step] = [SAMPLE_SIZE + 20_000, 10_000];
    await world().sql('DROP INDEX directory_users_traits, directory_sample_traits, directory_sample_follows');
    for (let from = 1; from <= many; from += step) {
      await world().sql(
        `INSERT INTO users (id, "createdAt", "updatedAt", username, name)
          SELECT (6e15::bigint + n)::text, now(), now(), 'crowd_' || n, 'Crowd' FROM generate_series($1::int, $2::int) n`,
        ...[from, from + step - 1],
      );
      await world().sql(
        `INSERT INTO directory_users (number, "userId", "activeAt", country, platforms, traits, follows) OVERRIDING SYSTEM VALUE
          SELECT 1000000 + n, (6e15::bigint + n)::text, now(), CASE n % 4 WHEN 0 THEN 'US' ELSE 'DE' END, 1,
            CASE WHEN n % 1000 = 1 THEN '{I:few}' WHEN n % 3 = 0 THEN '{I:crowd}' ELSE '{}' END::varchar[], '{}'
          FROM generate_series($1::int, $2::int) n`,
        ...[from, from + step - 1],
      );
    }
    // as imports would have left it
    const all = await numbers();
    await world().sql('DELETE FROM directory_sample');
    const expected = leastKeys(all);
    for (let from = 0; from < expected.length; from += step) {
      const part = expected.slice(from, from + step);
      await world().sql(
        `INSERT INTO directory_sample (number, key, "userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows)
          SELECT number, k.key, "userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows
          FROM unnest($1::int[], $2::bigint[]) k (number, key) JOIN directory_users USING (number)`,
        ...[part, part.map((number) => `${sampleKey(number)}`)],
      );
    }
    await world().sql(`UPDATE counters SET value = $1 WHERE "ownerId" = 'directory'`, all.length);
    for (const table of ['users', 'sample'])
      await world().sql(`CREATE INDEX directory_${table}_traits ON directory_${table} USING gin (traits)`);
    await world().sql(`CREATE INDEX directory_sample_follows ON directory_sample USING gin (follows)`);

    const of = (interest: string, country?: string) =>
      estimate(account, {
        primary: [{ kind: 'INTEREST', values: [interest] }],
        groups: country ? [[{ kind: 'COUNTRY', values: [country] }]] : [],
      });
    // the sample is the same in every run: five of six users, so that a hundredth is some ten times what it is off by
    for (const [found, meant] of [
      [await of('crowd'), many / 3],
      [await of('crowd', 'US'), many / 12],
    ])
      expect(Math.abs(found - meant)).toBeLessThan(meant / 100);
    // few are counted one by one
    expect(await of('few')).toBe(many / 1_000);
    const few = await world().sql(`SELECT FROM directory_sample WHERE traits @> '{I:few}'`);
    expect(few.length).toBeLessThan(many / 1_000);

    await store(...Array.from({ length: 50 }, (_, i) => ({ username: `late_${i}`, interests: ['late'] })));
    const after = (await stored()).map(({ number }) => number);
    expect(after).toEqual(leastKeys(await numbers()));
    expect(after).toHaveLength(SAMPLE_SIZE);
    const late = await world().sql(`SELECT FROM directory_sample WHERE traits @> '{I:late}'`);
    expect(late.length).toBeGreaterThan(30);
    expect(late.length).toBeLessThan(50);
    // what changes of a user is seen, in the sample and beside it
    await store(...Array.from({ length: 50 }, (_, i) => ({ username: `late_${i}`, interests: [] })));
    expect(await of('late')).toBe(0);
  }, 120_000);
});
