import { CustomAudienceView } from '../../../src/audiences/custom-audiences/custom-audience.presenter.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { listConventions, unlike } from '../../support/list-conventions.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';

useApp();

const NOBODY = '0zzzzzzzzzzzz';

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id?: string, account = advertiser.account) =>
  `/12/accounts/${account.id}/custom_audiences${id ? `/${id}` : ''}`;
const create = (params: Params, by = advertiser) => by.api.post(path(undefined, by.account), { query: params });
const update = (id: string, params: Params) => advertiser.api.put(path(id), { query: params });
const made = async (params: Params = { name: 'Readers' }, by = advertiser): Promise<Json> => {
  const { status, body } = await create(params, by);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter, message }: Json) => [code, parameter, message]),
});
const TAKEN = { status: 400, errors: [['INVALID_PARAMETER', 'name', 'Audience name already in use']] };
const history = () =>
  world().sql<{ type: string; changes: Json }>(
    `SELECT "changeType" AS type, changes FROM account_changes c
      WHERE "accountId" = $1 AND "entityType" = 'CUSTOM_AUDIENCE'
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
    advertiser.account.id,
  );

describe('custom audiences', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/custom_audiences`,
    // A name is taken once, but case counts: those alike differ in it.
    make: (account, n) =>
      given.customAudience({
        account,
        name: ['Gamma', 'beta', 'Alpha', 'alphabet', 'ALPHA', 'Äpfel', 'gamma', 'Beta', 'Alpine'][n],
      }),
    makeMany: async (account, count) => {
      for (let n = 0; n < count; n++) await given.customAudience({ account });
    },
    remove: ({ account }, id) => world().get(CustomAudiencesService).delete(account, id),
    view: CustomAudienceView,
    entity: CustomAudience,
    idsFilter: 'custom_audience_ids',
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    q: true,
  });
});

describe('creating a custom audience', () => {
  it('answers 201 with an audience that nobody is in yet', async () => {
    const { status, body } = await create({ name: 'Readers', description: 'of last year' });
    expect(status).toBe(201);
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      name: 'Readers',
      description: 'of last year',
    });
    expect(unlike(CustomAudienceView, body.data)).toEqual([]);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{11,13}$/),
      name: 'Readers',
      description: 'of last year',
      audience_type: 'CRM',
      targetable: false,
      targetable_types: ['CRM', 'EXCLUDED_CRM'],
      reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
      permission_level: 'READ_WRITE',
      owner_account_id: advertiser.account.id,
      is_owner: true,
      partner_source: 'OTHER',
      audience_size: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.data.created_at,
      deleted: false,
    });
    // read at once, as clients do
    expect((await advertiser.api.get(path(body.data.id))).body.data).toEqual(body.data);
  });

  it('takes parameters from a form, and an empty description for none', async () => {
    const { body } = await advertiser.api.post(path(), { form: { name: 'Form', description: '' } });
    expect(body.data).toMatchObject({ name: 'Form', description: null });
  });

  it.each([
    ['no name', {}, 'MISSING_PARAMETER'],
    ['an empty name', { name: '' }, 'INVALID_PARAMETER'],
    ['a name of nothing but spaces', { name: '   ' }, 'INVALID_PARAMETER'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'INVALID_PARAMETER'],
  ])('refuses %s', async (_, params, code) => {
    const { status, body } = await create(params);
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ code, parameter: 'name' }] });
  });

  it('refuses a name that another audience of the account has, after trimming', async () => {
    await made({ name: 'Readers' });
    expect(refusal(await create({ name: 'Readers' }))).toEqual(TAKEN);
    expect(refusal(await create({ name: '  Readers ' }))).toEqual(TAKEN);
    expect((await made({ name: 'readers' })).name).toBe('readers');
    // another account's names are its own
    await made({ name: 'Readers' }, await given.advertiser());
  });

  it('lets one of many have a name that all ask for at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Wanted' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(refusal(answer)).toEqual(TAKEN);
    const { body } = await advertiser.api.get(path(), { query: { q: 'wanted' } });
    expect(body.data).toHaveLength(1);
  });

  it('stores nothing in an account that was deleted, however the guard remembers it', async () => {
    const sandbox = await given.advertiser({ environment: 'sandbox' });
    await made({ name: 'Before' }, sandbox);
    await world().get(AccountsService).delete(sandbox.account);
    const { status, body } = await create({ name: 'After' }, sandbox);
    expect({ status, errors: body.errors }).toMatchObject({ status: 404, errors: [{ parameter: 'account_id' }] });

    const racing = await given.advertiser({ environment: 'sandbox' });
    await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => create({ name: `Race ${n}` }, racing)),
      world().get(AccountsService).delete(racing.account),
      ...Array.from({ length: 10 }, (_, n) => create({ name: `Late ${n}` }, racing)),
    ]);
    const younger = await world().sql(
      `SELECT c.id FROM custom_audiences c JOIN accounts a ON a.id = c."accountId"
        WHERE a.id = $1 AND c."createdAt" > a."deletedAt"`,
      racing.account.id,
    );
    expect(younger).toEqual([]);
  });

  it('is for those who manage campaigns', async () => {
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await create({ name: 'No' }, analyst)).status).toBe(403);
    expect((await analyst.api.get(path())).status).toBe(200);
  });
});

describe('updating a custom audience', () => {
  it('changes what is sent, and records it once', async () => {
    const { id, updated_at } = await made({ name: 'Readers', description: 'all' });
    const { status, body } = await update(id, { name: 'Subscribers' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, name: 'Subscribers', description: 'all' });
    expect((await update(id, { description: '' })).body.data).toMatchObject({ name: 'Subscribers', description: null });
    expect((await update(id, {})).body.data.updated_at >= updated_at).toBe(true);
    expect(await history()).toEqual([
      { type: 'CREATE', changes: {} },
      { type: 'UPDATE', changes: { name: { old: 'Readers', new: 'Subscribers' } } },
      { type: 'UPDATE', changes: { description: { old: 'all', new: null } } },
    ]);
  });

  it('takes back what it showed', async () => {
    const { id } = await made({ name: 'Readers', description: 'all' });
    const { body } = await advertiser.api.get(path(id));
    const answer = await update(id, body.data);
    expect({ status: answer.status, data: answer.body.data }).toEqual({ status: 200, data: body.data });
    expect(await history()).toHaveLength(1);
  });

  it('refuses a name that another has, and keeps its own', async () => {
    await made({ name: 'Taken' });
    const { id } = await made({ name: 'Own' });
    expect(refusal(await update(id, { name: 'Taken' }))).toEqual(TAKEN);
    expect((await update(id, { name: 'Own', description: 'new' })).status).toBe(200);
    expect((await update(id, { name: '' })).status).toBe(400);
  });

  it('does not find what is not there, or is somebody else’s', async () => {
    const foreign = await made({ name: 'Foreign' }, await given.advertiser());
    for (const id of [NOBODY, foreign.id]) {
      const { status, body } = await update(id, { name: 'Mine' });
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 404,
        error: { code: 'NOT_FOUND', parameter: 'custom_audience_id', value: id },
      });
    }
  });
});

describe('deleting a custom audience', () => {
  it('makes it not targetable', async () => {
    const { account, api } = advertiser;
    const { id } = await given.customAudience({ account });
    await world().sql(`UPDATE custom_audiences SET "reasonsNotTargetable" = '{}' WHERE id = $1`, id);
    expect((await api.delete(path(id))).body.data).toMatchObject({ deleted: true, targetable: false });
    const read = await api.get(path(id), { query: { with_deleted: true } });
    expect(read.body.data).toMatchObject({ deleted: true, targetable: false });
  });

  it('answers it marked deleted, frees its name, and is 404 ever after', async () => {
    const { id, name } = await made();
    const { status, body } = await advertiser.api.delete(path(id));
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id, name, deleted: true } });
    expect((await advertiser.api.delete(path(id))).status).toBe(404);
    expect((await advertiser.api.get(path(id))).status).toBe(404);
    expect((await advertiser.api.get(path(id), { query: { with_deleted: true } })).body.data).toEqual(body.data);
    await made({ name });
    expect((await history())[1]).toEqual({ type: 'DELETE', changes: { deleted: { old: false, new: true } } });
  });
});

describe('sharing', () => {
  const grant = (audience: Json, to: Advertiser, permissionLevel = 'READ_ONLY') =>
    world().sql(
      `INSERT INTO audience_permissions (id, "accountId", "customAudienceId", "grantedAccountId", "permissionLevel", "createdAt", "updatedAt")
        VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`,
      `p${audience.id}`.slice(0, 13),
      audience.owner_account_id,
      audience.id,
      to.account.id,
      permissionLevel,
      world().clock.now().toISOString(),
    );

  it('shows the granted account the audience, and what it may do with it', async () => {
    const shared = await made({ name: 'Shared' });
    await made({ name: 'Kept' });
    const partner = await given.advertiser();
    const own = await made({ name: 'Own' }, partner);
    await grant(shared, partner);

    const list = async (query: Params) =>
      (await partner.api.get(path(undefined, partner.account), { query })).body.data;
    expect((await list({})).map(({ id }: Json) => id)).toEqual([own.id]);
    expect(await list({ permission_scope: 'SHARED' })).toEqual([
      { ...shared, is_owner: false, permission_level: 'READ_ONLY' },
    ]);
    expect(await list({ permission_scope: 'SHARED', q: 'kept' })).toEqual([]);
    const { body } = await partner.api.get(path(shared.id, partner.account));
    expect(body.data).toMatchObject({ id: shared.id, is_owner: false, owner_account_id: advertiser.account.id });
    expect((await partner.api.put(path(shared.id, partner.account), { query: { name: 'No' } })).status).toBe(403);
    expect((await partner.api.get(path(NOBODY, partner.account))).status).toBe(404);
  });

  it('ends when the audience is deleted', async () => {
    const shared = await made({ name: 'Shared' });
    const partner = await given.advertiser();
    await grant(shared, partner, 'READ_WRITE');
    await advertiser.api.delete(path(shared.id));
    const { body } = await partner.api.get(path(undefined, partner.account), {
      query: { permission_scope: 'SHARED', with_deleted: true },
    });
    expect(body.data).toEqual([]);
    const [permission] = await world().sql<{ gone: boolean }>(
      `SELECT "deletedAt" IS NOT NULL AS gone FROM audience_permissions WHERE "customAudienceId" = $1`,
      shared.id,
    );
    expect(permission.gone).toBe(true);
  });
});
