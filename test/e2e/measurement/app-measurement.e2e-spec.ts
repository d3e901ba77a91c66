import { AppEventTag } from '../../../src/app-measurement/app-event-tags/app-event-tag.entity.js';
import { AppEventTagView } from '../../../src/app-measurement/app-event-tags/app-event-tag.presenter.js';
import { AppEventTagsService } from '../../../src/app-measurement/app-event-tags/app-event-tags.service.js';
import { AppList } from '../../../src/app-measurement/app-lists/app-list.entity.js';
import { AppListItemView } from '../../../src/app-measurement/app-lists/app-list.presenter.js';
import { AppListsService } from '../../../src/app-measurement/app-lists/app-lists.service.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { listConventions } from '../../support/list-conventions.js';

useSharedApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const at = (resource: string, id?: string) => `/12/accounts/${advertiser.account.id}/${resource}${id ? `/${id}` : ''}`;
const create = (resource: string, params: Params) => advertiser.api.post(at(resource), { query: params });
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
});
const times = { created_at: expect.any(String), updated_at: expect.any(String), deleted: false };

/** Copies of one row with other ids. */
async function copies(table: string, { id }: { id: string }, count: number) {
  await world().sql(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object('id', lpad(n::text, 13, '0')))).*
      FROM ${table} r, generate_series(1, $2::int) n WHERE r.id = $1`,
    id,
    count - 1,
  );
}

/** What is deleted is read only as deleted, and not by others; each resource has its own word for 404. */
async function expectDeletable(resource: string, id: string, code: string, parameter: string) {
  const gone = { status: 404, errors: [[code, parameter]] };
  expect((await advertiser.api.get(at(resource, id))).body.data).toMatchObject({ id, deleted: false });
  expect((await advertiser.api.delete(at(resource, id))).body.data).toMatchObject({ id, deleted: true });
  expect(refusal(await advertiser.api.delete(at(resource, id)))).toEqual(gone);
  expect(refusal(await advertiser.api.get(at(resource, id)))).toEqual(gone);
  const read = await advertiser.api.get(at(resource, id), { query: { with_deleted: true } });
  expect(read.body.data).toMatchObject({ id, deleted: true });
  const other = await given.advertiser();
  expect((await other.api.get(`/12/accounts/${other.account.id}/${resource}/${id}`)).status).toBe(404);
}

/** Of ten that are made at once, one has room. */
async function expectLimit(resource: string, params: Params, kind: string, code: string) {
  expect((await create(resource, params)).status).toBe(201);
  await world().sql(`UPDATE counters SET "limit" = 2 WHERE "ownerId" = $1 AND kind = $2`, advertiser.account.id, kind);
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(resource, params)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(400)]);
  expect(refusal(answers.find(({ status }) => status === 400)!).errors).toEqual([[code, 'account_id']]);
}

describe('app event tags', () => {
  const INSTALL = {
    app_store_identifier: 'com.example.shop',
    os_type: 'ANDROID',
    conversion_type: 'INSTALL',
    provider_app_event_id: '<event> 1',
    provider_app_event_name: 'Install',
  };

  listConventions({
    path: (account) => `/12/accounts/${account.id}/app_event_tags`,
    make: (account) => given.appEventTag({ account }),
    makeMany: async (account: ActingAccount, count) =>
      copies('app_event_tags', await given.appEventTag({ account }), count),
    remove: ({ account }, id) => world().get(AppEventTagsService).delete(account, id),
    view: AppEventTagView,
    entity: AppEventTag,
    idsFilter: 'app_event_tag_ids',
  });

  it('are created with the windows of X, or others, and deleted', async () => {
    const { status, body } = await create('app_event_tags', INSTALL);
    expect({ status, data: body.data }).toEqual({
      status: 201,
      data: {
        id: expect.any(String),
        ...INSTALL,
        deep_link_scheme: null,
        post_engagement_attribution_window: 30,
        post_view_attribution_window: 1,
        retargeting_enabled: true,
        status: 'TRACKING',
        last_tracked_at: null,
        ...times,
      },
    });
    const other = {
      app_store_identifier: '284882215',
      os_type: 'IOS',
      deep_link_scheme: 'shop://',
      post_engagement_attribution_window: 7,
      post_view_attribution_window: 0,
      retargeting_enabled: false,
    };
    expect((await create('app_event_tags', { ...INSTALL, ...other })).body.data).toMatchObject(other);
    await expectDeletable('app_event_tags', body.data.id, 'APP_EVENT_TAG_NOT_FOUND', 'app_event_tag_id');
  });

  it.each([
    [{ app_store_identifier: undefined }, 'MISSING_PARAMETER', 'app_store_identifier'],
    [{ app_store_identifier: '284882215' }, 'INVALID_PARAMETER', 'app_store_identifier'],
    [{ os_type: 'Android' }, 'INVALID_PARAMETER', 'os_type'],
    [{ conversion_type: 'INSTALLS' }, 'INVALID_PARAMETER', 'conversion_type'],
    [{ provider_app_event_id: ' ' }, 'INVALID_PARAMETER', 'provider_app_event_id'],
    [{ provider_app_event_name: undefined }, 'MISSING_PARAMETER', 'provider_app_event_name'],
    [{ deep_link_scheme: '2 shops' }, 'INVALID_PARAMETER', 'deep_link_scheme'],
    [{ post_engagement_attribution_window: 0 }, 'INVALID_PARAMETER', 'post_engagement_attribution_window'],
    [{ post_view_attribution_window: 2 }, 'INVALID_PARAMETER', 'post_view_attribution_window'],
    [{ retargeting_enabled: 'maybe' }, 'INVALID_PARAMETER', 'retargeting_enabled'],
  ])('are not created with %j', async (params, code, parameter) => {
    const answer = await create('app_event_tags', { ...INSTALL, ...params });
    expect(refusal(answer)).toEqual({ status: 400, errors: [[code, parameter]] });
  });

  it('are at most as many as the limit of the account', () =>
    expectLimit('app_event_tags', INSTALL, 'app event tags', 'TOO_MANY_APP_EVENT_TAGS'));
});

describe('app lists', () => {
  const APPS = { name: 'Apps of competitors', app_store_identifiers: 'com.example.tea,284882215' };

  listConventions({
    path: (account) => `/12/accounts/${account.id}/app_lists`,
    make: (account) => given.appList({ account }),
    makeMany: async (account: ActingAccount, count) => copies('app_lists', await given.appList({ account }), count),
    remove: ({ account }, id) => world().get(AppListsService).delete(account, id),
    view: AppListItemView,
    entity: AppList,
    idsFilter: 'app_list_ids',
  });

  it('are created with the system of each app, listed without apps, and deleted', async () => {
    const { status, body } = await create('app_lists', APPS);
    const item = { id: expect.any(String), name: APPS.name, ...times };
    const apps = [
      { app_store_identifier: 'com.example.tea', os_type: 'Android' },
      { app_store_identifier: '284882215', os_type: 'iOS' },
    ];
    expect({ status, data: body.data }).toEqual({ status: 201, data: { ...item, apps } });
    expect((await advertiser.api.get(at('app_lists'))).body.data).toEqual([item]);
    expect((await advertiser.api.get(at('app_lists', body.data.id))).body.data).toEqual(body.data);
    await expectDeletable('app_lists', body.data.id, 'NOT_FOUND', 'app_list_id');
  });

  it('have up to 500 apps, with up to 20,000 characters', async () => {
    const apps = (count: number, length = 0) =>
      Array.from({ length: count }, (_, i) => `com.example.a${String(i).padStart(length, '0')}`).join();
    const form = { name: 'Many', app_store_identifiers: apps(500) };
    const made = await advertiser.api.post(at('app_lists'), { form });
    expect({ status: made.status, apps: made.body.data.apps.length }).toEqual({ status: 201, apps: 500 });
    for (const app_store_identifiers of [apps(501), apps(200, 100), 'com.example.tea,', 'tea', '0']) {
      const answer = await advertiser.api.post(at('app_lists'), { form: { ...form, app_store_identifiers } });
      expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'app_store_identifiers']] });
    }
  });

  it('are at most as many as the limit of the account', () =>
    expectLimit('app_lists', APPS, 'app lists', 'TOO_MANY_APP_LISTS'));
});

describe('app event provider configurations', () => {
  const RESOURCE = 'app_event_provider_configurations';
  const PROVIDER = { provider_advertiser_id: '<northwind>' };

  it('are one for each account, also where many are made at once, and one more after a deletion', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(RESOURCE, PROVIDER)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(400)]);
    expect(refusal(answers.find(({ status }) => status === 400)!).errors).toEqual([
      ['INVALID_PARAMETER', 'provider_advertiser_id'],
    ]);
    const { data } = answers.find(({ status }) => status === 201)!.body;
    expect(data).toEqual({
      id: expect.any(String),
      provider_name: expect.stringMatching(/./),
      ...PROVIDER,
      provider_advertiser_identifier: PROVIDER.provider_advertiser_id,
      ...times,
    });
    await expectDeletable(
      RESOURCE,
      data.id,
      'APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND',
      'app_event_provider_configuration_id',
    );
    const next = await create(RESOURCE, PROVIDER);
    expect(next.status).toBe(201);
    expect((await create(RESOURCE, { provider_advertiser_id: 'another' })).status).toBe(400);
    const list = async (query: Params) =>
      (await advertiser.api.get(at(RESOURCE), { query })).body.data.map(({ id }: Json) => id);
    expect(await list({})).toEqual([next.body.data.id]);
    expect(await list({ with_deleted: true })).toEqual([next.body.data.id, data.id]);
    expect(await list({ with_deleted: true, ids: data.id })).toEqual([data.id]);
    expect(await list({ ids: data.id })).toEqual([]);
  });

  it('need an id of the advertiser', async () => {
    expect(refusal(await create(RESOURCE, {}))).toEqual({
      status: 400,
      errors: [['MISSING_PARAMETER', 'provider_advertiser_id']],
    });
  });
});
