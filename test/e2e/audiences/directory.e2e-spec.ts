import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DataSource, type EntityManager } from 'typeorm';
import { ageBucketsWithin } from '../../../src/audiences/directory/directory-traits.rules.js';
import { DirectoryService, EntriesRefused, MAX_ENTRIES } from '../../../src/audiences/directory/directory.service.js';
import { MAX_SET_VALUES, type UserSet } from '../../../src/audiences/directory/user-sets.js';
import { demoPeople, makeDirectory, newsletterAddresses } from '../../../src/demo/demo-directory.js';
import { world, useApp } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAY = 86_400_000;
const directory = () => world().get(DirectoryService);
const store = (...users: object[]) => directory().store(users.map((each) => directory().read(each)));
const count = (...groups: UserSet[][]) => directory().count({ groups });
const refused = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EntriesRefused);
  return (error as EntriesRefused).problems.map(({ place, field, allowed }) => [place, field, allowed]);
};
const idOf = async (username: string) => {
  const [{ id }] = await world().sql<{ id: string }>('SELECT id FROM users WHERE username = $1', username);
  return id;
};
const known = async (username: string) => (await directory().of(await idOf(username)))!;
const sha256 = (text: string) => createHash('sha256').update(text).digest();

let tag = 0;
const freshTag = () => `tag${++tag}`;

describe('storing', () => {
  it('makes users that there are none of, and adds what is known of them', async () => {
    const interests = [freshTag()];
    expect(await store({ username: 'ann', name: 'Ann A', country: 'US', interests, email: 'ann@example.com' })).toEqual(
      {
        made: 1,
        known: 0,
      },
    );
    const { known: row, identifiers } = await known('ann');
    expect(row).toMatchObject({
      country: 'US',
      language: null,
      platforms: 0,
      follows: [],
      traits: [`I:${interests[0]}`],
    });
    expect(identifiers).toEqual([
      { kind: 0, count: 1 },
      { kind: 2, count: 1 },
      { kind: 3, count: 1 },
    ]);
    expect(await count([{ kind: 'INTEREST', values: interests }])).toBe(1);
    expect(await store({ username: 'ANN', language: 'en' })).toEqual({ made: 0, known: 1 });
    expect((await known('ann')).known).toMatchObject({ country: 'US', language: 'en' });
  });

  it('changes nothing the second time, not a row', async () => {
    const line = {
      username: 'twice',
      active_at: '2026-11-01T00:00:00Z',
      country: 'DE',
      age: 30,
      platforms: ['IOS', 'DESKTOP'],
      interests: ['b', 'a'],
      keywords: ['Z'],
      follows: ['twice_friend', '1000000000000001'],
      email: ['b@twice.example', 'a@twice.example'],
    };
    const version = async () => {
      const id = await idOf('twice');
      const users = await world().sql('SELECT xmin::text, * FROM directory_users WHERE "userId" = $1', id);
      const identifiers = await world().sql(
        'SELECT i.xmin::text, i.* FROM directory_identifiers i JOIN directory_users d USING (number) WHERE "userId" = $1 ORDER BY kind, hash',
        id,
      );
      return { users, identifiers };
    };
    await store(line);
    const before = await version();
    expect(before.identifiers).toHaveLength(4);
    await store(line);
    await store({ username: 'twice', interests: ['a', 'b'] });
    expect(await version()).toEqual(before);
  });

  it('replaces a list or a kind of identifier that is named, and no other', async () => {
    await store({
      username: 'replaced',
      interests: ['a'],
      keywords: ['k'],
      email: ['1@r.example', '2@r.example'],
      phone_number: '+4930123456',
    });
    await store({ username: 'replaced', interests: ['b'], email: '3@r.example' });
    const { known: row, identifiers } = await known('replaced');
    expect(row.traits).toEqual(['I:b', 'K:k']);
    expect(identifiers).toEqual([0, 2, 3, 4].map((kind) => ({ kind, count: 1 })));
    await store({ username: 'replaced', interests: [], keywords: null, email: null, handle: null });
    const none = await known('replaced');
    expect(none.known.traits).toEqual([]);
    // the handle that the platform gave stays
    expect(none.identifiers.map(({ kind }) => kind)).toEqual([2, 3, 4]);
  });

  it('lets an identifier go from one user to another in one batch', async () => {
    await store({ username: 'giver', email: 'passed@on.example' });
    await store({ username: 'taker', email: 'passed@on.example' }, { username: 'giver', email: [] }).catch(
      () => undefined,
    );
    await store({ username: 'giver', email: [] }, { username: 'taker', email: 'passed@on.example' });
    expect((await known('taker')).identifiers).toContainEqual({ kind: 0, count: 1 });
    expect((await known('giver')).identifiers.map(({ kind }) => kind)).toEqual([2, 3]);
  });

  it('refuses an identifier of somebody else, by place and field, and stores nothing of the batch', async () => {
    await store({ username: 'owner', email: 'owned@x.example' });
    const tag = freshTag();
    const batch = store(
      { username: 'honest', interests: [tag] },
      {
        username: 'thief',
        interests: [tag],
        phone_number: '+14155550100',
        email: ['own@x.example', 'OWNED@x.example'],
      },
    );
    expect(await refused(batch)).toEqual([[1, 'email', 'one of its values is that of @owner already']]);
    expect(await count([{ kind: 'INTEREST', values: [tag] }])).toBe(0);
    const twice = store(
      { username: 'one', device_id: '0123456789abcdef' },
      { username: 'two', device_id: '0123456789ABCDEF' },
    );
    expect(await refused(twice)).toEqual([[1, 'device_id', 'one of its values is that of @one already']]);
  });

  it('takes the later of two lines about a user', async () => {
    await store({ username: 'changing', country: 'US', age: 20 }, { username: 'Changing', country: 'CA' });
    expect((await known('changing')).known).toMatchObject({ country: 'CA', ageBucket: 1 });
  });

  it('takes the ids of the platform itself', async () => {
    await store({ user_id: '4711', username: 'numbered', country: 'US' });
    expect(await idOf('numbered')).toBe('4711');
    await store({ user_id: 4711, country: 'CA' });
    expect((await known('numbered')).known.country).toBe('CA');
    await store({ username: 'unnumbered' });
    expect(await refused(store({ user_id: '4712' }))).toEqual([
      [0, 'user_id', 'the id of a user there is, or one with a username'],
    ]);
    expect(await refused(store({ user_id: '4711', username: 'renamed' }))).toEqual([
      [0, 'user_id', 'the user 4711 is @numbered'],
    ]);
    expect(await refused(store({ user_id: '4713', username: 'Unnumbered' }))).toEqual([
      [0, 'user_id', expect.stringMatching(/^@unnumbered is the user \d{16}$/)],
    ]);
  });

  it('refuses users who are deleted', async () => {
    await store({ username: 'leaving' });
    await world().sql(`UPDATE users SET "deletedAt" = now() WHERE username = 'leaving'`);
    expect(await refused(store({ username: 'leaving', country: 'US' }))).toEqual([
      [0, 'username', '@leaving is deleted'],
    ]);
  });

  it('may be done by several at once', async () => {
    const tag = freshTag();
    const lines = Array.from({ length: 40 }, (_, i) => ({
      username: `at_once_${i}`,
      interests: [tag],
      follows: [`at_once_${(i + 7) % 40}`],
      email: `${i}@once.example`,
    }));
    const shifted = (by: number) => [...lines.slice(by), ...lines.slice(0, by)];
    await Promise.all([0, 13, 26].map((by) => store(...shifted(by))));
    expect(await count([{ kind: 'INTEREST', values: [tag] }])).toBe(40);
  });

  it('is bounded', async () => {
    const entry = directory().read({ username: 'many' });
    await expect(directory().store(Array.from({ length: MAX_ENTRIES + 1 }, () => entry))).rejects.toThrow(RangeError);
    const values = Array.from({ length: MAX_SET_VALUES + 1 }, String);
    await expect(count([{ kind: 'INTEREST', values }])).rejects.toThrow(RangeError);
    await expect(count([{ kind: 'AGE', values: ['AGE_19_TO_20'] }])).rejects.toThrow(RangeError);
  });
});

it('leaves the users who can sign in to be listed by an index of their own', async () => {
  const undone = new Error('only for the plan');
  let plan = '';
  const explain = async (tx: EntityManager) => {
    await tx.query(
      `INSERT INTO users (id, "createdAt", "updatedAt", username, name)
       SELECT 'plan' || i, now(), now(), 'plan_' || i, 'Plan' FROM generate_series(1, 5000) i`,
    );
    await tx.query('ANALYZE users');
    const lines: object[] = await tx.query(
      `EXPLAIN SELECT r.* FROM users r WHERE r."passwordHash" IS NOT NULL AND r."suspendedAt" IS NULL
       AND r."deletedAt" IS NULL ORDER BY r.id DESC LIMIT 50`,
    );
    plan = JSON.stringify(lines);
    throw undone;
  };
  await expect(world().get(DataSource).transaction(explain)).rejects.toBe(undone);
  expect(plan).toContain('users_sign_in');
});

describe('counting', () => {
  interface Person {
    i: number;
    daysAgo: number;
    country: string | null;
    language: string | null;
    gender: 'MALE' | 'FEMALE' | null;
    age_bucket: string | null;
    platforms: string[];
    interests: string[];
    keywords: string[];
    follows: string[];
    suspended: boolean;
  }
  const STARS = ['101', '102', '103'];
  const orNull = <V>(value: fc.Arbitrary<V>) => fc.option(value, { nil: null, freq: 6 });
  const person = fc.record({
    daysAgo: fc.constantFrom(0, 30, 89, 91, 400),
    country: orNull(fc.constantFrom('US', 'DE', 'JP')),
    language: orNull(fc.constantFrom('en', 'en-GB', 'de')),
    gender: orNull(fc.constantFrom<'MALE' | 'FEMALE'>('MALE', 'FEMALE')),
    age_bucket: orNull(fc.constantFrom('AGE_13_TO_17', 'AGE_18_TO_20', 'AGE_25_TO_34', 'AGE_OVER_55')),
    platforms: fc.subarray(['IOS', 'ANDROID', 'DESKTOP']),
    interests: fc.subarray(['i1', 'i2', 'i3']),
    keywords: fc.subarray(['Tea', 'coffee']),
    follows: fc.subarray(STARS),
    suspended: fc.boolean().map((each) => each && Math.random() < 0.2),
  });

  let people: Person[];
  let audience: string;
  let ids: string[];
  const mine: UserSet = { kind: 'EVENT', values: ['of-this-model'] };

  beforeAll(async () => {
    people = fc.sample(person, 80).map((each, i) => ({ ...each, i }));
    const now = world().clock.now().getTime();
    await store(
      ...people.map(({ i, daysAgo, suspended: _, ...traits }) => ({
        ...traits,
        username: `model_${i}`,
        active_at: new Date(now - daysAgo * DAY).toISOString(),
        events: mine.values,
        email: `${i}@model.example`,
      })),
    );
    const suspended = people.filter((each) => each.suspended).map(({ i }) => `model_${i}`);
    await world().sql('UPDATE users SET "suspendedAt" = now() WHERE username = ANY($1)', suspended);
    ids = await Promise.all(people.map(({ i }) => idOf(`model_${i}`)));
    audience = 'audienceofmod';
    await upload(
      audience,
      people.filter(({ i }) => i % 3 === 0).map(({ i }) => [[0, `${i}@model.example`]]),
    );
  });

  /** What a set says of a person, as plainly as possible. */
  const holds = ({ kind, values }: UserSet, each: Person): boolean => {
    const { country, language, gender, age_bucket, platforms, interests, keywords, follows, i } = each;
    switch (kind) {
      case 'COUNTRY':
        return country !== null && values.includes(country);
      case 'LANGUAGE':
        return language !== null && values.some((value) => language === value || language.startsWith(`${value}-`));
      case 'GENDER':
        return gender !== null && values.includes(gender);
      case 'AGE':
        return values.some((value) => (ageBucketsWithin(value) as string[]).includes(age_bucket ?? ''));
      case 'PLATFORM':
        return platforms.some((platform) => values.includes(platform));
      case 'INTEREST':
        return interests.some((interest) => values.includes(interest));
      case 'KEYWORD':
        return keywords.some((word) => values.some((value) => value.toLowerCase() === word.toLowerCase()));
      case 'FOLLOWERS_OF_USER':
        return follows.some((star) => values.includes(star));
      case 'CUSTOM_AUDIENCE':
        return i % 3 === 0;
      case 'USER':
        return values.includes(ids[i]);
      default:
        throw new Error(kind);
    }
  };

  const setOf = (kind: UserSet['kind'], of: string[]): fc.Arbitrary<UserSet> =>
    fc.subarray(of).map((values) => ({ kind, values }));
  const set = () =>
    fc.oneof(
      setOf('COUNTRY', ['US', 'DE', 'FR']),
      setOf('LANGUAGE', ['en', 'de', 'ja']),
      setOf('GENDER', ['MALE', 'FEMALE']),
      setOf('AGE', ['AGE_13_TO_24', 'AGE_OVER_35', 'AGE_25_TO_34']),
      setOf('PLATFORM', ['IOS', 'DESKTOP', 'BLACKBERRY']),
      setOf('INTEREST', ['i1', 'i2', 'none']),
      setOf('KEYWORD', ['TEA', 'Coffee']),
      setOf('FOLLOWERS_OF_USER', STARS),
      fc.constant<UserSet>({ kind: 'CUSTOM_AUDIENCE', values: [audience] }),
      setOf('USER', ids.slice(0, 40)),
    );

  it('gives what a model gives: union within groups, intersection across them, and those without', async () => {
    const group = fc.array(set(), { minLength: 1, maxLength: 3 });
    const sets = fc.record({ groups: fc.array(group, { maxLength: 3 }), without: fc.array(set(), { maxLength: 2 }) });
    await fc.assert(
      fc.asyncProperty(sets, async ({ groups, without }) => {
        const expected = people.filter(
          (each) =>
            each.daysAgo <= 90 &&
            !each.suspended &&
            groups.every((any) => any.some((one) => holds(one, each))) &&
            !without.some((one) => holds(one, each)),
        ).length;
        expect(await directory().count({ groups: [[mine], ...groups], without })).toBe(expected);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('follows the clock: who is not seen for 90 days belongs to nothing', async () => {
    const left = people.filter(({ daysAgo, suspended }) => daysAgo === 0 && !suspended).length;
    world().clock.advance(80 * DAY);
    expect(await count([mine])).toBe(left);
    world().clock.advance(11 * DAY);
    expect(await count([mine])).toBe(0);
  });

  it('takes similar followers from what followers follow besides, and others do not', async () => {
    const tag = freshTag();
    const fan = (i: number, follows: string[]) => ({ username: `fan_${tag}_${i}`, interests: [tag], follows });
    await store(
      ...[0, 1, 2, 3].map((i) => fan(i, ['5001', '5002', '5009'])),
      ...[4, 5].map((i) => fan(i, ['5002'])),
      ...Array.from({ length: 20 }, (_, i) => fan(6 + i, ['5009'])),
      ...Array.from({ length: 400 }, (_, i) => ({ username: `any_${tag}_${i}`, follows: ['5009'] })),
    );
    const among: UserSet = { kind: 'INTEREST', values: [tag] };
    expect(await count([among], [{ kind: 'FOLLOWERS_OF_USER', values: ['5001'] }])).toBe(4);
    // 5002 is what they have in common; everybody follows 5009
    expect(await count([among], [{ kind: 'SIMILAR_TO_FOLLOWERS_OF_USER', values: ['5001'] }])).toBe(6);
  });
});

const matched = async (audienceId: string, at?: Date) => (await directory().matchedPeople(audienceId, at)).valid;

let persona = 0;

/** Puts persons into an audience as an upload would: each a list of identifiers, by kind. */
async function upload(
  audienceId: string,
  persons: [kind: number, value: string][][],
  { from = -DAY, to = DAY }: { from?: number; to?: number } = {},
): Promise<void> {
  const now = world().clock.now().getTime();
  const at = (ms: number) => new Date(now + ms).toISOString();
  for (const identifiers of persons) {
    persona++;
    for (const [i, [kind, value]] of identifiers.entries())
      await world().sql(
        `INSERT INTO audience_identifiers ("audienceId", kind, hash, person, first, tied, "effectiveAt", "expiresAt", "lastDay", updates)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 20000, 1)`,
        ...[audienceId, kind, sha256(value), persona, i === 0, identifiers.length > 1, at(from), at(to)],
      );
  }
  // as those that were there before people were matched when they were uploaded
  await world().sql(
    `INSERT INTO audience_sizings ("audienceId", kind, "accountId", "userId", generation) VALUES ($1, 'CUSTOM_AUDIENCE', 'a', 'u', 1)
      ON CONFLICT ("audienceId") DO UPDATE SET "matchedTo" = NULL`,
    audienceId,
  );
  await directory().match(audienceId);
}

describe('matching', () => {
  let advertiser: Advertiser;
  let audience: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    audience = (await given.customAudience({ account: advertiser.account })).id;
  });

  it('counts persons of whom any identifier is that of an active user, each once', async () => {
    const old = new Date(world().clock.now().getTime() - 91 * DAY).toISOString();
    await store(
      { username: 'm_ann', email: ['ann@m.example', 'ann2@m.example'], phone_number: '+14155550001' },
      { username: 'm_ben', email: 'ben@m.example' },
      { username: 'm_old', email: 'old@m.example', active_at: old },
      { username: 'm_suspended', email: 'suspended@m.example' },
      { username: 'm_deleted', email: 'deleted@m.example' },
    );
    await world().sql(`UPDATE users SET "suspendedAt" = now() WHERE username = 'm_suspended'`);
    await world().sql(`UPDATE users SET "deletedAt" = now() WHERE username = 'm_deleted'`);
    await upload(audience, [
      // one person, matched three times
      [
        [0, 'ann@m.example'],
        [0, 'ann2@m.example'],
        [4, '+14155550001'],
      ],
      // by the second of its identifiers
      [
        [0, 'nobody@m.example'],
        [2, 'm_ben'],
      ],
      [[0, 'old@m.example']],
      [[0, 'suspended@m.example']],
      [[0, 'deleted@m.example']],
      // the same value of another kind is somebody else
      [[5, 'ben@m.example']],
      [[0, 'stranger@m.example']],
    ]);
    expect(await matched(audience)).toBe(2);
    expect(await matched('0zzzzzzzzzzzz')).toBe(0);
  });

  it('counts whom the audience has at the time that is asked for', async () => {
    await store(...['now', 'then', 'later'].map((name) => ({ username: `v_${name}` })));
    await upload(audience, [[[2, 'v_now']]]);
    await upload(audience, [[[2, 'v_then']]], { from: -3 * DAY, to: 0 });
    await upload(audience, [[[2, 'v_later']]], { from: 2 * DAY, to: 9 * DAY });
    const at = (days: number) => new Date(world().clock.now().getTime() + days * DAY);
    expect(await matched(audience)).toBe(1);
    expect(await matched(audience, at(-0.5))).toBe(2);
    expect(await matched(audience, at(3))).toBe(1);
    expect(await matched(audience, at(10))).toBe(0);
  });

  it('knows users by what the platform calls them', async () => {
    await store({ user_id: '99871', username: 'By_Handle' }, { username: 'by_id' });
    await upload(
      audience,
      [[[2, 'by_handle']], [[3, '99871']], [[3, await idOf('by_id')]]].map((each) => each as [number, string][]),
    );
    expect(await matched(audience)).toBe(3);
  });

  it('finds most of the newsletter of the demo, which is the same every time', async () => {
    const now = world().clock.now();
    await makeDirectory(world().app, now);
    const people = demoPeople(now) as { username: string }[];
    expect(new Set(people.map(({ username }) => username)).size).toBe(300);
    const addresses = newsletterAddresses();
    // three of four are known, and one of twenty was not seen for months
    const expected = people.filter((_, i) => addresses[i].endsWith('@mail.example') && i % 20 !== 19).length;
    expect(expected).toBeGreaterThan(150);
    await upload(
      audience,
      addresses.map((address) => [[0, address]]),
    );
    expect(await matched(audience)).toBe(expected);
    const coffee: UserSet = { kind: 'KEYWORD', values: ['coffee'] };
    const friends: UserSet = { kind: 'FOLLOWERS_OF_USER', values: [await idOf('marquee_friend')] };
    expect(await count([coffee], [friends])).toBe(120);
  });
});

describe('matching as the directory changes', () => {
  let advertiser: Advertiser;
  let audience: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    audience = (await given.customAudience({ account: advertiser.account })).id;
  });

  const hex = (value: string) => sha256(value).toString('hex');
  const send = async (type: 'Update' | 'Delete', ...users: Record<string, string[]>[]) => {
    const hashed = users.map((user) =>
      Object.fromEntries(Object.entries(user).map(([kind, values]) => [kind, values.map(hex)])),
    );
    const { status } = await advertiser.api.post(
      `/12/accounts/${advertiser.account.id}/custom_audiences/${audience}/users`,
      { json: [{ operation_type: type, params: { users: hashed } }] },
    );
    expect(status).toBe(200);
  };
  /** What is stored with the people, and what a join of all identifiers finds. */
  const stored = () =>
    world().sql(
      `SELECT users FROM audience_identifiers WHERE "audienceId" = $1 AND users IS NOT NULL ORDER BY users`,
      audience,
    );
  const joined = () =>
    world().sql(
      `SELECT array_agg(DISTINCT i.number ORDER BY i.number) AS users FROM audience_identifiers a
        JOIN directory_identifiers i ON i.kind = a.kind AND i.hash = a.hash WHERE a."audienceId" = $1 GROUP BY a.person ORDER BY 1`,
      audience,
    );
  const agrees = async (people: number) => {
    const users = await stored();
    expect(users).toEqual(await joined());
    expect(users).toHaveLength(people);
  };

  it('matches people when they are uploaded, by any of their identifiers', async () => {
    await store({ username: 'c_one', email: 'one@c.example' }, { username: 'c_two', email: 'two@c.example' });
    await send('Update', { email: ['one@c.example'] }, { email: ['nobody@c.example'] });
    await agrees(1);
    await send('Update', { email: ['nobody@c.example'], handle: ['c_two'] });
    await agrees(2);
    // they turn out to be one person, who is two users
    await send('Update', { email: ['nobody@c.example', 'one@c.example'] });
    await agrees(1);
    expect(await matched(audience)).toBe(1);
    await world().sql(`UPDATE users SET "suspendedAt" = now() WHERE username = 'c_one'`);
    expect(await matched(audience)).toBe(1);
    await world().sql(`UPDATE users SET "deletedAt" = now() WHERE username = 'c_two'`);
    expect(await matched(audience)).toBe(0);
    await send('Delete', { handle: ['c_two'] });
    await agrees(0);
  });

  it('matches them again where identifiers came, went or moved since', async () => {
    await send(
      'Update',
      { email: ['late@c.example'] },
      { email: ['x@c.example', 'y@c.example'], handle: ['z_handle'] },
    );
    await agrees(0);
    await store({ username: 'c_late', email: 'late@c.example' }, { username: 'c_many', email: 'y@c.example' });
    expect(await matched(audience)).toBe(0);
    await directory().match(audience);
    await agrees(2);
    await store({ username: 'z_handle' });
    await directory().match(audience);
    await agrees(2);
    await store({ username: 'c_late', email: 'other@c.example' });
    await store({ username: 'c_heir', email: 'late@c.example' });
    await store({ username: 'c_many', email: [] });
    await directory().match(audience);
    await agrees(2);
    expect(await matched(audience)).toBe(2);
  });

  it('looks at everybody where changes are forgotten by then', async () => {
    await send('Update', { email: ['missed@c.example'] }, { email: ['missed2@c.example'], handle: ['c_missed'] });
    await store({ username: 'c_missed', email: 'missed@c.example' });
    await store({ username: 'c_last', email: 'last@c.example' });
    await world().sql(`DELETE FROM directory_changes WHERE revision < (SELECT max(revision) FROM directory_changes)`);
    await directory().match(audience);
    await agrees(2);
  });
});
