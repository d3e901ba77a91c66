import { useApp } from '../../support/app.js';
import { sendPrepared, type Json, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

let advertiser: Advertiser;
let funding: { id: string };
beforeAll(async () => {
  advertiser = await given.advertiser();
  funding = await given.fundingInstrument({ account: advertiser.account });
});

const account = () => `/12/accounts/${advertiser.account.id}`;
const campaign = (params: Params = {}): Params => ({
  funding_instrument_id: funding.id,
  name: 'Spring',
  [DAILY]: 5_500_000,
  ...params,
});
const create = (params: Params) => advertiser.api.post(`${account()}/campaigns`, { query: campaign(params) });
const batch = (json: Json) => advertiser.api.post(`/12/batch${account().slice(3)}/campaigns`, { json });
const named = (errors?: Json[]) => errors?.map(({ code, parameter }) => `${code} ${parameter}`).sort();

describe('texts in JSON', () => {
  it('are strings: numbers and booleans are 400, with a hint', async () => {
    const params = { funding_instrument_id: funding.id, [DAILY]: 5_500_000 };
    for (const name of [true, 17]) {
      const { status, body } = await batch([{ operation_type: 'Create', params: { ...params, name } }]);
      expect({ status, errors: body.operation_errors }).toMatchObject({
        status: 400,
        errors: [
          [
            {
              code: 'INVALID_PARAMETER',
              parameter: 'name',
              message: `Expected String, got ${name} for name`,
              hint: 'name is a string: put it in quotation marks.',
            },
          ],
        ],
      });
    }
    const { body } = await batch([
      { operation_type: 'Create', params: { ...params, name: 'x', funding_instrument_id: 5 } },
    ]);
    expect(named(body.operation_errors[0])).toEqual(['INVALID_PARAMETER funding_instrument_id']);
  });

  it('that are names show something', async () => {
    for (const name of ['  ', '\u200b\u2060'])
      expect(named((await create({ name })).body.errors)).toEqual(['INVALID_PARAMETER name']);
  });
});

describe('ids in capitals', () => {
  it('are read as small letters: in the path, in parameters and lists, in JSON', async () => {
    const id = (await create({ name: 'Capitals' })).body.data.id as string;
    const shouted = `/12/accounts/${advertiser.account.id.toUpperCase()}/campaigns`;
    const one = await advertiser.api.get(`${shouted}/${id.toUpperCase()}`);
    expect({ status: one.status, id: one.body.data?.id, params: one.body.request.params }).toEqual({
      status: 200,
      id,
      params: { account_id: advertiser.account.id, campaign_id: id },
    });
    const list = await advertiser.api.get(shouted, { query: { campaign_ids: id.toUpperCase() } });
    expect(list.body).toMatchObject({ data: [{ id }], request: { params: { campaign_ids: [id] } } });
    const made = await create({ name: 'By capitals', funding_instrument_id: funding.id.toUpperCase() });
    expect(made.body.data).toMatchObject({ funding_instrument_id: funding.id });
    const params = { campaign_id: id.toUpperCase(), name: 'Changed' };
    const { body } = await batch([{ operation_type: 'Update', params }]);
    expect(body.data).toMatchObject([{ id, name: 'Changed' }]);
  });
});

describe('what is echoed beside a refusal', () => {
  it('is what parsed of a query', async () => {
    const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
      query: { count: 0, with_deleted: 'T', campaign_ids: 'b,a', unheard_of: 1 },
    });
    expect({ status, errors: named(body.errors) }).toEqual({ status: 400, errors: ['INVALID_PARAMETER count'] });
    expect(body.errors[0].value).toBe('0');
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      with_deleted: true,
      campaign_ids: ['b', 'a'],
    });
  });

  it('is what parsed of a form, and no default', async () => {
    const { body } = await advertiser.api.post(`${account()}/campaigns`, {
      form: campaign({ [DAILY]: '5500000', entity_status: 'GONE', standard_delivery: 'f' }),
    });
    expect(named(body.errors)).toEqual(['INVALID_PARAMETER entity_status']);
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      funding_instrument_id: funding.id,
      name: 'Spring',
      [DAILY]: 5_500_000,
      standard_delivery: false,
    });
  });

  it('is there too where the path names no account', async () => {
    const { body } = await advertiser.api.get('/12/accounts', { query: { count: 'x', with_deleted: 'false' } });
    expect(body.request).toEqual({ params: { with_deleted: false } });
  });

  it('is what parsed of each operation of a batch', async () => {
    const { body } = await batch([
      { operation_type: 'Create', params: campaign({ [DAILY]: 'x', standard_delivery: 'True' }) },
      { operation_type: 'Create', params: campaign() },
      { operation_type: 'Delete', params: {} },
    ]);
    const account_id = advertiser.account.id;
    expect(body.request).toEqual([
      {
        operation_type: 'Create',
        params: { account_id, funding_instrument_id: funding.id, name: 'Spring', standard_delivery: true },
      },
      { operation_type: 'Create', params: { account_id, ...campaign() } },
      { operation_type: 'Delete', params: { account_id } },
    ]);
  });

  it('quotes what was refused only as far as anybody reads it', async () => {
    const long = 'x'.repeat(300_000);
    const answers = [
      await advertiser.api.put(account(), { form: { industry_type: long, name: long } }),
      await batch([{ operation_type: 'Create', params: { ...campaign(), name: { [long]: long }, [DAILY]: [long] } }]),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(10_000);
    }
  });
});

describe('an empty value', () => {
  it('is refused where nothing can be unset, on create as on update', async () => {
    const { id } = await given.campaign({ account: advertiser.account });
    for (const name of ['name', 'entity_status']) {
      const refused = { status: 400, body: { errors: [{ code: 'INVALID_PARAMETER', parameter: name }] } };
      expect(await create({ [name]: '' })).toMatchObject(refused);
      expect(await advertiser.api.put(`${account()}/campaigns/${id}`, { query: { [name]: '' } })).toMatchObject(
        refused,
      );
      const operation = { operation_type: 'Create', params: { ...campaign(), [name]: null } };
      const { body } = await batch([operation, { operation_type: 'Update', params: { campaign_id: id, [name]: '' } }]);
      expect(body.operation_errors?.map(named)).toEqual([[`INVALID_PARAMETER ${name}`], [`INVALID_PARAMETER ${name}`]]);
    }
    for (const name of ['name', 'industry_type']) {
      expect(await advertiser.api.put(account(), { query: { [name]: '' } })).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: name }] },
      });
    }
    expect((await advertiser.api.get(`${account()}/features`, { query: { feature_keys: '' } })).status).toBe(400);
    expect((await advertiser.api.get(`${account()}/campaigns`, { query: { cursor: '' } })).status).toBe(400);
  });

  it('is as if it was not sent on creating, where an update could unset it', async () => {
    const { status, body } = await create({
      [TOTAL]: '',
      purchase_order_number: '',
      standard_delivery: '',
      budget_optimization: '',
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      [TOTAL]: null,
      purchase_order_number: null,
      standard_delivery: true,
      budget_optimization: 'CAMPAIGN',
    });
  });
});

describe('a parameter that was sent twice', () => {
  it('is refused with both values where they differ', async () => {
    for (const sending of [{ query: { ...campaign(), name: ['a', 'b'] } }, { form: campaign({ name: ['a', 'b'] }) }]) {
      const { status, body } = await advertiser.api.post(`${account()}/campaigns`, sending);
      expect({ status, errors: body.errors }).toEqual({
        status: 400,
        errors: [
          {
            code: 'INVALID_PARAMETER',
            message: 'name was sent twice with different values: "a", "b"',
            parameter: 'name',
            value: ['a', 'b'],
          },
        ],
      });
    }
    const { body } = await advertiser.api.post(`${account()}/campaigns`, { query: { name: 'a' }, form: { name: 'b' } });
    expect(body.errors.map(({ message }: Json) => message)).toContain(
      'name was sent twice with different values: "a", "b"',
    );
    const often = await advertiser.api.get(`${account()}/campaigns`, { query: { count: [1, 2, 1] } });
    expect(often.body.errors[0].message).toBe('count was sent 3 times with different values: "1", "2"');
  });

  it('counts once where they are equal', async () => {
    const { status, body } = await create({ name: ['Twice', 'Twice'], [TOTAL]: [6_000_000, 6_000_000] });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ name: 'Twice', [TOTAL]: 6_000_000 });
    expect(body.request.params).toMatchObject({ name: 'Twice', [TOTAL]: 6_000_000 });
  });

  it('is one list where lists are taken', async () => {
    const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
      query: { campaign_ids: ['a', 'b'], sort_by: ['name-asc', 'created_at-asc'] },
    });
    expect(status).toBe(200);
    expect(body.request.params).toMatchObject({ campaign_ids: ['a', 'b'], sort_by: ['name-asc', 'created_at-asc'] });
  });

  it('is still no text as an array in JSON', async () => {
    const { body } = await batch([{ operation_type: 'Create', params: { ...campaign(), name: ['a', 'a'] } }]);
    expect(body.operation_errors[0][0].message).toBe('Expected String, got ["a","a"] for name');
  });

  it('spends what counting totals may spend', async () => {
    const own = await given.advertiser();
    const target = `/12/accounts/${own.account.id}/campaigns`;
    const once = await own.api.get(target, { query: { with_total_count: true } });
    const twice = await own.api.get(target, { query: { with_total_count: [true, true] } });
    expect(twice).toMatchObject({ status: 200, body: { total_count: 0 } });
    const left = (answer: { headers: object }) =>
      Object.entries(answer.headers).filter(([name]) => /total|ratelimit/i.test(name) && !/reset/.test(name));
    expect(left(once).map(([name]) => name)).toEqual(left(twice).map(([name]) => name));
  });
});

describe('problems between parameters', () => {
  it('are named beside those of single ones: a count and a cursor with a total', async () => {
    const { status, body } = await advertiser.api.get(`${account()}/campaigns`, {
      query: { count: 0, cursor: 'abc', with_total_count: true },
    });
    expect({ status, errors: named(body.errors) }).toEqual({
      status: 400,
      errors: ['EXCLUSIVE_PARAMETERS with_total_count', 'INVALID_PARAMETER count'],
    });
    expect(body.request.params).toMatchObject({ cursor: 'abc', with_total_count: true });
  });

  it('wait for the parameters that they need', async () => {
    const { body } = await advertiser.api.get(`${account()}/campaigns`, {
      query: { cursor: 'abc', with_total_count: 'perhaps' },
    });
    expect(named(body.errors)).toEqual(['INVALID_PARAMETER with_total_count']);
  });

  it('are named for funding too', async () => {
    const own = await given.advertiser({ environment: 'sandbox' });
    const { body } = await own.api.post(`/12/accounts/${own.account.id}/funding_instruments`, {
      query: {
        currency: 'XXQ',
        type: 'INSERTION_ORDER',
        start_time: '2026-02-01',
        end_time: '2026-01-01',
        credit_limit_local_micro: 10_000,
        funded_amount_local_micro: 'x',
      },
    });
    expect(named(body.errors)).toEqual([
      'INVALID_PARAMETER credit_limit_local_micro',
      'INVALID_PARAMETER currency',
      'INVALID_PARAMETER funded_amount_local_micro',
      'INVALID_TIME_WINDOW end_time',
    ]);
  });
});

describe('a status that an update tolerates', () => {
  it('is not offered, and is taken back where it is so already', async () => {
    const [draft, active] = await Promise.all([
      given.campaign({ account: advertiser.account, entity_status: 'DRAFT' }),
      given.campaign({ account: advertiser.account }),
    ]);
    const update = (id: string, entity_status: string) =>
      advertiser.api.put(`${account()}/campaigns/${id}`, { query: { entity_status } });
    const refusedAs = (given_: string) => ({
      status: 400,
      body: { errors: [{ message: `Expected a value in ACTIVE, PAUSED, got "${given_}" for entity_status` }] },
    });
    expect(await update(draft.id, 'GONE')).toMatchObject(refusedAs('GONE'));
    expect(await update(active.id, 'DRAFT')).toMatchObject(refusedAs('DRAFT'));
    expect(await update(draft.id, 'DRAFT')).toMatchObject({ status: 200, body: { data: { entity_status: 'DRAFT' } } });
    expect((await create({ entity_status: 'GONE' })).body.errors[0].message).toBe(
      'Expected a value in ACTIVE, DRAFT, PAUSED, got "GONE" for entity_status',
    );
  });
});

describe('a cursor', () => {
  it('holds to what the filters mean, not to how they were written', async () => {
    const own = await given.advertiser();
    const made = await given.campaigns({ account: own.account, count: 3 });
    const [one, two, three] = made.map(({ id }) => id);
    const list = (query: Params) => own.api.get(`/12/accounts/${own.account.id}/campaigns`, { query });
    const { body } = await list({ count: 2, campaign_ids: `${one},${two},${three}` });
    const cursor = body.next_cursor;
    for (const same of [
      { campaign_ids: `${three},${one},${two}` },
      { campaign_ids: [three, two, one] },
      { campaign_ids: `${one},${two},${three},${one}`, sort_by: 'created_at-desc' },
      { campaign_ids: `${one},${two},${three}`, with_deleted: false, with_draft: 'F', count: 200 },
      { campaign_ids: `${one},${two},${three}`, with_total_count: false },
    ]) {
      const answer = await list({ ...same, cursor });
      expect({ same, status: answer.status, ids: answer.body.data?.map(({ id }: Json) => id) }).toEqual({
        same,
        status: 200,
        ids: [one],
      });
    }
    for (const other of [
      { campaign_ids: `${one},${two}` },
      { campaign_ids: `${one},${two},${three}`, with_draft: true },
      { campaign_ids: `${one},${two},${three}`, with_deleted: true },
      { campaign_ids: `${one},${two},${three}`, q: 'Campaign' },
      { campaign_ids: `${one},${two},${three}`, sort_by: 'created_at-asc' },
      { funding_instrument_ids: `${one},${two},${three}` },
    ]) {
      const answer = await list({ ...other, cursor });
      expect({ other, status: answer.status }).toEqual({ other, status: 400 });
    }
  });
});

describe('a batch without a content type', () => {
  it('is told that it takes JSON only', async () => {
    const target = `/12/batch${account().slice(3)}/campaigns`;
    for (const type of ['', 'text/plain']) {
      const prepared = advertiser.api.prepare('POST', target, { json: [] });
      const { 'content-type': _, ...headers } = prepared.headers;
      const { status, body } = await sendPrepared({
        ...prepared,
        headers: type ? { ...headers, 'content-type': type } : headers,
      });
      expect({ status, message: body.errors[0].message }).toEqual({
        status: 415,
        message: `Expected application/json for Content-Type, got ${type ? `"${type}"` : 'none'}`,
      });
    }
  });
});
