import { CustomAudienceView } from '../../../src/audiences/custom-audiences/custom-audience.presenter.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { listConventions, unlike } from '../../support/list-conventions.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { CustomAudiencesService } from '../../../src/audiences/custom-audiences/custom-audiences.service.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';

useSharedApp();

describe('custom audiences', () => {
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
        AND "transactionId" IS NOT NULL ORDER BY id`,
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
      expect((await update(id, { description: '' })).body.data).toMatchObject({
        name: 'Subscribers',
        description: null,
      });
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
});

describe('custom audiences batch', () => {
  const NOBODY = '0zzzzzzzzzzzz';

  let advertiser: Advertiser;
  let crm: { id: string };
  let other: { id: string };
  beforeEach(async () => {
    advertiser = await given.advertiser();
    crm = await given.customAudience({ account: advertiser.account });
    other = await given.customAudience({ account: advertiser.account });
  });

  const batch = (json: Json, by = advertiser) =>
    by.api.post(`/12/batch/accounts/${by.account.id}/custom_audiences`, { json });
  const path = (id?: string, account = advertiser.account) =>
    `/12/accounts/${account.id}/custom_audiences${id ? `/${id}` : ''}`;
  const get = async (id: string) => (await advertiser.api.get(path(id))).body.data;
  const names = async () =>
    (await advertiser.api.get(path())).body.data
      .map(({ name }: Json) => name)
      .filter((name: string) => !/^Audience_/.test(name));

  const leaf = (more: Json = {}) => ({ custom_audience_id: crm.id, lookback_window: 30, ...more });
  const tree = (...children: Json[]) => ({ boolean_operator: 'AND', child_segments: children });
  const flexible = (params: Json = {}) => ({
    operation_type: 'Create',
    params: {
      audience_type: 'FLEXIBLE',
      name: 'Both',
      segments: tree(leaf(), leaf({ custom_audience_id: other.id })),
      ...params,
    },
  });
  const mobile = (params: Json = {}) => ({
    operation_type: 'Create',
    params: { audience_type: 'MOBILE_AUDIENCE', name: 'App', ...params },
  });
  const change = (custom_audience_id: string, params: Json = {}) => ({
    operation_type: 'Update',
    params: { custom_audience_id, ...params },
  });
  const deletion = (custom_audience_id: string) => ({ operation_type: 'Delete', params: { custom_audience_id } });
  const made = async (operation: Json, by = advertiser): Promise<Json> => {
    const { status, body } = await batch([operation], by);
    expect({ status, errors: body.errors ?? body.operation_errors }).toEqual({ status: 200 });
    return body.data[0];
  };
  /** A new one as it is in a moment, when it has been counted. */
  /** The audience without what changes when its people are counted. */
  const counted = ({ updated_at: _, ...data }: Json): Json => ({
    ...data,
    reasons_not_targetable: data.reasons_not_targetable.filter((reason: string) => reason !== 'PROCESSING'),
  });
  const faults = ({ status, body }: Answer) => ({
    status,
    errors: body.operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => `${code} ${parameter}`)),
  });
  const TAKEN = 'INVALID_PARAMETER name';
  const grant = async (audience: { id: string }, from: Advertiser, to: Advertiser) =>
    world().sql(
      `INSERT INTO audience_permissions (id, "accountId", "customAudienceId", "grantedAccountId", "permissionLevel", "createdAt", "updatedAt")
      VALUES ($1, $2, $3, $4, 'READ_ONLY', $5, $5) RETURNING id`,
      `p${audience.id}`.slice(0, 13),
      from.account.id,
      audience.id,
      to.account.id,
      world().clock.now().toISOString(),
    );

  const SPELLED_OUT = { frequency: 1, frequency_comparator: 'NUM_GTE', negate: false };

  describe('making flexible audiences', () => {
    it('ends the counting of those that an edited snapshot made of each other', async () => {
      const { body } = await batch([flexible(), flexible({ name: 'Both again' })]);
      expect(body.operation_errors).toBeUndefined();
      const ids = body.data.map(({ id }: Json) => id) as string[];
      const sizings = () =>
        world().sql<{ generation: number }>(
          'SELECT generation FROM audience_sizings WHERE "audienceId" = ANY($1) ORDER BY "audienceId"',
          ids,
        );
      const now = world().clock.now().toISOString();
      await world().sql(
        `UPDATE audience_sizings SET "madeOf" = $1, "dueAt" = $2::timestamptz WHERE "audienceId" = ANY($1)`,
        ids,
        now,
      );
      const before = await sizings();
      await world().get(SizeAudiencesJob).sizeDue();
      expect(await sizings()).toEqual(before);
    });

    it('answers each as it is read afterwards, its tree spelled out, and echoes what was sent', async () => {
      const sent = flexible({
        segments: {
          boolean_operator: 'OR',
          child_segments: [
            leaf({ custom_audience_id: crm.id.toUpperCase(), frequency: 2, frequency_comparator: 'NUM_LT' }),
            tree(leaf({ custom_audience_id: other.id, negate: true, child_segments: [] })),
          ],
        },
      });
      const { status, body } = await batch([sent]);
      expect({ status, errors: body.operation_errors }).toEqual({ status: 200 });
      expect(body.request).toEqual([
        { operation_type: 'Create', params: { account_id: advertiser.account.id, ...sent.params } },
      ]);
      const [data] = body.data;
      expect(unlike(CustomAudienceView, data)).toEqual([]);
      expect(data).toEqual({
        id: expect.stringMatching(/^[0-9a-z]{11,13}$/),
        name: 'Both',
        description: null,
        audience_type: 'FLEXIBLE',
        targetable: false,
        targetable_types: ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'],
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        permission_level: 'READ_WRITE',
        owner_account_id: advertiser.account.id,
        is_owner: true,
        metadata: [
          {
            custom_audience_id: data.id,
            account_id: advertiser.account.id,
            name: 'Both',
            audience_source: 'FLEXIBLE_AUDIENCE',
            upload_status: 'UPLOADED',
            segments: {
              boolean_operator: 'OR',
              ...SPELLED_OUT,
              child_segments: [
                {
                  custom_audience_id: crm.id,
                  lookback_window: 30,
                  frequency: 2,
                  frequency_comparator: 'NUM_LT',
                  negate: false,
                  child_segments: [],
                },
                {
                  boolean_operator: 'AND',
                  ...SPELLED_OUT,
                  child_segments: [
                    {
                      custom_audience_id: other.id,
                      lookback_window: 30,
                      ...SPELLED_OUT,
                      negate: true,
                      child_segments: [],
                    },
                  ],
                },
              ],
            },
          },
        ],
        partner_source: 'OTHER',
        audience_size: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: data.created_at,
        deleted: false,
      });
      expect(counted(await get(data.id))).toEqual(counted(data));
      const { body: list } = await advertiser.api.get(path(), { query: { custom_audience_ids: data.id } });
      expect(list.data.map(counted)).toEqual([counted(data)]);
      // others have none
      expect(await get(crm.id)).not.toHaveProperty('metadata');
    });

    it('takes the outermost segment from the operation itself', async () => {
      const operation = flexible({
        segments: undefined,
        boolean_operator: 'OR',
        child_segments: [leaf(), leaf({ lookback_window: 1 })],
        frequency: 2,
        negate: true,
      });
      const { metadata } = await made(operation);
      expect(metadata[0].segments).toMatchObject({
        boolean_operator: 'OR',
        frequency: 2,
        frequency_comparator: 'NUM_GTE',
        negate: true,
        child_segments: [
          { custom_audience_id: crm.id, lookback_window: 30 },
          { custom_audience_id: crm.id, lookback_window: 1 },
        ],
      });
    });

    it('refuses a tree that is said twice, not at all, or in part', async () => {
      const answer = await batch([
        flexible({ child_segments: [leaf()], boolean_operator: 'AND' }),
        flexible({ name: 'b', segments: undefined }),
        flexible({ name: 'c', segments: undefined, child_segments: [leaf()] }),
        flexible({ name: 'd', segments: undefined, child_segments: [], boolean_operator: 'OR' }),
        flexible({ name: 'e', frequency: 2 }),
        flexible({ name: 'f', segments: tree() }),
        flexible({ name: 'g', segments: { child_segments: [leaf({ lookback_window: 2 })] } }),
        flexible({ name: 'h', child_segments: [] }),
      ]);
      expect(faults(answer)).toEqual({
        status: 400,
        errors: [
          ['EXCLUSIVE_PARAMETERS child_segments'],
          ['MISSING_PARAMETER child_segments'],
          ['MISSING_PARAMETER boolean_operator'],
          ['INVALID_PARAMETER child_segments'],
          ['EXCLUSIVE_PARAMETERS frequency'],
          ['INVALID_PARAMETER segments.child_segments'],
          [
            'INVALID_PARAMETER segments.child_segments[0].lookback_window',
            'MISSING_PARAMETER segments.boolean_operator',
          ],
          [],
        ],
      });
      expect(await names()).toEqual([]);
    });

    it('takes ten leaves, and refuses eleven', async () => {
      const { metadata } = await made(flexible({ segments: tree(...Array(10).fill(leaf())) }));
      expect(metadata[0].segments.child_segments).toHaveLength(10);
      const answer = await batch([flexible({ name: 'More', segments: tree(...Array(11).fill(leaf())) })]);
      expect(answer.body.operation_errors).toMatchObject([
        [
          {
            code: 'INVALID_PARAMETER',
            parameter: 'segments',
            message: 'A maximum of 10 leaf segments can be provided for segments',
            details: '11 were given',
          },
        ],
      ]);
    });

    it('refuses leaves that the account cannot use, beside what else is wrong', async () => {
      const foreign = await given.customAudience({ account: (await given.advertiser()).account });
      const gone = await given.customAudience({ account: advertiser.account });
      await advertiser.api.delete(path(gone.id));
      const made_ = await made(flexible({ name: 'Made' }));
      const answer = await batch([
        flexible({
          segments: tree(
            leaf(),
            leaf({ custom_audience_id: foreign.id }),
            tree(leaf({ custom_audience_id: gone.id.toUpperCase() }), leaf({ custom_audience_id: NOBODY })),
            leaf({ custom_audience_id: made_.id }),
          ),
        }),
        flexible({ name: '', segments: tree(leaf({ custom_audience_id: NOBODY })) }),
        flexible({ name: 'Fine' }),
      ]);
      expect(faults(answer)).toEqual({
        status: 400,
        errors: [
          [
            'NOT_FOUND segments.child_segments[1].custom_audience_id',
            'NOT_FOUND segments.child_segments[2].child_segments[0].custom_audience_id',
            'NOT_FOUND segments.child_segments[2].child_segments[1].custom_audience_id',
            'INVALID_PARAMETER segments.child_segments[3].custom_audience_id',
          ],
          ['INVALID_PARAMETER name', 'NOT_FOUND segments.child_segments[0].custom_audience_id'],
          [],
        ],
      });
      expect(answer.body.operation_errors[0][1]).toMatchObject({
        message: `Custom Audience ${gone.id.toUpperCase()} was not found for Account ${advertiser.account.id}`,
      });
      expect(await names()).toEqual(['Made']);
    });

    it('takes what others granted as long as they do', async () => {
      const owner = await given.advertiser();
      const shared = await given.customAudience({ account: owner.account });
      const operation = flexible({ segments: tree(leaf(), leaf({ custom_audience_id: shared.id })) });
      await grant(shared, owner, advertiser);
      const { id } = await made(operation);
      await world().sql(
        `UPDATE audience_permissions SET "deletedAt" = $2 WHERE "customAudienceId" = $1`,
        shared.id,
        world().clock.now().toISOString(),
      );
      const again = await batch([{ ...operation, params: { ...operation.params, name: 'Again' } }]);
      expect(faults(again).errors).toEqual([['NOT_FOUND segments.child_segments[1].custom_audience_id']]);
      expect((await get(id)).metadata[0].segments.child_segments).toHaveLength(2);
    });
  });

  describe('making mobile audiences', () => {
    it('takes a name, and no segments', async () => {
      const data = await made(mobile({ child_segments: [] }));
      expect(data).toMatchObject({
        name: 'App',
        audience_type: 'MOBILE_AUDIENCE',
        targetable_types: ['CRM', 'EXCLUDED_CRM'],
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        audience_size: null,
      });
      expect(data).not.toHaveProperty('metadata');
      expect(await get(data.id)).toEqual(data);
      await made(flexible({ segments: tree(leaf({ custom_audience_id: data.id })) }));
      const answer = await batch([
        mobile({ name: 'b', segments: tree(leaf()) }),
        mobile({ name: 'c', child_segments: [leaf()] }),
        mobile({ name: 'd', negate: false }),
        mobile({ name: undefined }),
        mobile({ name: 'e', audience_type: 'CRM' }),
        mobile({ name: 'f', audience_type: undefined }),
      ]);
      expect(faults(answer).errors).toEqual([
        ['INVALID_PARAMETER segments'],
        ['INVALID_PARAMETER child_segments'],
        ['INVALID_PARAMETER negate'],
        ['MISSING_PARAMETER name'],
        ['INVALID_PARAMETER audience_type'],
        ['MISSING_PARAMETER audience_type'],
      ]);
    });
  });

  describe('optional fields in a batch', () => {
    it.each([null, ''])('that are %j are not set', async (empty) => {
      const of = (audience_type: string) => ({
        segments: empty,
        description: empty,
        ...(audience_type === 'MOBILE_AUDIENCE' && { child_segments: empty, boolean_operator: empty }),
        frequency: empty,
        frequency_comparator: empty,
        negate: empty,
      });
      expect(await made(mobile(of('MOBILE_AUDIENCE')))).toMatchObject({ description: null });
      const own = { child_segments: [leaf(), leaf()], boolean_operator: 'AND' };
      const [{ segments }] = (await made(flexible({ ...of('FLEXIBLE'), ...own }))).metadata;
      expect(segments).toMatchObject({ frequency: 1, frequency_comparator: 'NUM_GTE', negate: false });
    });

    it('of a flexible audience that needs them are missing', async () => {
      const answer = await batch([flexible({ segments: null, child_segments: null })]);
      expect(faults(answer).errors).toEqual([['MISSING_PARAMETER child_segments']]);
    });
  });

  describe('changing and deleting in a batch', () => {
    it('mixes operations, and answers them in their order', async () => {
      const app = await made(mobile({ description: 'all' }));
      const { status, body } = await batch([
        change(app.id, { name: 'App 2', description: '' }),
        deletion(other.id),
        flexible({ segments: tree(leaf()) }),
        change(crm.id, { name: 'Customers' }),
      ]);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([
        { id: app.id, name: 'App 2', description: null, audience_type: 'MOBILE_AUDIENCE' },
        { id: other.id, deleted: true },
        { name: 'Both', audience_type: 'FLEXIBLE' },
        { id: crm.id, name: 'Customers', audience_type: 'CRM' },
      ]);
      expect(body.request[1]).toEqual({
        operation_type: 'Delete',
        params: { account_id: advertiser.account.id, custom_audience_id: other.id },
      });
      expect(await get(app.id)).toEqual(body.data[0]);
      expect((await advertiser.api.get(path(other.id))).status).toBe(404);
    });

    it('changes no flexible audience, here or there, and deletes it', async () => {
      const data = await made(flexible({ description: 'as it was' }));
      const { id } = data;
      const immutable = { code: 'ACTION_NOT_ALLOWED', parameter: 'custom_audience_id', value: id };
      const answer = await batch([change(id, { name: 'New' }), change(id, { name: '' }), mobile()]);
      expect(answer.status).toBe(400);
      expect(answer.body.operation_errors).toMatchObject([
        [immutable],
        [{ code: 'INVALID_PARAMETER', parameter: 'name' }, immutable],
        [],
      ]);
      for (const query of [{ name: 'New' }, { description: 'new' }, { description: '' }]) {
        const { status, body } = await advertiser.api.put(path(id), { query });
        expect({ status, errors: body.errors }).toMatchObject({ status: 403, errors: [immutable] });
      }
      // what it showed may be sent back
      for (const query of [{}, { name: 'Both' }, { name: 'Both', description: 'as it was' }]) {
        const { status, body } = await advertiser.api.put(path(id), { query });
        expect({ status, data: counted(body.data) }).toEqual({ status: 200, data: counted(data) });
      }
      const { body } = await advertiser.api.delete(path(id));
      expect(body.data).toMatchObject({ id, deleted: true, metadata: data.metadata });
      const second = await made(flexible());
      expect((await batch([deletion(second.id)])).body.data).toMatchObject([
        { deleted: true, metadata: second.metadata },
      ]);
    });

    it('does not find what is not there, or is somebody else’s', async () => {
      const foreign = await given.customAudience({ account: (await given.advertiser()).account });
      const answer = await batch([
        change(NOBODY),
        change(foreign.id, { name: '' }),
        deletion(foreign.id),
        deletion(''),
      ]);
      expect(faults(answer).errors).toEqual([
        ['NOT_FOUND custom_audience_id'],
        ['INVALID_PARAMETER name', 'NOT_FOUND custom_audience_id'],
        ['NOT_FOUND custom_audience_id'],
        ['INVALID_PARAMETER custom_audience_id'],
      ]);
    });

    it('takes leaves as earlier operations leave them', async () => {
      const app = await made(mobile());
      const using = flexible({ segments: tree(leaf({ custom_audience_id: app.id })) });
      expect(faults(await batch([deletion(app.id), using])).errors).toEqual([
        [],
        ['NOT_FOUND segments.child_segments[0].custom_audience_id'],
      ]);
      expect((await batch([using, deletion(app.id)])).status).toBe(200);
    });
  });

  describe('names in a batch', () => {
    it('are each that of one audience, whoever has it', async () => {
      await made(mobile({ name: 'Taken' }));
      const answer = await batch([mobile({ name: ' Taken ' }), mobile({ name: 'Free' }), flexible({ name: 'Free' })]);
      expect(faults(answer)).toEqual({ status: 400, errors: [[TAKEN], [], [TAKEN]] });
      expect(answer.body.operation_errors[0][0].message).toBe('Audience name already in use');
      expect(await names()).toEqual(['Taken']);
    });

    it('are free for a new audience where the former one was deleted before', async () => {
      const { id } = await made(flexible());
      const { status, body } = await batch([deletion(id), flexible({ segments: tree(leaf()) })]);
      expect({ status, errors: body.operation_errors }).toEqual({ status: 200 });
      expect(await names()).toEqual(['Both']);
      expect(faults(await batch([flexible({ segments: tree(leaf()) }), deletion(body.data[1].id)])).errors).toEqual([
        [TAKEN],
        [],
      ]);
    });

    it('do not change hands between those that a batch changes', async () => {
      const [a, b] = [await made(mobile({ name: 'a' })), await made(mobile({ name: 'b' }))];
      expect(faults(await batch([change(a.id, { name: 'b' }), change(b.id, { name: 'a' })]))).toEqual({
        status: 400,
        errors: [[TAKEN], [TAKEN]],
      });
      expect(faults(await batch([change(a.id, { name: 'c' }), change(b.id, { name: 'a' })])).errors).toEqual([
        [],
        [TAKEN],
      ]);
      expect(faults(await batch([deletion(a.id), change(b.id, { name: 'a' })])).errors).toEqual([[], [TAKEN]]);
      expect(faults(await batch([change(a.id, { name: 'c' }), mobile({ name: 'a' })])).errors).toEqual([[], [TAKEN]]);
      expect(await names()).toEqual(['b', 'a']);
      // its own, there and back
      expect((await batch([change(a.id, { name: 'c' }), change(a.id, { name: 'a' })])).status).toBe(200);
    });

    it('go to one of many batches that ask for them at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => batch([mobile({ name: `Own ${n}` }), flexible({ name: 'Wanted' })])),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect(faults(answer)).toEqual({ status: 400, errors: [[], [TAKEN]] });
      expect(await names()).toHaveLength(2);
    });
  });

  describe('a batch as a whole', () => {
    it('has up to ten operations', async () => {
      const answer = await batch(Array.from({ length: 11 }, (_, n) => mobile({ name: `Number ${n}` })));
      expect({ status: answer.status, errors: answer.body.errors }).toMatchObject({
        status: 400,
        errors: [{ code: 'INVALID_PARAMETER', message: 'Batch size exceeds the maximum of 10' }],
      });
      const ten = await batch(Array.from({ length: 10 }, (_, n) => mobile({ name: `Number ${n}` })));
      expect(ten.status).toBe(200);
      expect(ten.body.data.map(({ name }: Json) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `Number ${n}`));
      expect(faults(await batch([{ operation_type: 'Merge', params: {} }])).errors).toEqual([
        ['INVALID_PARAMETER operation_type'],
      ]);
    });

    it('is for those who manage campaigns', async () => {
      const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      const { status } = await analyst.api.post(`/12/batch/accounts/${advertiser.account.id}/custom_audiences`, {
        json: [mobile()],
      });
      expect(status).toBe(403);
    });
  });

  describe('leaves that go while a tree is stored', () => {
    it('are in no flexible audience that is younger than their end', async () => {
      for (let round = 0; round < 5; round++) {
        const app = await made(mobile({ name: `App ${round}` }));
        const using = (n: number) =>
          batch([
            flexible({ name: `Using ${round}.${n}`, segments: tree(leaf(), leaf({ custom_audience_id: app.id })) }),
          ]);
        const answers = await Promise.all([
          ...Array.from({ length: 4 }, (_, n) => using(n)),
          batch([deletion(app.id)]),
          ...Array.from({ length: 4 }, (_, n) => using(4 + n)),
        ]);
        const deleted = answers.splice(4, 1)[0];
        expect(deleted.status).toBe(200);
        for (const answer of answers)
          if (answer.status !== 200)
            expect(faults(answer)).toEqual({
              status: 400,
              errors: [['NOT_FOUND segments.child_segments[1].custom_audience_id']],
            });
        // rows are in the order of their transactions: what was stored after the end would have a later one
        const late = await world().sql(
          `SELECT f.id FROM custom_audiences f, custom_audiences a
          WHERE a.id = $1 AND f.segments::text LIKE '%' || a.id || '%' AND f."createdAt" > a."deletedAt"`,
          app.id,
        );
        expect(late).toEqual([]);
      }
    });

    it('wait for each other without a deadlock that anybody is told of', async () => {
      const [a, b] = [await made(mobile({ name: 'a' })), await made(mobile({ name: 'b' }))];
      const crossing = (gone: Json, used: Json, name: string) =>
        batch([deletion(gone.id), flexible({ name, segments: tree(leaf({ custom_audience_id: used.id })) })]);
      const answers = await Promise.all([crossing(a, b, 'x'), crossing(b, a, 'y')]);
      // whoever is second finds its leaf gone
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    });
  });
});
