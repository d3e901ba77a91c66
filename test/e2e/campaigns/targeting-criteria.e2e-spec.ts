import { TargetingCriteriaService } from '../../../src/campaigns/targeting-criteria/targeting-criteria.service.js';
import { DEVICES, TV_SHOWS } from '../../../src/campaigns/targeting-values/targeting-lists.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { base36Ids } from '../../support/list-conventions.js';

useApp();

const US = '96683cc9126741d1';
const LA = '3b77caf94bfc81fe';
const IPHONE = DEVICES.all().find(({ osType }) => osType === 'iOS')!.value;
const SHOW = TV_SHOWS.all().find(({ locales }) => locales.join() === 'en-US')!.value;

let advertiser: Advertiser;
let item: { id: string; campaignId: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  item = await given.lineItem({ account: advertiser.account });
});

const path = (id?: string) => `/12/accounts/${advertiser.account.id}/targeting_criteria${id ? `/${id}` : ''}`;
const create = (params: Params) => advertiser.api.post(path(), { query: { line_item_id: item.id, ...params } });
const criterion = (targeting_type: string, targeting_value: string, operator_type?: string) =>
  create({ targeting_type, targeting_value, operator_type });
const remove = (id: string) => advertiser.api.delete(path(id));
const listed = async (query: Params = {}): Promise<Json[]> =>
  (await advertiser.api.get(path(), { query: { line_item_ids: item.id, ...query } })).body.data;
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});
const refused = (...errors: string[]) => ({ status: 400, errors });

describe('a new criterion', () => {
  it('answers 201 with its keys, a place with its kind', async () => {
    const { status, body } = await criterion('LOCATION', LA);
    expect(status).toBe(201);
    expect(body).toEqual({
      request: {
        params: {
          account_id: advertiser.account.id,
          line_item_id: item.id,
          targeting_type: 'LOCATION',
          targeting_value: LA,
        },
      },
      data: {
        id: expect.any(String),
        line_item_id: item.id,
        name: 'Los Angeles, CA, US',
        location_type: 'CITY',
        operator_type: 'EQ',
        targeting_type: 'LOCATION',
        targeting_value: LA,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      },
    });
    expect((await advertiser.api.get(path(body.data.id))).body.data).toEqual(body.data);
    const keyword = (await criterion('BROAD_KEYWORD', '  Cold   brew ')).body.data;
    expect(keyword).toMatchObject({ name: 'Cold brew', targeting_value: 'Cold brew', operator_type: 'EQ' });
    expect(keyword).not.toHaveProperty('location_type');
    expect(keyword).not.toHaveProperty('localized_name');
  });

  it.each([
    ['AGE', 'AGE_OVER_21', 'EQ'],
    ['GENDER', '2', 'EQ'],
    ['APP_LIST', 'com.example.app', 'NE'],
    ['NETWORK_ACTIVATION_DURATION', '3', 'GTE'],
    ['WIFI_ONLY', '1', 'EQ'],
  ])('has the operator of its type where none is given: %s', async (type, value, operator) => {
    expect((await criterion(type, value)).body.data).toMatchObject({ operator_type: operator });
  });

  it('is recorded in the history', async () => {
    const { id } = (await criterion('LOCATION', LA)).body.data;
    await remove(id);
    const changes = await world().sql<Json>(
      `SELECT "changeType" AS type, "entityData" AS data FROM account_changes WHERE "entityType" = 'TARGETING_CRITERIA' AND "entityId" = $1 ORDER BY id`,
      id,
    );
    expect(changes).toMatchObject([
      { type: 'CREATE', data: { id, targeting_value: LA, deleted: false } },
      { type: 'DELETE', data: { id, targeting_value: LA, deleted: true } },
    ]);
  });

  it('names everything that is wrong in one answer', async () => {
    expect(refusal(await advertiser.api.post(path()))).toEqual(
      refused(
        'MISSING_PARAMETER line_item_id',
        'MISSING_PARAMETER targeting_type',
        'MISSING_PARAMETER targeting_value',
      ),
    );
    const mixed = await create({
      line_item_id: base36Ids(0),
      targeting_type: 'LOCATION',
      targeting_value: 'Atlantis',
      operator_type: 'IS',
    });
    expect(refusal(mixed)).toEqual(
      refused('INVALID_PARAMETER operator_type', 'NOT_FOUND line_item_id', 'INVALID_PARAMETER targeting_value'),
    );
    const stored = await create({ line_item_id: base36Ids(0), targeting_type: 'GENDER', targeting_value: '3' });
    expect(refusal(stored)).toEqual({
      status: 404,
      errors: ['NOT_FOUND line_item_id', 'INVALID_PARAMETER targeting_value'],
    });
    expect(await listed()).toEqual([]);
  });

  it.each([
    ['CUSTOM_AUDIENCE', undefined, 'MISSING_PARAMETER operator_type'],
    ['CUSTOM_AUDIENCE_EXPANDED', undefined, 'MISSING_PARAMETER operator_type'],
    ['CUSTOM_AUDIENCE_EXPANDED', 'NE', 'INVALID_PARAMETER operator_type'],
    ['APP_LIST', 'EQ', 'INVALID_PARAMETER operator_type'],
    ['AGE', 'GTE', 'INVALID_PARAMETER operator_type'],
  ])('takes the operators of its type: %s with %s', async (type, operator, problem) => {
    const { errors } = refusal(await criterion(type, '1', operator));
    expect(errors).toContain(problem);
  });

  it('is of a line item of the account that is there', async () => {
    const [stranger, gone] = [await given.advertiser(), await given.lineItem({ account: advertiser.account })];
    const theirs = await given.lineItem({ account: stranger.account });
    await advertiser.api.delete(`/12/accounts/${advertiser.account.id}/line_items/${gone.id}`);
    for (const { id } of [theirs, gone, { id: base36Ids(0) }]) {
      const answer = await create({ line_item_id: id, targeting_type: 'LANGUAGE', targeting_value: 'en' });
      expect(answer).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'NOT_FOUND', parameter: 'line_item_id', value: id }] },
      });
    }
    const of = await advertiser.api.delete(`/12/accounts/${advertiser.account.id}/campaigns/${item.campaignId}`);
    expect(of.status).toBe(200);
    expect((await criterion('LANGUAGE', 'en')).status).toBe(404);
  });

  it('that is there already is answered as it is, and is no second one', async () => {
    const first = await criterion('BROAD_KEYWORD', 'Espresso');
    for (const value of ['Espresso', ' espresso']) {
      const again = await criterion('BROAD_KEYWORD', value);
      expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });
    }
    expect(await listed()).toHaveLength(1);
    expect(refusal(await criterion('BROAD_KEYWORD', 'espresso', 'NE'))).toEqual(
      refused('INVALID_PARAMETER targeting_value'),
    );
    expect((await criterion('EXACT_KEYWORD', 'Espresso')).status).toBe(201);
    await remove(first.body.data.id);
    const anew = await criterion('BROAD_KEYWORD', 'Espresso');
    expect(anew.status).toBe(201);
    expect(anew.body.data.id).not.toBe(first.body.data.id);
  });

  it('is refused beside what it does not go with', async () => {
    expect((await criterion('AGE', 'AGE_OVER_21')).status).toBe(201);
    expect(refusal(await criterion('AGE', 'AGE_OVER_35'))).toEqual(refused('INVALID_PARAMETER targeting_type'));
    expect((await criterion('DEVICE', IPHONE)).status).toBe(201);
    expect(refusal(await criterion('PLATFORM', '0'))).toEqual(refused('INVALID_PARAMETER targeting_value'));
    expect((await criterion('PLATFORM', '1')).status).toBe(201);
    expect(refusal(await criterion('ENGAGEMENT_TYPE', 'IMPRESSION'))).toEqual(
      refused('INVALID_PARAMETER targeting_type'),
    );
    expect(refusal(await criterion('TV_SHOW', SHOW))).toEqual(refused('INVALID_TV_SHOW_LOCATIONS targeting_value'));
    expect(await listed()).toHaveLength(3);
  });

  it('counts beside what is there: 100 interests', async () => {
    const interests = world().get(TargetingCriteriaService);
    const { data } = (await advertiser.api.get('/12/targeting_criteria/interests', { query: { count: 101 } })).body;
    await interests.batch(
      advertiser.account,
      data.slice(0, 100).map(({ targeting_value }: Json) => ({
        operation_type: 'Create',
        params: { line_item_id: item.id, targeting_type: 'INTEREST', targeting_value },
      })),
    );
    const last = await criterion('INTEREST', data[100].targeting_value);
    expect(refusal(last)).toEqual(refused('INVALID_PARAMETER targeting_type'));
    expect((await criterion('INTEREST', data[7].targeting_value)).status).toBe(200);
  });
});

describe('one criterion', () => {
  it('is deleted for good: shown where deleted ones are, and then 404', async () => {
    const { data } = (await criterion('LANGUAGE', 'en')).body;
    const gone = await remove(data.id);
    expect(gone).toMatchObject({ status: 200, body: { data: { id: data.id, deleted: true } } });
    expect(refusal(await remove(data.id))).toEqual({ status: 404, errors: ['NOT_FOUND targeting_criterion_id'] });
    expect((await advertiser.api.get(path(data.id))).status).toBe(404);
    const shown = await advertiser.api.get(path(data.id), { query: { with_deleted: true } });
    expect(shown).toMatchObject({ status: 200, body: { data: { deleted: true } } });
  });

  it('belongs to its account', async () => {
    const { data } = (await criterion('LANGUAGE', 'en')).body;
    const { account, api } = await given.advertiser();
    for (const call of [api.get, api.delete]) {
      const answer = await call(`/12/accounts/${account.id}/targeting_criteria/${data.id}`);
      expect(refusal(answer)).toEqual({ status: 404, errors: ['NOT_FOUND targeting_criterion_id'] });
    }
    expect((await advertiser.api.get(path(data.id))).status).toBe(200);
  });

  it('is not changed: there is no PUT', async () => {
    const { data } = (await criterion('LANGUAGE', 'en')).body;
    expect((await advertiser.api.put(path(data.id), { query: { targeting_value: 'de' } })).status).toBe(405);
  });

  it('stays while another one needs it', async () => {
    const place = (await criterion('LOCATION', US)).body.data;
    const show = (await criterion('TV_SHOW', SHOW)).body.data;
    const kept = await remove(place.id);
    expect(kept).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'targeting_criterion_id', value: place.id }] },
    });
    const city = (await criterion('LOCATION', LA)).body.data;
    expect((await remove(place.id)).status).toBe(200);
    expect((await remove(city.id)).status).toBe(400);
    expect((await remove(show.id)).status).toBe(200);
    expect((await remove(city.id)).status).toBe(200);
  });

  it('is written by who manages campaigns, and read by who may see them', async () => {
    const { data } = (await criterion('LANGUAGE', 'en')).body;
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await analyst.api.get(path(data.id))).status).toBe(200);
    expect((await analyst.api.delete(path(data.id))).status).toBe(403);
    const query = { line_item_id: item.id, targeting_type: 'LANGUAGE', targeting_value: 'de' };
    expect((await analyst.api.post(path(), { query })).status).toBe(403);
  });
});

describe('at the same time', () => {
  const AGES = ['AGE_OVER_18', 'AGE_OVER_21', 'AGE_OVER_25', 'AGE_OVER_35', 'AGE_OVER_50', 'AGE_13_TO_24'];

  it('one of several ages is stored', async () => {
    const answers = await Promise.all(AGES.map((age) => criterion('AGE', age)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect(await listed()).toHaveLength(1);
  });

  it('the same criterion is stored once, and everybody is told of it', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => criterion('BROAD_KEYWORD', 'coffee')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await listed()).toHaveLength(1);
  });

  it('different criteria are all stored', async () => {
    const words = Array.from({ length: 30 }, (_, i) => `word ${i}`);
    const answers = await Promise.all(words.map((word) => criterion('BROAD_KEYWORD', word)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await listed()).toHaveLength(30);
  });

  it('a platform and a device of it are not both stored', async () => {
    const answers = await Promise.all([criterion('PLATFORM', '0'), criterion('DEVICE', IPHONE)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(await listed()).toHaveLength(1);
  });

  it('what is needed does not go while what needs it comes', async () => {
    const place = (await criterion('LOCATION', US)).body.data;
    const [gone, show] = await Promise.all([remove(place.id), criterion('TV_SHOW', SHOW)]);
    expect([gone.status === 200, show.status === 201].filter(Boolean)).toHaveLength(1);
    const types = (await listed()).map(({ targeting_type: type }) => type);
    expect(types).toEqual(show.status === 201 ? ['TV_SHOW', 'LOCATION'] : []);
  });

  it('nothing comes to a line item that goes', async () => {
    const line = `/12/accounts/${advertiser.account.id}/line_items/${item.id}`;
    const words = Array.from({ length: 12 }, (_, i) => `word ${i}`);
    const [gone, ...answers] = await Promise.all([
      advertiser.api.delete(line),
      ...words.map((word) => criterion('BROAD_KEYWORD', word)),
    ]);
    expect(gone.status).toBe(200);
    for (const { status } of answers) expect([201, 404]).toContain(status);
    expect(await listed()).toEqual([]);
    const stored = (await listed({ with_deleted: true })).length;
    expect(stored).toBe(answers.filter(({ status }) => status === 201).length);
    expect((await criterion('BROAD_KEYWORD', 'too late')).status).toBe(404);
  });
});
