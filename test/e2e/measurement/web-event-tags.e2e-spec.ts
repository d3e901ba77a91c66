import { WebEventTag } from '../../../src/measurement/entities/web-event-tag.entity.js';
import { WebEventTagView } from '../../../src/measurement/web-event-tags/web-event-tag.presenter.js';
import { WebEventTagsService } from '../../../src/measurement/web-event-tags/web-event-tags.service.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';
import { CHANGED, listConventions, unlike } from '../../support/list-conventions.js';

useSharedApp();

const NAMES = ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'];

describe('web event tags', () => {
  const PURCHASE = {
    name: 'Bought beans',
    type: 'PURCHASE',
    click_window: 30,
    view_through_window: 1,
    retargeting_enabled: true,
  };

  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const path = (id?: string) => `/12/accounts/${advertiser.account.id}/web_event_tags${id ? `/${id}` : ''}`;
  const create = (params: Params) => advertiser.api.post(path(), { query: params });
  const update = (id: string, params: Params) => advertiser.api.put(path(id), { query: params });
  const made = async (params: Params = {}): Promise<Json> => {
    const { status, body } = await create({ ...PURCHASE, ...params });
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
  });
  const refusedAs = (...errors: [code: string, parameter: string][]) => ({ status: 400, errors });
  const NOT_FOUND = { status: 404, errors: [['WEB_EVENT_TAG_NOT_FOUND', 'web_event_tag_id']] };

  listConventions({
    path: (account) => `/12/accounts/${account.id}/web_event_tags`,
    make: (account, n) => given.webEventTag({ account, name: NAMES[n] }),
    makeMany: async (account, count) => {
      for (let n = 0; n < count; n++) await given.webEventTag({ account });
    },
    remove: ({ account }, id) => world().get(WebEventTagsService).delete(account, id),
    view: WebEventTagView,
    entity: WebEventTag,
    idsFilter: 'web_event_tag_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    hidden: { updated_at: (n) => CHANGED[n] },
  });

  it('are created with the pixel of the account', async () => {
    const { status, body } = await create(PURCHASE);
    expect(status).toBe(201);
    expect(unlike(WebEventTagView, body.data)).toEqual([]);
    const { id, website_tag_id } = body.data;
    expect(body.data).toEqual({
      id,
      ...PURCHASE,
      embed_code: expect.stringContaining(`twq('event','tw-${website_tag_id}-${id}'`),
      website_tag_id: expect.stringMatching(/^[0-9a-z]+$/),
      status: 'UNVERIFIED',
      last_tracked_at: null,
      deleted: false,
    });
    expect((await advertiser.api.get(path(id))).body.data).toEqual(body.data);
    expect((await made({ type: 'SIGN_UP' })).website_tag_id).toBe(website_tag_id);
    advertiser = await given.advertiser();
    expect((await made()).website_tag_id).not.toBe(website_tag_id);
  });

  it.each([
    [{ name: undefined }, ['MISSING_PARAMETER', 'name']],
    [{ name: ' ' }, ['INVALID_PARAMETER', 'name']],
    [{ name: 'x'.repeat(256) }, ['INVALID_PARAMETER', 'name']],
    [{ type: undefined }, ['MISSING_PARAMETER', 'type']],
    [{ type: 'LANDING_PAGE_VIEW' }, ['INVALID_PARAMETER', 'type']],
    [{ click_window: undefined }, ['MISSING_PARAMETER', 'click_window']],
    [{ click_window: '0' }, ['INVALID_PARAMETER', 'click_window']],
    [{ click_window: '60' }, ['INVALID_PARAMETER', 'click_window']],
    [{ click_window: 'ONE' }, ['INVALID_PARAMETER', 'click_window']],
    [{ view_through_window: undefined }, ['MISSING_PARAMETER', 'view_through_window']],
    [{ view_through_window: '2' }, ['INVALID_PARAMETER', 'view_through_window']],
    [{ click_window: '7', view_through_window: '14' }, ['INVALID_PARAMETER', 'view_through_window']],
    [{ retargeting_enabled: undefined }, ['MISSING_PARAMETER', 'retargeting_enabled']],
    [{ retargeting_enabled: 'maybe' }, ['INVALID_PARAMETER', 'retargeting_enabled']],
  ] as [Params, [string, string]][])('are not created with %j', async (params, error) => {
    expect(refusal(await create({ ...PURCHASE, ...params }))).toEqual(refusedAs(error));
  });

  it('name the windows that are allowed, and every problem', async () => {
    const { body } = await create({ ...PURCHASE, type: 'x', click_window: '60' });
    expect(body.errors).toMatchObject([
      { parameter: 'type' },
      { parameter: 'click_window', message: expect.stringContaining('1, 7, 14, 30') },
    ]);
  });

  it('are changed one field at a time, within their windows', async () => {
    const { id } = await made({ click_window: '7', view_through_window: '7' });
    expect((await update(id, { name: 'Renamed', type: 'CUSTOM' })).body.data).toMatchObject({
      name: 'Renamed',
      type: 'CUSTOM',
      click_window: 7,
      retargeting_enabled: true,
    });
    expect(refusal(await update(id, { click_window: '1' }))).toEqual(
      refusedAs(['INVALID_PARAMETER', 'view_through_window']),
    );
    expect(refusal(await update(id, { view_through_window: '14', type: 'x' })).errors).toEqual([
      ['INVALID_PARAMETER', 'type'],
      ['INVALID_PARAMETER', 'view_through_window'],
    ]);
    const { body } = await update(id, { view_through_window: '0', click_window: '1', retargeting_enabled: 'false' });
    expect(body.data).toMatchObject({ click_window: 1, view_through_window: 0, retargeting_enabled: false });
  });

  it('are deleted once, and read only as deleted', async () => {
    const { id } = await made();
    expect((await advertiser.api.delete(path(id))).body.data).toMatchObject({ id, deleted: true });
    expect(refusal(await advertiser.api.delete(path(id)))).toEqual(NOT_FOUND);
    expect(refusal(await advertiser.api.get(path(id)))).toEqual(NOT_FOUND);
    expect(refusal(await update(id, { name: 'Late' }))).toEqual(NOT_FOUND);
    const { body } = await advertiser.api.get(path(id), { query: { with_deleted: true } });
    expect(body.data).toMatchObject({ id, deleted: true });
    const foreign = await given.webEventTag(await given.advertiser());
    expect(refusal(await advertiser.api.get(path(foreign.id)))).toEqual(NOT_FOUND);
  });

  it('are at most as many as the limit of the account', async () => {
    await made();
    await world().sql(
      `UPDATE counters SET "limit" = 2 WHERE "ownerId" = $1 AND kind = 'web event tags'`,
      advertiser.account.id,
    );
    const answers = await Promise.all([1, 2, 3].map(() => create(PURCHASE)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    const [refused] = answers.filter(({ status }) => status === 400);
    expect(refusal(refused)).toEqual(refusedAs(['TOO_MANY_WEB_EVENT_TAGS', 'account_id']));
  });

  it('have a history', async () => {
    const { id } = await made();
    await update(id, { click_window: '14' });
    await advertiser.api.delete(path(id));
    const changes = await world().sql<{ type: string; changes: Json }>(
      `SELECT "changeType" AS type, changes FROM account_changes WHERE "accountId" = $1 AND "entityId" = $2 ORDER BY id`,
      advertiser.account.id,
      id,
    );
    expect(changes.map(({ type }) => type)).toEqual(['CREATE', 'UPDATE', 'DELETE']);
    expect(changes[1].changes).toEqual({ click_window: { old: 30, new: 14 } });
  });
});
