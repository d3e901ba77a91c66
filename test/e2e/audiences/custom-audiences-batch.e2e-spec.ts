import { CustomAudienceView } from '../../../src/audiences/custom-audiences/custom-audience.presenter.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { unlike } from '../../support/list-conventions.js';

useApp();

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
const counted = (data: Json): Json => ({
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
        ['INVALID_PARAMETER segments.child_segments[0].lookback_window', 'MISSING_PARAMETER segments.boolean_operator'],
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
    const answer = await batch([change(NOBODY), change(foreign.id, { name: '' }), deletion(foreign.id), deletion('')]);
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
