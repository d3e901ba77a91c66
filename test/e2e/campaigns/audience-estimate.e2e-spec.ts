import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { AudienceIdentifier } from '../../../src/audiences/entities/audience-identifier.entity.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { DoNotReachListsService } from '../../../src/audiences/do-not-reach-lists/do-not-reach-lists.service.js';
import { locationAt, LOCATIONS } from '../../../src/audiences/locations/locations.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import {
  DEVICES,
  INTERESTS,
  TV_SHOWS,
  interestPartsOf,
} from '../../../src/campaigns/targeting-values/targeting-lists.js';
import { useApp, world } from '../../support/app.js';
import type { Api } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

const SCALE = 100;
useApp({ AUDIENCE_POPULATION_SCALE: `${SCALE}` });

const US = '96683cc9126741d1';
const DAY = 86_400_000;
const directory = () => world().get(DirectoryImportService);
const store = (...users: object[]) => directory().store(users.map((each) => directory().read(each)));
const db = () => world().get(DataSource).manager;

type Criterion = [type: string, value: string, operator?: string];
const criteria = (...all: Criterion[]) =>
  all.map(([targeting_type, targeting_value, operator_type]) => ({
    targeting_type,
    targeting_value,
    ...(operator_type && { operator_type }),
  }));
const path = ({ id }: { id: string }) => `/12/accounts/${id}/audience_estimate`;
const ask = (api: Api, account: { id: string }, ...all: Criterion[]) =>
  api.post(path(account), { json: { targeting_criteria: criteria(...all) } });
const errorsOf = ({ body }: { body: unknown }) =>
  (body as { errors: { code: string; parameter?: string; message: string }[] }).errors;

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

/** How many users the answer is about, told by the middle of what it says. */
async function count(...all: Criterion[]): Promise<number> {
  const answer = await ask(advertiser.api, advertiser.account, ...all);
  expect(answer.status).toBe(200);
  const { min, max } = (answer.body as { data: { audience_size: { min: number; max: number } } }).data.audience_size;
  return (min + max) / 2 / SCALE;
}

let tag = 0;
/** A keyword that nobody has been given yet. */
const freshWord = () => `estimated${++tag}`;

/** An audience that can be targeted, with the users of these names in it. */
async function audience(owner: Advertiser, usernames: string[]): Promise<string> {
  const { id } = await given.customAudience({ account: owner.account });
  await rows(db(), CustomAudience)
    .ofAllAccounts()
    .where('id', id)
    .update({ reasonsNotTargetable: [], audienceSize: usernames.length });
  await fill(id, usernames);
  return id;
}

async function fill(audienceId: string, usernames: string[]): Promise<void> {
  const now = world().clock.now().getTime();
  const made = usernames.map((username, i) => ({
    audienceId,
    kind: 2,
    hash: createHash('sha256').update(username).digest(),
    person: `${i}`,
    first: true,
    tied: false,
    effectiveAt: new Date(now - DAY).toISOString(),
    expiresAt: new Date(now + DAY).toISOString(),
    lastDay: Math.floor(now / DAY),
    updates: 1,
    earlier: null,
    users: null,
  }));
  await write(db(), [insert(AudienceIdentifier, made)]);
}

describe('POST audience_estimate', () => {
  it('says in a hint where it is 0 because the directory has nobody', async () => {
    const nobody = freshWord();
    const emptied = await ask(advertiser.api, advertiser.account, ['BROAD_KEYWORD', nobody]);
    expect([emptied.status, emptied.headers['x-marquee-hint']]).toEqual([
      200,
      expect.stringContaining('marquee directory import'),
    ]);
    await store({ username: `${nobody}_someone` });
    const filled = await ask(advertiser.api, advertiser.account, ['BROAD_KEYWORD', nobody]);
    expect([filled.status, filled.headers['x-marquee-hint']]).toEqual([200, undefined]);
  });

  it('answers 5 percent around the number of users, times the scale, and repeats no criteria', async () => {
    const word = freshWord();
    await store(...Array.from({ length: 20 }, (_, i) => ({ username: `${word}_${i}`, keywords: [word] })));
    const { api, account } = advertiser;
    const answer = await ask(api, account, ['BROAD_KEYWORD', word]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      request: { params: { account_id: account.id, targeting_criteria: null } },
      data: { audience_size: { min: 1_900, max: 2_100 } },
    });
    expect((await ask(api, account, ['BROAD_KEYWORD', freshWord()])).body).toMatchObject({
      data: { audience_size: { min: 0, max: 0 } },
    });
  });

  it('joins primary types, intersects secondary ones, and takes away what is negated', async () => {
    const [word, other] = [freshWord(), freshWord()];
    const [interest] = INTERESTS.all();
    await store(
      { username: `${word}_1`, keywords: [word], country: 'US', language: 'en-GB', gender: 'MALE', age: 30 },
      { username: `${word}_2`, keywords: [other], country: 'US', language: 'de', gender: 'FEMALE', age: 40 },
      { username: `${word}_3`, keywords: [word, other], country: 'CA', language: 'en', interests: [interest.value] },
      { username: `${word}_4`, keywords: [word.toUpperCase()], platforms: ['IOS'] },
    );
    const both: Criterion[] = [
      ['BROAD_KEYWORD', `+${word}`],
      ['EXACT_KEYWORD', other],
    ];
    expect(await count(both[0])).toBe(3);
    expect(await count(...both)).toBe(4);
    expect(await count(...both, ['LOCATION', US])).toBe(2);
    expect(await count(...both, ['LOCATION', US], ['LANGUAGE', 'en'])).toBe(1);
    const canada = LOCATIONS.all().find(({ countryCode, type }) => type === 'COUNTRIES' && countryCode === 'CA')!;
    expect(await count(...both, ['LOCATION', US], ['LOCATION', canada.value], ['LANGUAGE', 'en'])).toBe(2);
    expect(await count(...both, ['LOCATION', US, 'NE'])).toBe(2);
    expect(await count(both[0], ['EXACT_KEYWORD', other, 'NE'])).toBe(2);
    expect(await count(...both, ['INTEREST', interest.value, 'NE'])).toBe(3);
    expect(await count(...both, ['GENDER', '2'])).toBe(1);
    expect(await count(...both, ['AGE', 'AGE_25_TO_49'])).toBe(2);
    expect(await count(...both, ['PLATFORM', '0'])).toBe(1);
  });

  it('knows places within regions, devices beside platforms, and the parts of categories', async () => {
    const word = freshWord();
    const [losAngeles, device] = [
      locationAt('3b77caf94bfc81fe')!,
      DEVICES.all().find(({ osType }) => osType === 'iOS')!,
    ];
    const region = LOCATIONS.all().find(
      ({ type, regionCode }) => type === 'REGIONS' && regionCode === losAngeles.regionCode,
    )!;
    await store(
      { username: `${word}_1`, keywords: [word], locations: [losAngeles.value], iab_categories: ['IAB17-3'] },
      { username: `${word}_2`, keywords: [word], devices: [device.value], iab_categories: ['IAB9-30'] },
      { username: `${word}_3`, keywords: [word], platforms: ['ANDROID'] },
    );
    const meant: Criterion = ['PHRASE_KEYWORD', word];
    expect(await count(meant, ['LOCATION', losAngeles.value])).toBe(1);
    expect(await count(meant, ['LOCATION', region.value])).toBe(1);
    expect(await count(meant, ['LOCATION', US])).toBe(0);
    expect(await count(meant, ['DEVICE', device.value], ['PLATFORM', '1'])).toBe(2);
    expect(await count(meant, ['IAB_CATEGORY', 'IAB17'])).toBe(1);
    expect(await count(meant, ['IAB_CATEGORY', 'IAB8-4'])).toBe(0);
    expect(await count(meant, ['IAB_CATEGORY', 'IAB9-30', 'NE'])).toBe(2);
    // nothing is known of these
    expect(await count(meant, ['WIFI_ONLY', '1'], ['NETWORK_ACTIVATION_DURATION', '3', 'LT'])).toBe(3);
  });

  it('counts followers of the own user, and of similar ones', async () => {
    const { account } = advertiser;
    const word = freshWord();
    const similar = `${word}_star`;
    await store({ username: similar });
    const [star] = await world().sql<{ id: string }>('SELECT id FROM users WHERE username = $1', similar);
    await store(
      ...[0, 1, 2].map((i) => ({ username: `${word}_own_${i}`, follows: [account.userId, similar] })),
      ...[0, 1].map((i) => ({ username: `${word}_star_${i}`, follows: [similar] })),
      ...Array.from({ length: 30 }, (_, i) => ({ username: `${word}_any_${i}` })),
    );
    expect(await count(['FOLLOWERS_OF_USER', account.userId])).toBe(3);
    expect(await count(['SIMILAR_TO_FOLLOWERS_OF_USER', star.id])).toBe(5);
    expect(await count(['SIMILAR_TO_FOLLOWERS_OF_USER', account.userId])).toBe(5);
  });

  it('counts audiences of the account and those it was granted, not those of others', async () => {
    const [owner, partner] = await given.partners();
    const word = freshWord();
    const names = [1, 2, 3].map((i) => `${word}_${i}`);
    await store(...names.map((username, i) => ({ username, country: i === 0 ? 'US' : 'CA' })));
    const id = await audience(owner, [...names, 'nobody_of_the_directory']);
    const of = (who: Advertiser) => ask(who.api, who.account, ['CUSTOM_AUDIENCE', id, 'EQ'], ['LOCATION', US]);
    expect((await of(owner)).body).toMatchObject({ data: { audience_size: { min: 95, max: 105 } } });

    const refused = await of(partner);
    expect(refused.status).toBe(404);
    expect(errorsOf(refused)).toMatchObject([
      { code: 'NOT_FOUND', parameter: 'targeting_criteria[0].targeting_value', value: id },
    ]);
    await given.sharedAudience({ account: owner.account, audience: { id }, to: partner.account });
    expect((await of(partner)).body).toEqual({
      request: { params: { account_id: partner.account.id, targeting_criteria: null } },
      data: { audience_size: { min: 95, max: 105 } },
    });
  });

  it('leaves out whom the account must not reach', async () => {
    const word = freshWord();
    const names = [1, 2, 3].map((i) => `${word}_${i}`);
    await store(...names.map((username) => ({ username, keywords: [word] })));
    expect(await count(['BROAD_KEYWORD', word])).toBe(3);
    const { id } = await world().get(DoNotReachListsService).create(advertiser.account, {});
    await fill(id, names.slice(0, 2));
    expect(await count(['BROAD_KEYWORD', word])).toBe(1);
    await advertiser.api.delete(`/12/accounts/${advertiser.account.id}/do_not_reach_lists/${id}`);
    expect(await count(['BROAD_KEYWORD', word])).toBe(3);
  });

  it('counts a criterion that is sent twice once, and refuses it with another operator', async () => {
    const word = freshWord();
    const name = `${word}_one`;
    await store({ username: name, keywords: [word] });
    const mine = await audience(advertiser, [name]);
    expect(await count(['BROAD_KEYWORD', word], ['BROAD_KEYWORD', word.toUpperCase()])).toBe(1);
    expect(await count(['CUSTOM_AUDIENCE', mine], ['CUSTOM_AUDIENCE', mine.toUpperCase()])).toBe(1);
    const both: Criterion[] = [
      ['BROAD_KEYWORD', word],
      ['BROAD_KEYWORD', word, 'NE'],
    ];
    const answer = await ask(advertiser.api, advertiser.account, ...both);
    expect({ status: answer.status, errors: errorsOf(answer) }).toMatchObject({
      status: 400,
      errors: [
        {
          code: 'INVALID_PARAMETER',
          parameter: 'targeting_criteria[1].targeting_value',
          message: `BROAD_KEYWORD "${word}" is already a criterion with EQ`,
        },
      ],
    });
  });

  it('needs a primary criterion that is not negated', async () => {
    const { api, account } = advertiser;
    for (const all of [
      [['LOCATION', US]],
      [
        ['BROAD_KEYWORD', 'coffee', 'NE'],
        ['LOCATION', US],
      ],
    ] as Criterion[][]) {
      const answer = await ask(api, account, ...all);
      expect(answer.status).toBe(400);
      expect(errorsOf(answer)).toMatchObject([
        {
          code: 'INVALID_PARAMETER',
          parameter: 'targeting_criteria',
          message: 'At least one primary targeting criterion is required',
        },
      ]);
    }
  });

  it('tells all that is wrong with criteria, each by its place', async () => {
    const { api, account } = advertiser;
    const answer = await ask(
      api,
      account,
      ['LOCATION', 'nowhere'],
      ['GENDER', '2', 'NE'],
      ['CUSTOM_AUDIENCE', '0zzzzzzzzzzzz', 'NE'],
      ['GENDER', '3'],
      ['LANGUAGE', 'en'],
      ['LANGUAGE', 'en'],
    );
    expect(answer.status).toBe(400);
    expect(
      errorsOf(answer)
        .map(({ code, parameter }) => `${code} ${parameter}`)
        .sort(),
    ).toEqual([
      'INVALID_PARAMETER targeting_criteria',
      'INVALID_PARAMETER targeting_criteria[0].targeting_value',
      'INVALID_PARAMETER targeting_criteria[1].operator_type',
      'INVALID_PARAMETER targeting_criteria[3].targeting_value',
      'NOT_FOUND targeting_criteria[2].targeting_value',
    ]);
  });

  it('refuses what is no list of criteria, by the place of each mistake', async () => {
    const { api, account } = advertiser;
    const wrong = async (json: unknown) => {
      const answer = await api.post(path(account), { json: json as never });
      expect(answer.status).toBe(400);
      return errorsOf(answer).map(({ code, parameter }) => `${code} ${parameter}`);
    };
    expect(await wrong({})).toEqual(['MISSING_PARAMETER targeting_criteria']);
    expect(await wrong({ targeting_criteria: null })).toEqual(['INVALID_PARAMETER targeting_criteria']);
    expect(await wrong({ targeting_criteria: [] })).toEqual(['INVALID_PARAMETER targeting_criteria']);
    expect(
      await wrong({
        targeting_criteria: [{ targeting_type: 'NOTHING', targeting_value: 'x' }, { targeting_type: 'GENDER' }, 5],
      }),
    ).toEqual([
      'INVALID_PARAMETER targeting_criteria[0].targeting_type',
      'MISSING_PARAMETER targeting_criteria[1].targeting_value',
      'INVALID_PARAMETER targeting_criteria[2]',
    ]);
    expect((await api.post(path(account), { form: { targeting_criteria: 'x' } })).status).toBe(415);
  });

  it('holds criteria to what a line item can have', async () => {
    const { api, account } = advertiser;
    const [show] = TV_SHOWS.all();
    const outside = LOCATIONS.all().find(
      ({ type, countryCode }) =>
        type === 'COUNTRIES' && !show.locales.some((locale) => interestPartsOf(locale).country === countryCode),
    )!;
    const alone = await ask(api, account, ['TV_SHOW', show.value]);
    expect(errorsOf(alone).map(({ code }) => code)).toEqual(['INVALID_TV_SHOW_LOCATIONS']);
    const elsewhere = await ask(api, account, ['TV_SHOW', show.value], ['LOCATION', outside.value]);
    expect(errorsOf(elsewhere).map(({ code }) => code)).toEqual(['TV_SHOW_OUTSIDE_MARKET']);
  });

  it('is for those who see insights, with a token that may only read', async () => {
    const asked: Criterion = ['BROAD_KEYWORD', 'coffee'];
    for (const [role, status] of [
      ['ANALYST', 200],
      ['CAMPAIGN_ANALYST', 200],
      ['PARTNER_AUDIENCE_MANAGER', 403],
    ] as const) {
      const member = await given.advertiser({ role });
      expect((await ask(member.api, member.account, asked)).status).toBe(status);
    }
    const reader = await given.advertiser({ accessLevel: 'read' });
    expect((await ask(reader.api, reader.account, asked)).status).toBe(200);
  });

  it("is of the caller's accounts, in their environment", async () => {
    const other = await given.advertiser();
    const answer = await ask(advertiser.api, other.account, ['BROAD_KEYWORD', 'coffee']);
    expect(answer.status).toBe(404);
    expect(errorsOf(answer)).toMatchObject([{ code: 'NOT_FOUND', parameter: 'account_id' }]);
    const sandbox = await given.advertiser({ environment: 'sandbox' });
    expect((await ask(sandbox.api, sandbox.account, ['BROAD_KEYWORD', 'coffee'])).status).toBe(200);
  });
});
