import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { LocationIds } from '../../../src/audiences/locations/location-ids.service.js';
import { VALUES, type ResolvedValue } from '../../../src/campaigns/targeting-values/targeting-values.rules.js';
import type { TargetingType } from '../../../src/campaigns/targeting-values/targeting-types.js';
import * as views from '../../../src/campaigns/targeting-look-ups/look-ups.presenter.js';
import { schemaOf } from '../../../src/common/http/answers/responses.js';
import type { Json } from '../../support/http.js';
import { anonymously, type Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { refusal } from '../creatives/refusal.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { PostPublication } from '../../../src/creatives/posts/post-publication.service.js';

useApp({ RATE_LIMIT_TARGETING_LOOKUPS: '100000/60', RATE_LIMIT_TV_LOOKUPS: '3/60' });

describe('targeting options', () => {
  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const at = (what: string) => `/12/targeting_criteria/${what}`;
  const ask = (what: string, query: Params = {}) => advertiser.api.get(at(what), { query });
  const found = async (what: string, query: Params = {}): Promise<Json> => {
    const { status, body } = await ask(what, query);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body;
  };
  const names = async (what: string, query: Params = {}): Promise<string[]> =>
    (await found(what, query)).data.map(({ name }: Json) => name);

  /** Each look-up: what makes it answer, of which type its values are, and what its items are. */
  const LOOK_UPS: [what: string, required: Params, type: TargetingType | undefined, view: Type][] = [
    ['app_store_categories', {}, 'APP_STORE_CATEGORY', views.AppStoreCategoryView],
    ['conversations', {}, 'CONVERSATION', views.ConversationView],
    ['devices', {}, 'DEVICE', views.DeviceView],
    ['events', { event_types: 'HOLIDAY,SPORTS,OTHER' }, 'EVENT', views.TargetingEventView],
    ['interests', {}, 'INTEREST', views.InterestView],
    ['languages', {}, 'LANGUAGE', views.TargetingLanguageView],
    ['locations', { country_code: 'DE' }, 'LOCATION', views.TargetingLocationView],
    ['network_operators', {}, 'NETWORK_OPERATOR', views.NetworkOperatorView],
    ['platform_versions', {}, 'PLATFORM_VERSION', views.PlatformVersionView],
    ['platforms', { lang: 'de' }, 'PLATFORM', views.PlatformView],
    ['tv_markets', {}, undefined, views.TvMarketView],
    ['tv_shows', { locale: 'en-US' }, 'TV_SHOW', views.TvShowView],
  ];
  const PAGED = ['conversations', 'events', 'interests', 'languages', 'locations', 'network_operators', 'tv_shows'];

  describe('look-ups of what can be targeted', () => {
    it.each(LOOK_UPS)('%s: items have the keys they are to have, and values that can be targeted', async (...row) => {
      const [what, required, type, view] = row;
      const body = await found(what, required);
      expect(body.data.length).toBeGreaterThan(3);
      expect(body.request.params).toEqual(
        what === 'events' ? { event_types: ['HOLIDAY', 'SPORTS', 'OTHER'] } : required,
      );
      for (const item of body.data) {
        expect(Object.keys(item)).toEqual(Object.keys((schemaOf(view) as Json).properties));
        if (type === undefined) continue;
        const value = String(item.targeting_value);
        const resolved = VALUES[type]!(value) as ResolvedValue;
        expect({ ...resolved, value: world().get(LocationIds).canonical(resolved.value) }).toMatchObject({
          value,
          name: item.name,
        });
        expect(item.targeting_type ?? type).toBe(type);
      }
    });

    it.each(LOOK_UPS)(
      '%s: pages where it is to, and says what its items are where it is to',
      async (what, required) => {
        const body = await found(what, required);
        expect('next_cursor' in body).toBe(PAGED.includes(what));
        const types: Record<string, string> = { events: 'events', platform_versions: 'targeting_criterion' };
        expect(body.data_type).toBe(types[what]);
      },
    );

    it.each(PAGED)('%s: pages come in their order, each item once', async (what) => {
      const [, required] = LOOK_UPS.find(([each]) => each === what)!;
      // shows have a narrow window here, so they come in few pages
      const count = { locations: 7, tv_shows: 12, events: 20 }[what] ?? 100;
      const whole = (await found(what, { ...required, count: what === 'tv_shows' ? 50 : 1000 })).data;
      const pages: Json[] = [];
      let cursor: string | null | undefined;
      for (let n = 0; n < 2 || (cursor && what !== 'locations'); n++) {
        const body: Json = await found(what, { ...required, count, ...(cursor && { cursor }) });
        pages.push(...body.data);
        cursor = body.next_cursor;
        if (!cursor) break;
      }
      expect(pages).toEqual(what === 'locations' ? whole.slice(0, 14) : whole);
      if (what !== 'locations') expect(cursor).toBeNull();
    });

    it('have cursors that belong to what was asked', async () => {
      const { next_cursor: cursor } = await found('locations', { location_type: 'CITIES', count: 3 });
      await found('locations', { location_type: 'CITIES', count: 5, cursor });
      for (const other of [{ location_type: 'REGIONS' }, {}, { location_type: 'CITIES', q: 'new' }]) {
        const answer = await ask('locations', { ...other, cursor });
        expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'cursor']] });
      }
      expect(refusal(await ask('interests', { cursor }))).toMatchObject({ status: 400 });
      const operators = await found('network_operators', { count: 2 });
      await found('network_operators', { count: 2, cursor: operators.next_cursor, country_code: 'us' });
    });

    it.each<[string, Params, string]>([
      ['app_store_categories', { os_type: 'WINDOWS' }, 'os_type'],
      ['app_store_categories', { q: '' }, 'q'],
      ['conversations', { conversation_type: 'FILMS' }, 'conversation_type'],
      ['conversations', { count: 1001 }, 'count'],
      ['conversations', { cursor: 'x' }, 'cursor'],
      ['devices', { count: 0 }, 'count'],
      ['events', { event_types: 'PARTY' }, 'event_types'],
      ['events', { event_types: 'SPORTS', country_codes: 'US,XX' }, 'country_codes'],
      ['events', { event_types: 'SPORTS', start_time: 'soon' }, 'start_time'],
      ['interests', { q: 'x'.repeat(256) }, 'q'],
      ['languages', { count: 'many' }, 'count'],
      ['locations', { location_type: 'CITY' }, 'location_type'],
      ['locations', { country_code: 'USA' }, 'country_code'],
      ['network_operators', { country_code: 'ZZ' }, 'country_code'],
      ['platform_versions', { q: '' }, 'q'],
      ['platforms', { lang: 'deu' }, 'lang'],
      ['tv_shows', { locale: 'en-XX' }, 'locale'],
      ['tv_shows', { locale: 'en-US', count: 51 }, 'count'],
    ])('%s refuse %j', async (what, query, parameter) => {
      const answer = await ask(what, query);
      expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', parameter]] });
    });

    it.each<[string, Params, string]>([
      ['locations', { country_code: 'UK' }, 'The code of United Kingdom is GB.'],
      ['locations', { country_code: 'usa' }, 'The code of United States is US.'],
      ['network_operators', { country_code: 'Germany' }, 'The code of Germany is DE.'],
      ['events', { event_types: 'SPORTS', country_codes: 'US,JPN' }, 'The code of Japan is JP.'],
    ])('%s suggest a code for %j', async (what, query, hint) => {
      const { body } = await ask(what, query);
      expect(body.errors.map((each: Json) => each.hint)).toEqual([hint]);
    });

    it('ask for what they need, and name everything that is wrong', async () => {
      expect(refusal(await ask('events'))).toEqual({ status: 400, errors: [['MISSING_PARAMETER', 'event_types']] });
      expect(refusal(await ask('tv_shows'))).toEqual({ status: 400, errors: [['MISSING_PARAMETER', 'locale']] });
      const answer = await ask('events', { count: 0, start_time: '2027-01-02', end_time: '2027-01-02' });
      expect(refusal(answer)).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'count'],
          ['MISSING_PARAMETER', 'event_types'],
          ['INVALID_TIME_WINDOW', 'end_time'],
        ],
      });
    });

    it('take a user, but no account', async () => {
      const { status } = await anonymously('GET', at('interests'));
      expect(status).toBe(401);
    });

    it('count in windows of their own', async () => {
      const one = await ask('platforms');
      expect(one.headers['x-rate-limit-limit']).toBe('100000');
      for (let n = 0; n < 3; n++) expect((await ask('tv_markets')).status).toBe(200);
      expect((await ask('tv_markets')).status).toBe(429);
      expect((await ask('tv_shows', { locale: 'en-US' })).status).toBe(200);
      expect((await ask('platforms')).status).toBe(200);
    });
  });

  describe('each look-up', () => {
    it('of app store categories knows stores and words', async () => {
      expect(await names('app_store_categories', { q: 'music', os_type: 'IOS' })).toEqual(['Music', 'Games: Music']);
      const { data } = await found('app_store_categories', { os_type: 'ANDROID' });
      expect(new Set(data.map((each: Json) => each.os_type))).toEqual(new Set(['ANDROID']));
    });

    it('of conversations knows their types', async () => {
      const { data } = await found('conversations', { conversation_type: 'SPORTS_LEAGUES' });
      expect(data.map(({ name }: Json) => name)).toContain('NFL');
      expect(new Set(data.map((each: Json) => each.conversation_type))).toEqual(new Set(['SPORTS_LEAGUES']));
    });

    it('of devices answers as many as were asked for', async () => {
      const { data } = await found('devices', { q: 'iphone', count: 2 });
      expect(data).toHaveLength(2);
      expect(data[0]).toMatchObject({ manufacturer: 'Apple', os_type: 'iOS', targeting_type: 'DEVICE' });
    });

    it('of events knows kinds, countries and times, and all keys of one', async () => {
      const [day] = (
        await found('events', {
          event_types: 'HOLIDAY',
          country_codes: 'us',
          start_time: '2027-07-04T18:00:00Z',
          end_time: '2027-07-05T00:00:00Z',
        })
      ).data;
      expect(day).toEqual({
        reach: { total_reach: null },
        name: 'Independence Day',
        start_time: '2027-07-04T00:00:00Z',
        top_users: [],
        top_posts: [],
        top_hashtags: [],
        gender_breakdown_percentage: {},
        end_time: '2027-07-05T00:00:00Z',
        country_code: 'US',
        device_breakdown_percentage: {},
        targeting_value: expect.any(String),
        is_global: false,
        event_type: 'HOLIDAY',
        country_breakdown_percentage: {},
      });
      const { data } = await found('events', { event_types: 'HOLIDAY,POLITICS', country_codes: 'DE', count: 1000 });
      expect(new Set(data.map((each: Json) => each.country_code))).toEqual(new Set(['DE', null]));
      expect(new Set(data.map((each: Json) => each.event_type))).toEqual(new Set(['HOLIDAY', 'POLITICS']));
      const now = `${world().clock.now().toISOString().slice(0, 19)}Z`;
      for (const { start_time: start, end_time: end, is_global: isGlobal, country_code: code } of data) {
        expect(end > now && end > start).toBe(true);
        expect(isGlobal).toBe(code === null);
      }
      const starts = data.map((each: Json) => each.start_time);
      expect(starts).toEqual([...starts].sort());
    });

    it('of events goes on where it was when an event has ended meanwhile', async () => {
      const query = { event_types: 'HOLIDAY,SPORTS,RECURRING', count: 5 };
      const before = await found('events', query);
      const all = (await found('events', { ...query, count: 1000 })).data;
      const began = new Date(before.data.at(-1).end_time);
      world().clock.set(new Date(began.getTime() + 86_400_000));
      const api = (await given.advertiser()).api;
      const { body } = await api.get(at('events'), { query: { ...query, cursor: before.next_cursor } });
      const values = all.map((each: Json) => each.targeting_value);
      const first = values.indexOf(body.data[0].targeting_value);
      expect(first).toBeGreaterThanOrEqual(5);
      expect(all.slice(5, first).every((each: Json) => new Date(each.end_time) <= world().clock.now())).toBe(true);
    });

    it('of interests and languages find words', async () => {
      expect(await names('interests', { q: 'coffee' })).toEqual(['Food and drink/Coffee and tea']);
      const { data } = await found('languages', { q: 'ENGL' });
      expect(data).toEqual([{ name: 'English', targeting_value: 'en', targeting_type: 'LANGUAGE' }]);
    });

    it('of locations knows kinds, countries and words', async () => {
      const { data } = await found('locations', { location_type: 'CITIES', country_code: 'us', q: 'los angeles' });
      expect(data[0]).toEqual({
        name: 'Los Angeles, CA, US',
        targeting_value: '3b77caf94bfc81fe',
        country_code: 'US',
        location_type: 'CITIES',
        targeting_type: 'LOCATION',
      });
      const { data: countries } = await found('locations', { location_type: 'COUNTRIES', count: 1000 });
      expect(countries).toHaveLength(249);
      expect(countries).toContainEqual(expect.objectContaining({ name: 'United States', targeting_value: US }));
      for (const type of ['REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES']) {
        const { data: some } = await found('locations', { location_type: type, country_code: 'US' });
        expect(new Set(some.map((each: Json) => each.location_type))).toEqual(new Set([type]));
      }
    });

    it('of network operators is about the United States unless another country is named', async () => {
      const { data } = await found('network_operators');
      expect(new Set(data.map((each: Json) => each.country_code))).toEqual(new Set(['US']));
      expect(await names('network_operators', { country_code: 'DE', q: 'telekom' })).toEqual(['Telekom Deutschland']);
    });

    it('of platform versions finds names and numbers', async () => {
      expect(await names('platform_versions', { q: 'nougat' })).toEqual(['Nougat', 'Nougat']);
      const { data } = await found('platform_versions', { q: '4.4' });
      expect(data).toEqual([expect.objectContaining({ name: 'KitKat', number: '4.4', os_type: 'Android' })]);
      expect(await names('platform_versions', { q: ' ' })).toEqual([]);
    });

    it('of platforms has five, and their names in a language where it knows them', async () => {
      expect(await names('platforms')).toEqual([
        'iOS',
        'Android',
        'BlackBerry phones and tablets',
        'Mobile web on other devices',
        'Desktop and laptop computers',
      ]);
      const [desktop] = (await found('platforms', { q: 'desktop', lang: 'FR' })).data;
      expect(desktop).toEqual({
        name: 'Desktop and laptop computers',
        targeting_value: '4',
        targeting_type: 'PLATFORM',
        localized_name: 'Ordinateurs de bureau et portables',
      });
      const [unknown] = (await found('platforms', { lang: 'fi', count: 1 })).data;
      expect(unknown).not.toHaveProperty('localized_name');
    });

    it('of TV knows markets, and shows by market and words', async () => {
      const { data: markets } = await found('tv_markets');
      expect(markets).toContainEqual({ name: 'Germany', country_code: 'DE', locale: 'de-DE' });
      const { data } = await found('tv_shows', { locale: 'en-GB', q: 'doctor' });
      expect(data).toEqual([
        {
          name: 'Doctor Who',
          targeting_value: expect.any(Number),
          genre: 'DRAMA',
          locales: expect.arrayContaining([{ language: 'en', country: 'GB' }]),
        },
      ]);
    });
  });

  const US = '96683cc9126741d1';

  it('the document describes all twelve', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
    expect(Object.keys(paths).filter((path) => path.startsWith('/12/targeting_criteria/'))).toHaveLength(12);
  });
});

describe('targeting suggestions', () => {
  useApp();

  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const path = (account = advertiser.account) => `/12/accounts/${account.id}/targeting_suggestions`;
  const ask = (query: Params, by = advertiser) => by.api.get(path(by.account), { query });
  const suggested = async (query: Params): Promise<string[]> => {
    const { status, body } = await ask(query);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    const types = body.data.map((each: Json) => each.suggestion_type);
    expect(new Set(types)).toEqual(new Set(types.length > 0 ? [query.suggestion_type] : []));
    return body.data.map((each: Json) => each.suggestion_value);
  };
  const store = (users: object[]) => {
    const directory = world().get(DirectoryImportService);
    return directory.store(users.map((each) => directory.read(each)));
  };
  const idOf = async (username: string) =>
    (await world().sql<{ id: string }>('SELECT id FROM users WHERE username = $1', username))[0].id;

  let words = 0;

  describe('suggested keywords', () => {
    it('go with the given ones in posts, are topped up, and are as many as were asked for', async () => {
      const word = `zorp${++words}`;
      const at = new Date(world().clock.now().getTime() - 3_600_000);
      const posts = Array.from({ length: 5 }, (_, n) => ({
        authorId: advertiser.user.id,
        text: `${word} with marzipan${words} again ${n}`,
        at,
      }));
      const old = {
        authorId: advertiser.user.id,
        text: `${word} and sardines${words}`,
        at: new Date(at.getTime() - 8 * 86_400_000),
      };
      await world()
        .get(PostPublication)
        .fromPlatform([...posts, old]);
      const found = await suggested({ suggestion_type: 'KEYWORD', targeting_values: `+${word}` });
      expect(found).toHaveLength(30);
      expect(found).toContain(`marzipan${words}`);
      expect(found).not.toContain(word);
      expect(found).not.toContain(`sardines${words}`);
      const more = await suggested({ suggestion_type: 'KEYWORD', targeting_values: word, count: 50 });
      expect(new Set(more).size).toBe(50);
      expect(more.slice(0, 2)).toEqual(found.slice(0, 2));
      expect(await suggested({ suggestion_type: 'KEYWORD', targeting_values: word, count: 2 })).toEqual(
        found.slice(0, 2),
      );
    });

    it('are there for words that nobody has said, and for numbers', async () => {
      expect(await suggested({ suggestion_type: 'KEYWORD', targeting_values: 'unheardof,2026' })).toHaveLength(30);
    });
  });

  describe('suggested users', () => {
    it('are those whom followers of the given ones follow, too, and people in general do not', async () => {
      const [seed, liked, common, gone] = ['seed', 'liked', 'common', 'gone'].map((name) => `${name}_${++words}`);
      await store([seed, liked, common, gone].map((username) => ({ username })));
      const people = Array.from({ length: 40 }, (_, n) => ({
        username: `fan_${words}_${n}`,
        follows: [common, ...(n < 10 ? [seed] : []), ...(n < 8 ? [liked, gone] : [])],
      }));
      await store(people);
      await world().sql('UPDATE users SET "suspendedAt" = now() WHERE username = $1', gone);
      const [id, likedId] = [await idOf(seed), await idOf(liked)];
      expect(await suggested({ suggestion_type: 'USER_ID', targeting_values: id })).toEqual([likedId]);
      expect(await suggested({ suggestion_type: 'USER_ID', targeting_values: `${id},${likedId}` })).toEqual([]);
    });

    it('are as many as were asked for', async () => {
      const seed = `seed_${++words}`;
      const liked = Array.from({ length: 20 }, (_, n) => `liked_${words}_${n}`);
      await store([seed, ...liked].map((username) => ({ username })));
      await store(Array.from({ length: 4 }, (_, n) => ({ username: `fan_${words}_${n}`, follows: [seed, ...liked] })));
      const values = { suggestion_type: 'USER_ID', targeting_values: await idOf(seed) };
      expect(await suggested(values)).toHaveLength(20);
      expect(await suggested({ ...values, count: 3 })).toHaveLength(3);
    });
  });

  describe('suggestions', () => {
    it('echo what was asked, and do not page', async () => {
      const { body } = await ask({ suggestion_type: 'KEYWORD', targeting_values: 'tea,coffee', count: '1' });
      expect(body.request.params).toEqual({
        account_id: advertiser.account.id,
        suggestion_type: 'KEYWORD',
        targeting_values: ['tea', 'coffee'],
        count: 1,
      });
      expect(Object.keys(body)).toEqual(['request', 'data']);
    });

    it.each<[Params, [string, string][]]>([
      [
        {},
        [
          ['MISSING_PARAMETER', 'suggestion_type'],
          ['MISSING_PARAMETER', 'targeting_values'],
        ],
      ],
      [{ suggestion_type: 'USERS', targeting_values: 'a' }, [['INVALID_PARAMETER', 'suggestion_type']]],
      [{ suggestion_type: 'KEYWORD', targeting_values: 'a', count: 51 }, [['INVALID_PARAMETER', 'count']]],
      [{ suggestion_type: 'USER_ID', targeting_values: '1,coffee' }, [['INVALID_PARAMETER', 'targeting_values']]],
      [{ suggestion_type: 'KEYWORD', targeting_values: '!?' }, [['INVALID_PARAMETER', 'targeting_values']]],
      [{ suggestion_type: 'KEYWORD', targeting_values: 'x'.repeat(81) }, [['INVALID_PARAMETER', 'targeting_values']]],
      [
        { suggestion_type: 'USER_ID', targeting_values: '999999999999999' },
        [['INVALID_PARAMETER', 'targeting_values']],
      ],
      [{ suggestion_type: 'USER_ID', targeting_values: '9'.repeat(30) }, [['INVALID_PARAMETER', 'targeting_values']]],
    ])('refuse %j', async (query, errors) => {
      expect(refusal(await ask(query))).toEqual({ status: 400, errors });
    });

    it('refuse more than fifty', async () => {
      const values = Array.from({ length: 51 }, (_, n) => `word${n}`).join(',');
      const answer = await ask({ suggestion_type: 'KEYWORD', targeting_values: values });
      expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'targeting_values']] });
      await suggested({ suggestion_type: 'KEYWORD', targeting_values: values.replace(',word50', '') });
    });

    it('are for whoever sees campaigns of the account', async () => {
      const query = { suggestion_type: 'KEYWORD', targeting_values: 'tea' };
      const analyst = await given.member(advertiser.account, 'ANALYST');
      expect((await analyst.api.get(path(), { query })).status).toBe(403);
      const viewer = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      expect((await viewer.api.get(path(), { query })).status).toBe(200);
      const stranger = await given.advertiser();
      expect((await stranger.api.get(path(), { query })).status).toBe(404);
      expect((await anonymously('GET', path())).status).toBe(401);
    });
  });
});
