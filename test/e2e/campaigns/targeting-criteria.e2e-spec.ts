import type { Type } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { PromotableUserCache } from '../../../src/accounts/promotable-users/promotable-user-cache.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { AudiencePermission } from '../../../src/audiences/audience-permissions/audience-permission.entity.js';
import { CUSTOM } from '../../../src/audiences/audience-permissions/audience-words.js';
import { AudiencePermissionsService } from '../../../src/audiences/audience-permissions/audience-permissions.service.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { TargetingCriterion } from '../../../src/campaigns/criterion-sets/targeting-criterion.entity.js';
import { TargetingCriterionView } from '../../../src/campaigns/criterion-sets/targeting-criterion.presenter.js';
import { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { TargetedByView } from '../../../src/campaigns/targeted-by/targeted-by.presenter.js';
import { TargetingCriteriaService } from '../../../src/campaigns/targeting-criteria/targeting-criteria.service.js';
import { DEVICES, TV_SHOWS } from '../../../src/campaigns/targeting-values/targeting-lists.js';
import type { TargetingType } from '../../../src/campaigns/targeting-values/targeting-types.js';
import { TargetingValues } from '../../../src/campaigns/targeting-values/targeting-values.service.js';
import { ConflictRetry } from '../../../src/common/db/query/retry.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import type { Resource } from '../../../src/common/entity/resource.entity.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { LocationOfTheUnitedStates1795600200000 } from '../../../src/migrations/1795600200000-LocationOfTheUnitedStates.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { base36Ids, listConventions, unlike } from '../../support/list-conventions.js';

useSharedApp();

describe('targeting criteria', () => {
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
      ['NETWORK_ACTIVATION_DURATION', '3', 'GTE'],
      ['WIFI_ONLY', '1', 'EQ'],
    ])('has the operator of its type where none is given: %s', async (type, value, operator) => {
      expect((await criterion(type, value)).body.data).toMatchObject({ operator_type: operator });
    });

    it('of APP_LIST excludes the apps of a list of the account', async () => {
      const { id, name } = await given.appList({ account: advertiser.account });
      const { status, body } = await criterion('APP_LIST', id.toUpperCase());
      expect(status).toBe(201);
      expect(body.data).toMatchObject({ name, targeting_value: id, operator_type: 'NE' });
      const theirs = await given.appList({ account: (await given.advertiser()).account });
      for (const value of [theirs.id, base36Ids(0)])
        expect(refusal(await criterion('APP_LIST', value))).toEqual({
          status: 404,
          errors: ['NOT_FOUND targeting_value'],
        });
      const app = await criterion('APP_LIST', 'com.example.app');
      expect(refusal(app)).toEqual(refused('INVALID_PARAMETER targeting_value'));
      expect(app.body.errors[0].hint).toMatch(/^POST app_lists with app_store_identifiers=com.example.app/);
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
});

describe('targeting criteria batch', () => {
  const US = '96683cc9126741d1';
  const SHOW = TV_SHOWS.all().find(({ locales }) => locales.join() === 'en-US')!.value;

  let advertiser: Advertiser;
  let item: { id: string };
  beforeEach(async () => {
    advertiser = await given.advertiser();
    item = await given.lineItem({ account: advertiser.account });
  });

  const path = (batch = '') => `/12${batch}/accounts/${advertiser.account.id}/targeting_criteria`;
  const batch = (json: Json) => advertiser.api.post(path('/batch'), { json });
  const creation = (targeting_type: string, targeting_value: string, more: Json = {}) => ({
    operation_type: 'Create',
    params: { line_item_id: item.id, targeting_type, targeting_value, ...more },
  });
  const deletion = (targeting_criterion_id: string) => ({
    operation_type: 'Delete',
    params: { targeting_criterion_id },
  });
  const keywords = (count: number, of = 'word') =>
    Array.from({ length: count }, (_, i) => creation('BROAD_KEYWORD', `${of} ${i}`));
  const made = async (...operations: Json[]): Promise<Json[]> => {
    const { status, body } = await batch(operations);
    expect({ status, errors: body.operation_errors }).toEqual({ status: 200 });
    return body.data;
  };
  const listed = async (line = item.id): Promise<Json[]> =>
    (await advertiser.api.get(path(), { query: { line_item_ids: line, count: 1000 } })).body.data;
  const valuesOf = (items: Json[]) => items.map(({ targeting_value: value }) => value);
  const codes = ({ operation_errors }: Json) =>
    operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => `${code} ${parameter}`));

  describe('a batch of targeting criteria', () => {
    it('answers 200 with the results in the order of the request, and what they are', async () => {
      const { status, body } = await batch([creation('LOCATION', US), creation('GENDER', '1')]);
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['data', 'data_type', 'request']);
      expect(body.data_type).toBe('targeting_criterion');
      expect(body.data).toMatchObject([
        { targeting_type: 'LOCATION', location_type: 'COUNTRY', name: 'United States' },
        { targeting_type: 'GENDER', name: 'Male' },
      ]);
      expect(body.request[1]).toEqual({
        operation_type: 'Create',
        params: {
          account_id: advertiser.account.id,
          line_item_id: item.id,
          targeting_type: 'GENDER',
          targeting_value: '1',
        },
      });
      expect(valuesOf(await listed())).toEqual(['1', US]);
    });

    it('takes an empty operator_type as not set, and a number where look-ups show one', async () => {
      const none = [creation('LOCATION', US, { operator_type: null }), creation('GENDER', '1', { operator_type: '' })];
      const data = await made(...none, creation('TV_SHOW', Number(SHOW) as unknown as string));
      expect(data.map(({ operator_type: type, targeting_value: value }) => [type, value])).toEqual([
        ['EQ', US],
        ['EQ', '1'],
        ['EQ', SHOW],
      ]);
    });

    it('takes 500 operations, and no more', async () => {
      const data = await made(...keywords(500));
      expect(valuesOf(data)).toEqual(keywords(500).map(({ params }) => params.targeting_value));
      expect(valuesOf(await listed())).toEqual(valuesOf(data).toReversed());
      const { status, body } = await batch(keywords(501, 'more'));
      expect({ status, message: body.errors?.[0].message }).toEqual({
        status: 400,
        message: 'Batch size exceeds the maximum of 500',
      });
      expect(await listed()).toHaveLength(500);
    });

    it('knows Create and Delete alone', async () => {
      const { id } = await given.targetingCriterion({ account: advertiser.account, line_item_id: item.id });
      const { status, body } = await batch([
        { operation_type: 'Update', params: { targeting_criterion_id: id, targeting_value: 'tea' } },
        deletion(id),
      ]);
      expect({ status, codes: codes(body) }).toEqual({
        status: 400,
        codes: [['INVALID_PARAMETER operation_type'], []],
      });
      expect(await listed()).toHaveLength(1);
    });

    it('creates and deletes, and what counts is what is there in the end', async () => {
      const [age] = await made(creation('AGE', 'AGE_OVER_21'));
      const [next, gone] = await made(creation('AGE', 'AGE_OVER_35'), deletion(age.id));
      expect(gone).toMatchObject({ id: age.id, deleted: true });
      const [same] = await made(creation('AGE', 'AGE_OVER_35'), creation('GENDER', '2'));
      expect(same.id).toBe(next.id);
      const [, anew] = await made(deletion(next.id), creation('AGE', 'AGE_OVER_35'));
      expect(anew.id).not.toBe(next.id);
      expect(valuesOf(await listed())).toEqual(['AGE_OVER_35', '2']);
    });

    it('answers one criterion for operations that make the same', async () => {
      const data = await made(
        creation('BROAD_KEYWORD', 'Espresso'),
        creation('BROAD_KEYWORD', 'tea'),
        creation('BROAD_KEYWORD', 'espresso '),
      );
      expect(data[2]).toEqual(data[0]);
      expect(valuesOf(await listed())).toEqual(['tea', 'Espresso']);
    });

    it('serves several line items, each judged by its own criteria', async () => {
      const other = await given.lineItem({ account: advertiser.account });
      await made(creation('AGE', 'AGE_OVER_21'));
      const { body } = await batch([
        creation('AGE', 'AGE_OVER_35', { line_item_id: other.id }),
        creation('AGE', 'AGE_OVER_35'),
      ]);
      expect(codes(body)).toEqual([[], ['INVALID_PARAMETER targeting_type']]);
      await made(creation('AGE', 'AGE_OVER_35', { line_item_id: other.id }), creation('GENDER', '1'));
      expect([valuesOf(await listed()), valuesOf(await listed(other.id))]).toEqual([
        ['1', 'AGE_OVER_21'],
        ['AGE_OVER_35'],
      ]);
    });

    it('names what is wrong with each operation, and stores nothing', async () => {
      const there = await given.targetingCriterion({ account: advertiser.account, line_item_id: item.id });
      const { status, body } = await batch([
        creation('BROAD_KEYWORD', 'fine'),
        creation('GENDER', '3'),
        creation('AGE', 'AGE_OVER_18'),
        creation('AGE', 'AGE_OVER_21'),
        creation('AGE', 'AGE_OVER_25'),
        creation('LOCATION', 'Atlantis', { line_item_id: base36Ids(0) }),
        creation('CUSTOM_AUDIENCE', base36Ids(1)),
        creation('CUSTOM_AUDIENCE', base36Ids(1), { operator_type: 'EQ' }),
        deletion(base36Ids(2)),
        deletion(there.id),
        deletion(there.id),
        { operation_type: 'Create', params: { line_item_id: base36Ids(0), targeting_type: 'GENDER' } },
      ]);
      expect({ status, codes: codes(body) }).toEqual({
        status: 400,
        codes: [
          [],
          ['INVALID_PARAMETER targeting_value'],
          [],
          ['INVALID_PARAMETER targeting_type'],
          ['INVALID_PARAMETER targeting_type'],
          ['NOT_FOUND line_item_id', 'INVALID_PARAMETER targeting_value'],
          ['MISSING_PARAMETER operator_type', 'NOT_FOUND targeting_value'],
          ['NOT_FOUND targeting_value'],
          ['NOT_FOUND targeting_criterion_id'],
          [],
          ['NOT_FOUND targeting_criterion_id'],
          ['MISSING_PARAMETER targeting_value', 'NOT_FOUND line_item_id'],
        ],
      });
      expect(await listed()).toMatchObject([{ id: there.id }]);
    });

    it('takes nothing away that something needs, unless both go', async () => {
      const [place, show] = await made(creation('LOCATION', US), creation('TV_SHOW', SHOW));
      const { body } = await batch([creation('GENDER', '1'), deletion(place.id)]);
      expect(codes(body)).toEqual([[], ['INVALID_PARAMETER targeting_criterion_id']]);
      await made(deletion(place.id), deletion(show.id), creation('GENDER', '1'));
      expect(valuesOf(await listed())).toEqual(['1']);
    });

    it('blames the operations that exceed a limit', async () => {
      await made(...keywords(500));
      await made(...keywords(498, 'more'));
      const { body } = await batch(keywords(4, 'last'));
      expect(codes(body)).toEqual([[], [], ['INVALID_PARAMETER targeting_type'], ['INVALID_PARAMETER targeting_type']]);
      await made(...keywords(2, 'last'));
      expect(await listed()).toHaveLength(1000);
    });

    it('is not stored beside another one with which it exceeds a limit', async () => {
      await made(...keywords(500));
      const answers = await Promise.all(['one', 'two', 'three'].map((of) => batch(keywords(300, of))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      expect(await listed()).toHaveLength(800);
    });

    it('does not wait in a circle for another one on the same line items', async () => {
      const { account } = advertiser;
      const others = await given.lineItems({ account, count: 4 });
      const ids = [item.id, ...others.map(({ id }) => id)];
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          batch(
            (n % 2 ? ids.toReversed() : ids).flatMap((line_item_id) => [
              creation('BROAD_KEYWORD', `word ${n}`, { line_item_id }),
              creation('BROAD_KEYWORD', 'same', { line_item_id }),
            ]),
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      for (const id of ids) expect(await listed(id)).toHaveLength(9);
    });

    it('records one change for each criterion that is new or gone', async () => {
      const [age] = await made(creation('AGE', 'AGE_OVER_21'));
      await made(deletion(age.id), creation('GENDER', '1'), creation('GENDER', '1'));
      const changes = await world().sql<Json>(
        `SELECT "changeType" AS type, "entityData"->>'targeting_value' AS value FROM account_changes
        WHERE "accountId" = $1 AND "entityType" = 'TARGETING_CRITERIA' ORDER BY id`,
        advertiser.account.id,
      );
      expect(changes).toEqual([
        { type: 'CREATE', value: 'AGE_OVER_21' },
        { type: 'DELETE', value: 'AGE_OVER_21' },
        { type: 'CREATE', value: '1' },
      ]);
    });
  });
});

describe('targeting criteria list', () => {
  const NAMES = ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'];

  describe('targeting criteria', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/targeting_criteria`,
      parent: { make: (account) => given.lineItem({ account }) },
      required: (lineItem) => ({ line_item_ids: [lineItem.id] }),
      make: (account, n, lineItem) =>
        given.targetingCriterion({
          account,
          line_item_id: lineItem.id,
          targeting_type: n < 4 ? 'BROAD_KEYWORD' : 'EXACT_KEYWORD',
          targeting_value: NAMES[n],
        }),
      makeMany: (account, count, { id }) => given.keywords({ account, count, line_item_id: id }),
      remove: ({ account }, id) => world().get(TargetingCriteriaService).delete(account, id),
      view: TargetingCriterionView,
      entity: TargetingCriterion,
      idsFilter: 'targeting_criterion_ids',
      sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    });

    const listed = async ({ account, api }: Advertiser, query: Params): Promise<Json[]> => {
      const { status, body } = await api.get(`/12/accounts/${account.id}/targeting_criteria`, { query });
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      return body.data;
    };
    const idsOf = (items: Json[]) => items.map(({ id }) => id);

    it('needs line_item_ids, of which there are 200 at most', async () => {
      const { account, api } = await given.advertiser();
      const path = `/12/accounts/${account.id}/targeting_criteria`;
      const none = await api.get(path);
      expect(none).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'MISSING_PARAMETER', parameter: 'line_item_ids' }] },
      });
      const ids = Array.from({ length: 201 }, (_, i) => base36Ids(i));
      const many = await api.get(path, { query: { line_item_ids: ids.join() } });
      expect(many).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'line_item_ids' }] },
      });
      expect((await api.get(path, { query: { line_item_ids: ids.slice(1).join() } })).body.data).toEqual([]);
    });

    it('shows those of several line items, and of no others', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const [one, two, three] = await given.lineItems({ account, count: 3 });
      const made = [];
      for (const { id } of [one, two, three]) made.push(await given.targetingCriterion({ account, line_item_id: id }));
      const ids = idsOf(await listed(advertiser, { line_item_ids: `${one.id},${three.id}` }));
      expect(ids).toEqual([made[2].id, made[0].id]);
      const other = await given.advertiser();
      expect(await listed(other, { line_item_ids: one.id })).toEqual([]);
    });

    it('shows those of a deleted line item, or campaign, only with deleted ones, still not deleted', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const [one, other] = [await given.lineItem({ account }), await given.lineItem({ account })];
      const path = `/12/accounts/${account.id}`;
      const made = [];
      for (const { id } of [one, other]) made.push(await given.targetingCriterion({ account, line_item_id: id }));
      expect((await api.delete(`${path}/line_items/${one.id}`)).status).toBe(200);
      expect((await api.delete(`${path}/campaigns/${other.campaignId}`)).status).toBe(200);
      const query = { line_item_ids: `${one.id},${other.id}` };
      expect(await listed(advertiser, query)).toEqual([]);
      expect(await listed(advertiser, { ...query, with_deleted: true })).toMatchObject([
        { id: made[1].id, deleted: false },
        { id: made[0].id, deleted: false },
      ]);
      for (const { id } of made) {
        const own = `${path}/targeting_criteria/${id}`;
        expect((await api.get(own)).status).toBe(404);
        expect(await api.get(own, { query: { with_deleted: true } })).toMatchObject({
          status: 200,
          body: { data: { id, deleted: false } },
        });
        expect((await api.delete(own)).status).toBe(404);
      }
    });

    it('says what places, languages and platforms are called in a language, where that is known', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id } = await given.lineItem({ account });
      for (const [targeting_type, targeting_value] of [
        ['LOCATION', '96683cc9126741d1'],
        ['LANGUAGE', 'fr'],
        ['PLATFORM', '4'],
        ['BROAD_KEYWORD', 'coffee'],
      ] as const)
        await given.targetingCriterion({ account, line_item_id: id, targeting_type, targeting_value });
      const names = (items: Json[]) => items.map(({ localized_name: name }) => name);
      expect(names(await listed(advertiser, { line_item_ids: id }))).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      const inGerman = await listed(advertiser, { line_item_ids: id, lang: 'de' });
      expect(names(inGerman)).toEqual([undefined, expect.any(String), 'Französisch', 'Vereinigte Staaten']);
      const place = `/12/accounts/${account.id}/targeting_criteria/${inGerman[3].id}`;
      expect((await advertiser.api.get(place, { query: { lang: 'fr' } })).body.data.localized_name).toBe('États-Unis');
      expect(await advertiser.api.get(place, { query: { lang: 'french' } })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'lang', value: 'french' }] },
      });
    });
  });
});

describe('targeting values', () => {
  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  type Pair = [type: TargetingType, value: string];
  const resolve = (pairs: Pair[]) =>
    world()
      .get(TargetingValues)
      .resolve(
        advertiser.account,
        pairs.map(([type, value]) => ({ targeting_type: type, targeting_value: value })),
      );
  /** Of each value its name, or what is wrong with it. */
  const told = async (...pairs: Pair[]) =>
    (await resolve(pairs)).values.map((each) =>
      each instanceof ApiError ? [each.status, each.code, each.detail.parameter, each.detail.value] : each.name,
    );
  const targetable = async (account = advertiser.account) => {
    const audience = await given.customAudience({ account });
    await world().sql(`UPDATE custom_audiences SET "reasonsNotTargetable" = '{}' WHERE id = $1`, audience.id);
    return audience;
  };

  describe('values that can be targeted', () => {
    it('are told in the order in which they were given, each with its name', async () => {
      const audience = await targetable();
      const campaign = await given.campaign({ account: advertiser.account, name: 'Spring' });
      const { values } = await resolve([
        ['LOCATION', '3B77CAF94BFC81FE'],
        ['CUSTOM_AUDIENCE', audience.id],
        ['BROAD_KEYWORD', ' cold  brew '],
        ['CAMPAIGN_ENGAGEMENT', campaign.id],
        ['PLATFORM', '9'],
      ]);
      expect(values.slice(0, 4)).toEqual([
        { value: '3b77caf94bfc81fe', name: 'Los Angeles, CA, US', locationType: 'CITY' },
        { value: audience.id, name: 'Custom audience targeting' },
        { value: 'cold brew', name: 'cold brew' },
        { value: campaign.id, name: 'Spring' },
      ]);
      expect(values[4]).toBeInstanceOf(ApiError);
    });

    it('of audiences are those that the account can use, and that are targetable', async () => {
      const [own, shared] = await given.partners();
      advertiser = own;
      const [audience, foreign, granted] = [
        await targetable(),
        await targetable(shared.account),
        await targetable(shared.account),
      ];
      const small = await given.customAudience({ account: own.account });
      await given.sharedAudience({ account: shared.account, audience: granted, to: own.account });
      const gone = await targetable();
      await world().get(CustomAudiencesService).delete(own.account, gone.id);
      const unknown = (id: string) => [404, 'NOT_FOUND', 'targeting_value', id];
      expect(
        await told(
          ['CUSTOM_AUDIENCE', audience.id],
          ['CUSTOM_AUDIENCE_EXPANDED', granted.id],
          ['CUSTOM_AUDIENCE', foreign.id],
          ['CUSTOM_AUDIENCE', small.id],
          ['CUSTOM_AUDIENCE', gone.id],
          ['CUSTOM_AUDIENCE', 'Not an id'],
        ),
      ).toEqual([
        'Custom audience targeting',
        'Custom audience targeting',
        unknown(foreign.id),
        [400, 'INVALID_PARAMETER', 'targeting_value', small.id],
        unknown(gone.id),
        [400, 'INVALID_PARAMETER', 'targeting_value', 'Not an id'],
      ]);
    });

    it('of followers and engagements are the FULL promotable user, of similar ones any user, publishers those of the platform', async () => {
      const reposted = await given.promotableUser(advertiser.account, 'RETWEETS_ONLY');
      const full = { userId: advertiser.user.id };
      const { user: anybody } = await given.client();
      const publisher = await given.publisher();
      const username = async (id: string) =>
        (await world().sql<{ username: string }>('SELECT username FROM users WHERE id = $1', id))[0].username;
      const name = `@${await username(full.userId)}`;
      expect(
        await told(
          ['FOLLOWERS_OF_USER', full.userId],
          ['USER_ENGAGEMENT', full.userId],
          ['USER_ENGAGEMENT_LOOKALIKE', full.userId],
          ['FOLLOWERS_OF_USER', anybody.id],
          ['USER_ENGAGEMENT', reposted.userId],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', anybody.id],
          ['CONTENT_PUBLISHER_USER', anybody.id],
          ['CONTENT_PUBLISHER_USER', publisher.userId],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', '999999999999999'],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', '99999999999999999999999'],
          ['SIMILAR_TO_FOLLOWERS_OF_USER', 'ann'],
        ),
      ).toEqual([
        name,
        name,
        name,
        [400, 'INVALID_USER_ID', 'targeting_value', anybody.id],
        [400, 'INVALID_USER_ID', 'targeting_value', reposted.userId],
        `@${await username(anybody.id)}`,
        [400, 'INVALID_PARAMETER', 'targeting_value', anybody.id],
        `@${publisher.username}`,
        [400, 'INVALID_PARAMETER', 'targeting_value', '999999999999999'],
        [400, 'INVALID_PARAMETER', 'targeting_value', '99999999999999999999999'],
        [400, 'INVALID_PARAMETER', 'targeting_value', 'ann'],
      ]);
      await world().get(PromotableUsersService).remove(advertiser.account.id, full.userId);
      expect(await told(['FOLLOWERS_OF_USER', full.userId])).toEqual([
        [400, 'INVALID_USER_ID', 'targeting_value', full.userId],
      ]);
    });

    it('of campaigns are those of the account that are not deleted', async () => {
      const [own, gone] = await given.campaigns({ account: advertiser.account, count: 2 });
      const foreign = await given.campaign({ account: (await given.advertiser()).account });
      await world().get(CampaignsService).delete(advertiser.account, gone.id);
      const answers = await told(
        ['CAMPAIGN_ENGAGEMENT', own.id],
        ['CAMPAIGN_ENGAGEMENT_LOOKALIKE', foreign.id],
        ['CAMPAIGN_ENGAGEMENT', gone.id],
      );
      expect(answers.slice(1)).toEqual([foreign, gone].map(({ id }) => [404, 'NOT_FOUND', 'targeting_value', id]));
      expect(typeof answers[0]).toBe('string');
    });

    it('are what the statement depends on that stores them', async () => {
      const audience = await targetable();
      const [campaign, other] = await given.campaigns({ account: advertiser.account, count: 2 });
      const full = (await world().get(PromotableUserCache).find(advertiser.account))!;
      const pairs: Pair[] = [
        ['CUSTOM_AUDIENCE', audience.id],
        ['CAMPAIGN_ENGAGEMENT', campaign.id],
        ['FOLLOWERS_OF_USER', full.userId],
        ['LOCATION', '96683cc9126741d1'],
      ];
      const { required } = await resolve(pairs);
      const db = world().get(DataSource).manager;
      const copy = { ...other, id: '0zzzzzzzzzzz1', name: 'a copy' };
      const store = () => write(db, [insert(Campaign, [copy])], required);
      const remove = () => world().sql('DELETE FROM campaigns WHERE id = $1', copy.id);
      for (const [table, id] of [
        ['custom_audiences', audience.id],
        ['campaigns', campaign.id],
        ['promotable_users', full.id],
        ['users', full.userId],
      ]) {
        await world().sql(`UPDATE ${table} SET "deletedAt" = now() WHERE id = $1`, id);
        await expect(store()).rejects.toBeInstanceOf(ConflictRetry);
        await world().sql(`UPDATE ${table} SET "deletedAt" = NULL WHERE id = $1`, id);
      }
      await store();
      await remove();
      expect((await resolve([['LOCATION', '96683cc9126741d1']])).required).toEqual([]);
    });
  });

  describe('the value of the United States', () => {
    const [before, known] = ['618435d5e02f0857', '96683cc9126741d1'];
    const migration = new LocationOfTheUnitedStates1795600200000();
    /** The embedded store has one connection, which has to be given back before anything else is asked. */
    const migrating = async (step: (runner: QueryRunner) => Promise<void>) => {
      const runner = world().get(DataSource).createQueryRunner();
      try {
        await step(runner);
      } finally {
        await runner.release();
      }
    };
    const traits = async (username: string) =>
      (
        await world().sql<{ traits: string[] }>(
          'SELECT d.traits FROM directory_users d JOIN users u ON u.id = d."userId" WHERE u.username = $1',
          username,
        )
      )[0].traits;

    it('is that which clients know, also of people who were stored with another', async () => {
      const directory = world().get(DirectoryImportService);
      const people = [
        { username: 'stored_before', locations: [before], interests: ['5001'] },
        { username: 'stored_with_both', locations: [before, known] },
        { username: 'stored_elsewhere', locations: ['6900329d162cb17c'] },
      ];
      await directory.store(people.map((each) => directory.read(each)));
      await migrating((runner) => migration.up(runner));
      expect(new Set(await traits('stored_before'))).toEqual(new Set([`L:${known}`, 'I:5001']));
      expect(await traits('stored_with_both')).toEqual([`L:${known}`]);
      expect(await traits('stored_elsewhere')).toEqual(['L:6900329d162cb17c']);
      await migrating((runner) => migration.down(runner));
      expect(await traits('stored_with_both')).toEqual([`L:${before}`]);
    });
  });
});

describe('targeted by', () => {
  let owner: Advertiser;
  let partner: Advertiser;
  let audience: { id: string };
  let place: { lineItem: { id: string }; permission: { id: string } };
  beforeEach(async () => {
    [owner, partner] = await given.partners();
    audience = await given.targetableAudience({ account: owner.account });
  });

  const criteria = ({ account }: Advertiser, id?: string) =>
    `/12/accounts/${account.id}/targeting_criteria${id ? `/${id}` : ''}`;
  const target = (by: Advertiser, { id: line_item_id }: { id: string }, more: Params = {}) =>
    by.api.post(criteria(by), {
      query: {
        line_item_id,
        targeting_type: 'CUSTOM_AUDIENCE',
        targeting_value: audience.id,
        operator_type: 'EQ',
        ...more,
      },
    });
  const targeted = (by: Advertiser, query: Params = {}, id = audience.id) =>
    by.api.get(`/12/accounts/${by.account.id}/custom_audiences/${id}/targeted`, { query });
  const shown = async (by: Advertiser, query: Params = {}): Promise<Json[]> => (await targeted(by, query)).body.data;
  const share = () =>
    given.sharedAudience({ account: owner.account, audience, to: partner.account, level: 'READ_ONLY' });
  const revoke = ({ id }: { id: string }) =>
    world().get(AudiencePermissionsService).revoke(owner.account, audience.id, id, CUSTOM);
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
  });
  /** A line item that can serve: it has something to show, and so has its campaign. */
  async function servable(by: Advertiser, campaign_id?: string) {
    const campaign = campaign_id ?? (await given.campaign({ account: by.account })).id;
    const item = await given.lineItem({ account: by.account, campaign_id: campaign });
    await world().sql('UPDATE line_items SET creatives = 1 WHERE id = $1', item.id);
    await world().sql('UPDATE campaigns SET complete = true WHERE id = $1', campaign);
    return item;
  }

  describe('an audience', () => {
    it('is targeted, and left out, by its name for all audiences', async () => {
      const [one, other] = await given.lineItems({ account: owner.account, count: 2 });
      const answer = await target(owner, one);
      expect(answer).toMatchObject({ status: 201, body: { data: { name: 'Custom audience targeting' } } });
      expect((await target(owner, other, { operator_type: 'NE' })).status).toBe(201);
      const both = await target(owner, one, { targeting_type: 'CUSTOM_AUDIENCE_EXPANDED' });
      expect(refusal(both)).toEqual({ status: 400, errors: ['INVALID_PARAMETER targeting_value'] });
    });

    it('has to be targetable', async () => {
      const empty = await given.customAudience({ account: owner.account });
      const item = await given.lineItem({ account: owner.account });
      const { status, body } = await target(owner, item, { targeting_value: empty.id });
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 400,
        error: { code: 'INVALID_PARAMETER', parameter: 'targeting_value', value: empty.id },
      });
    });

    it('of another account is targeted while it is shared; what targets it by then goes on', async () => {
      const item = await servable(partner);
      const other = await given.lineItem({ account: partner.account });
      const unknown = { status: 404, errors: ['NOT_FOUND targeting_value'] };
      expect(refusal(await target(partner, item))).toEqual(unknown);
      const permission = await share();
      const { data } = (await target(partner, item)).body;
      expect(await shown(partner)).toMatchObject([{ line_items: [{ id: item.id, servable: true }] }]);
      await revoke(permission);
      expect((await partner.api.get(criteria(partner, data.id))).body.data).toEqual(data);
      expect(refusal(await target(partner, other))).toEqual(unknown);
      expect(refusal(await target(partner, item))).toEqual(unknown);
      expect(refusal(await targeted(partner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
      const line = (await partner.api.get(`/12/accounts/${partner.account.id}/line_items/${item.id}`)).body.data;
      expect(line).toMatchObject({ servable: true });
      await share();
      expect((await target(partner, other)).status).toBe(201);
      expect((await partner.api.delete(criteria(partner, data.id))).status).toBe(200);
    });

    it('that is deleted is targeted still where it was, and nowhere else', async () => {
      const [item, other] = await given.lineItems({ account: owner.account, count: 2 });
      const { data } = (await target(owner, item)).body;
      const gone = await owner.api.delete(`/12/accounts/${owner.account.id}/custom_audiences/${audience.id}`);
      expect(gone.status).toBe(200);
      expect((await owner.api.get(criteria(owner, data.id))).body.data).toEqual(data);
      expect(refusal(await target(owner, other))).toEqual({ status: 404, errors: ['NOT_FOUND targeting_value'] });
      expect(refusal(await targeted(owner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
      expect((await owner.api.delete(criteria(owner, data.id))).status).toBe(200);
    });

    it.each([
      ['line item', LineItem, () => place.lineItem.id, ['NOT_FOUND line_item_id']],
      ['audience', CustomAudience, () => audience.id, ['NOT_FOUND targeting_value']],
      ['permission', AudiencePermission, () => place.permission.id, ['NOT_FOUND targeting_value']],
    ])('is not targeted while the %s is being deleted', async (_, entity: Type<Resource>, id, errors) => {
      place = { lineItem: await given.lineItem({ account: partner.account }), permission: await share() };
      let answering: Promise<Answer>;
      await world()
        .get(DataSource)
        .transaction(async (tx) => {
          const gone = rows(tx, entity).ofAllAccounts().where('id', id());
          await gone.clone().setLock('pessimistic_write').getMany();
          const at = new Date(world().clock.now().getTime() + 1_000).toISOString();
          await gone.update({ deletedAt: at, updatedAt: at });
          // it reads what is stored so far, and has to wait before it stores
          answering = target(partner, place.lineItem);
          await setTimeout(300);
        });
      expect(refusal(await answering!)).toEqual({ status: 404, errors });
      expect(await world().sql('SELECT 1 FROM targeting_criteria WHERE "lineItemId" = $1', place.lineItem.id)).toEqual(
        [],
      );
    });
  });

  describe('what targets an audience', () => {
    it('answers campaigns with the line items that name it, the newest first', async () => {
      const first = await servable(owner);
      const second = await servable(owner, first.campaignId);
      const third = await servable(owner);
      await servable(owner);
      for (const item of [first, second, third]) await target(owner, item);
      const { status, body } = await targeted(owner);
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['data', 'next_cursor', 'request']);
      expect(body.request.params).toEqual({ account_id: owner.account.id, custom_audience_id: audience.id });
      expect(body.next_cursor).toBeNull();
      const campaign = async (id: string) =>
        (await owner.api.get(`/12/accounts/${owner.account.id}/campaigns/${id}`)).body.data;
      expect(body.data).toEqual([
        {
          campaign_id: third.campaignId,
          campaign_name: (await campaign(third.campaignId)).name,
          line_items: [{ id: third.id, name: third.name, servable: true }],
        },
        {
          campaign_id: first.campaignId,
          campaign_name: (await campaign(first.campaignId)).name,
          line_items: [
            { id: second.id, name: second.name, servable: true },
            { id: first.id, name: first.name, servable: true },
          ],
        },
      ]);
      for (const each of body.data) expect(unlike(TargetedByView, each)).toEqual([]);
    });

    it('leaves out what cannot serve, unless with_active is false', async () => {
      const served = await servable(owner);
      const bare = await given.lineItem({ account: owner.account, campaign_id: served.campaignId });
      const paused = await given.lineItem({ account: owner.account, entity_status: 'PAUSED' });
      for (const item of [served, bare, paused]) await target(owner, item);
      const idsOf = (data: Json[]) => data.map(({ line_items: items }) => items.map(({ id }: Json) => id));
      expect(idsOf(await shown(owner))).toEqual([[served.id]]);
      expect(idsOf(await shown(owner, { with_active: true }))).toEqual([[served.id]]);
      // as after a test clock that was beyond its end
      await world().sql('UPDATE line_items SET counted = false WHERE "accountId" = $1', owner.account.id);
      expect(idsOf(await shown(owner))).toEqual([[served.id]]);
      const all = await shown(owner, { with_active: false });
      expect(idsOf(all)).toEqual([[paused.id], [bare.id, served.id]]);
      expect(all[1].line_items.map(({ servable: is }: Json) => is)).toEqual([false, true]);
      expect(refusal(await targeted(owner, { with_active: 'maybe' }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER with_active'],
      });
    });

    it('counts criteria of either type, wanted or not, until they or their line items are deleted', async () => {
      const items = [await servable(owner), await servable(owner), await servable(owner), await servable(owner)];
      const [meant, not, expanded, gone] = items;
      const made = [
        await target(owner, meant),
        await target(owner, not, { operator_type: 'NE' }),
        await target(owner, expanded, { targeting_type: 'CUSTOM_AUDIENCE_EXPANDED' }),
        await target(owner, gone),
      ];
      const campaigns = async () => (await shown(owner, { with_active: false })).map(({ campaign_id: id }) => id);
      expect(await campaigns()).toEqual(items.map(({ campaignId }) => campaignId).reverse());
      await owner.api.delete(criteria(owner, made[1].body.data.id));
      await owner.api.delete(`/12/accounts/${owner.account.id}/line_items/${gone.id}`);
      await owner.api.delete(`/12/accounts/${owner.account.id}/campaigns/${expanded.campaignId}`);
      expect(await campaigns()).toEqual([meant.campaignId]);
    });

    it('shows an account its own campaigns alone, of audiences that it can see', async () => {
      const [mine, theirs] = [await servable(owner), await servable(partner)];
      expect(refusal(await targeted(partner))).toEqual({ status: 404, errors: ['NOT_FOUND custom_audience_id'] });
      await share();
      await target(owner, mine);
      await target(partner, theirs);
      expect(await shown(owner)).toMatchObject([{ campaign_id: mine.campaignId }]);
      expect(await shown(partner)).toMatchObject([{ campaign_id: theirs.campaignId }]);
      expect(await shown(owner)).toHaveLength(1);
      expect(await shown(partner)).toHaveLength(1);
      const unknown = { status: 404, errors: ['NOT_FOUND custom_audience_id'] };
      expect(refusal(await targeted(owner, {}, base36Ids(0)))).toEqual(unknown);
      expect(refusal(await targeted(await given.advertiser()))).toEqual(unknown);
    });

    it('pages by 200 campaigns, each exactly once', async () => {
      const campaigns = await given.campaigns({ account: owner.account, count: 203, entity_status: 'PAUSED' });
      const items = await Promise.all(
        campaigns.map(({ id }) => given.lineItem({ account: owner.account, campaign_id: id, entity_status: 'PAUSED' })),
      );
      const left = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audience.id, operator_type: 'NE' };
      const json = items.map(({ id }) => ({ operation_type: 'Create', params: { line_item_id: id, ...left } }));
      const { status } = await owner.api.post(`/12/batch/accounts/${owner.account.id}/targeting_criteria`, { json });
      expect(status).toBe(200);
      const first = (await targeted(owner, { with_active: false })).body;
      expect(first.data).toHaveLength(200);
      const rest = (await targeted(owner, { with_active: false, cursor: first.next_cursor })).body;
      expect(rest.next_cursor).toBeNull();
      const ids = [...first.data, ...rest.data].map(({ campaign_id: id }) => id);
      expect(ids).toEqual(campaigns.map(({ id }) => id).reverse());
      for (const query of [{ cursor: 'x' }, { cursor: first.next_cursor }]) {
        expect(refusal(await targeted(owner, query))).toEqual({ status: 400, errors: ['INVALID_PARAMETER cursor'] });
      }
      expect(await shown(owner)).toEqual([]);
    }, 60_000);
  });
});
