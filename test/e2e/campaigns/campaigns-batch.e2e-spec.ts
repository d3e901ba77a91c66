import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

let advertiser: Advertiser;
let funding: { id: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  funding = await given.fundingInstrument({ account: advertiser.account });
});

const batch = (json: Json) => advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });
const list = async (query: Json = {}): Promise<Json[]> =>
  (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/campaigns`, { query })).body.data;
const creation = (params: Json = {}) => ({
  operation_type: 'Create',
  params: { funding_instrument_id: funding.id, name: 'Spring', [DAILY]: 5_500_000, ...params },
});
const change = (campaign_id: string, params: Json) => ({
  operation_type: 'Update',
  params: { campaign_id, ...params },
});
const deletion = (campaign_id: string) => ({ operation_type: 'Delete', params: { campaign_id } });
const codes = ({ operation_errors }: Json) =>
  operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => `${code} ${parameter}`));

describe('a batch of campaigns', () => {
  it('answers 200 with the results in the order of the request', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `Number ${i}`);
    const { status, body } = await batch(names.map((name) => creation({ name })));
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'request']);
    expect(body.data.map(({ name }: Json) => name)).toEqual(names);
    expect(body.request[7]).toEqual({
      operation_type: 'Create',
      params: {
        account_id: advertiser.account.id,
        funding_instrument_id: funding.id,
        name: 'Number 7',
        [DAILY]: 5_500_000,
      },
    });
    expect((await list()).map(({ name }) => name)).toEqual([...names].reverse());
  });

  it('mixes operations', async () => {
    const [kept, gone] = await given.campaigns({ account: advertiser.account, count: 2 });
    const { status, body } = await batch([
      deletion(gone.id),
      creation({ name: 'New' }),
      change(kept.id, { name: 'Changed', entity_status: 'PAUSED' }),
    ]);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { id: gone.id, deleted: true },
      { name: 'New', entity_status: 'ACTIVE', deleted: false },
      { id: kept.id, name: 'Changed', entity_status: 'PAUSED' },
    ]);
    expect((await list()).map(({ name }) => name)).toEqual(['New', 'Changed']);
  });

  it('lets operations on one campaign see each other', async () => {
    const { id } = await given.campaign({ account: advertiser.account, purchase_order_number: 'PO' });
    const { status, body } = await batch([
      change(id, { name: 'First', purchase_order_number: null }),
      change(id, { name: 'Second' }),
      deletion(id),
    ]);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { name: 'First', purchase_order_number: null, deleted: false },
      { name: 'Second', purchase_order_number: null, deleted: false },
      { name: 'Second', deleted: true },
    ]);
    const changes = await world().sql<{ type: string }>(
      `SELECT "changeType" AS type FROM account_changes WHERE "entityId" = $1 ORDER BY id`,
      id,
    );
    expect(changes.map(({ type }) => type)).toEqual(['CREATE', 'UPDATE', 'UPDATE', 'DELETE']);
  });

  it('does not find what an operation before has deleted', async () => {
    const { id } = await given.campaign({ account: advertiser.account });
    const { status, body } = await batch([deletion(id), change(id, { name: 'Late' }), deletion(id)]);
    expect({ status, codes: codes(body) }).toEqual({
      status: 400,
      codes: [[], ['NOT_FOUND campaign_id'], ['NOT_FOUND campaign_id']],
    });
    expect(await list()).toHaveLength(1);
  });

  it('names what is wrong by index, and stores nothing', async () => {
    const { id } = await given.campaign({ account: advertiser.account, name: 'Before' });
    const { status, body } = await batch([
      creation({ name: 'fine' }),
      { operation_type: 'Create', params: { name: 'no funding' } },
      change(id, { name: 'not kept' }),
      deletion('0nobody'),
      creation({ [DAILY]: 1, [TOTAL]: 'x', name: '' }),
      creation({ [DAILY]: 30_000, [TOTAL]: 20_000 }),
      { operation_type: 'Upsert', params: {} },
      { params: {} },
      'nonsense',
      { operation_type: 'Delete' },
      creation({ funding_instrument_id: '0nofunding' }),
      { operation_type: 'Create', params: [] },
    ]);
    expect(status).toBe(400);
    expect(Object.keys(body).sort()).toEqual(['operation_errors', 'request']);
    expect(codes(body).map((own: string[]) => [...own].sort())).toEqual([
      [],
      ['MISSING_PARAMETER funding_instrument_id'],
      [],
      ['NOT_FOUND campaign_id'],
      ['INVALID_PARAMETER name', `INVALID_PARAMETER ${TOTAL}`].sort(),
      [`INVALID_PARAMETER ${DAILY}`],
      ['INVALID_PARAMETER operation_type'],
      ['MISSING_PARAMETER operation_type'],
      ['INVALID_PARAMETER operation'],
      ['MISSING_PARAMETER campaign_id'],
      ['NOT_FOUND funding_instrument_id'],
      ['INVALID_PARAMETER params'],
    ]);
    expect(body.request).toHaveLength(12);
    expect(body.request[3]).toEqual({
      operation_type: 'Delete',
      params: { campaign_id: '0nobody', account_id: advertiser.account.id },
    });
    expect((await list()).map(({ name }) => name)).toEqual(['Before']);
    const [{ n }] = await world().sql<{ n: number }>(
      `SELECT count(*) AS n FROM account_changes WHERE "accountId" = $1 AND "entityType" = 'CAMPAIGN'`,
      advertiser.account.id,
    );
    expect(n).toBe(1);
  });

  it('takes 40 operations, not 41 and not none', async () => {
    const { status, body } = await batch(Array.from({ length: 41 }, () => creation()));
    expect(status).toBe(400);
    expect(body.operation_errors).toBeUndefined();
    expect(body.errors).toMatchObject([{ code: 'INVALID_PARAMETER', message: 'Batch size exceeds the maximum of 40' }]);
    expect((await batch([])).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  it('takes an array only', async () => {
    for (const body of [{}, creation(), 'x', 1, null, true]) {
      expect(await batch(body)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'body' }] },
      });
    }
  });

  it('takes JSON only, and says so', async () => {
    const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'text/json', 'application/xml']) {
      const answer = await advertiser.api.post(target, {
        ...(type.includes('form') ? { form: { a: 'b' } } : { json: [creation()] }),
        headers: { 'content-type': type },
      });
      expect(answer).toMatchObject({
        status: 415,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'Content-Type' }] },
      });
    }
    expect(
      (
        await advertiser.api.post(target, {
          json: [creation()],
          headers: { 'content-type': 'application/json; charset=UTF-8' },
        })
      ).status,
    ).toBe(200);
    expect((await advertiser.api.post(target)).status).toBe(400);
  });

  it('takes booleans and numbers as strings too', async () => {
    const { status, body } = await batch([
      creation({ standard_delivery: 'false', [DAILY]: '10000', [TOTAL]: 20_000 }),
      creation({ standard_delivery: 'True' }),
      creation({ standard_delivery: false }),
    ]);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { standard_delivery: false, [DAILY]: 10_000, [TOTAL]: 20_000 },
      { standard_delivery: true },
      { standard_delivery: false },
    ]);
    expect(body.request[0].params).toMatchObject({ standard_delivery: false, [DAILY]: 10_000 });
  });

  it('unsets by null and by an empty text', async () => {
    const made = await given.campaigns({
      account: advertiser.account,
      count: 2,
      [TOTAL]: 9_000_000,
      purchase_order_number: 'PO',
    });
    const { status, body } = await batch([
      change(made[0].id, { [TOTAL]: null, purchase_order_number: null }),
      change(made[1].id, { [TOTAL]: '', purchase_order_number: '' }),
    ]);
    expect(status).toBe(200);
    const unset = { [TOTAL]: null, purchase_order_number: null };
    expect(body.data).toMatchObject([unset, unset]);
  });

  it('takes back all that reading answered', async () => {
    await given.campaigns({ account: advertiser.account, count: 2 });
    const read = await list();
    const { status, body } = await batch(
      read.map((campaign) => change(campaign.id, { ...campaign, entity_status: 'PAUSED' })),
    );
    expect({ status, errors: codes(body) }).toEqual({ status: 200 });
    expect(body.data.map(({ id }: Json) => id)).toEqual(read.map(({ id }) => id));
  });

  it('does not reach campaigns of other accounts', async () => {
    const stranger = await given.advertiser();
    const theirs = await given.campaign({ account: stranger.account });
    const { status, body } = await batch([change(theirs.id, { name: 'Mine' }), deletion(theirs.id)]);
    expect({ status, codes: codes(body) }).toEqual({
      status: 400,
      codes: [['NOT_FOUND campaign_id'], ['NOT_FOUND campaign_id']],
    });
  });
});
