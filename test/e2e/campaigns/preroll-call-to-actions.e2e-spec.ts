import { useApp } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/preroll_call_to_actions${rest}`;
const create = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});
const CALL = { call_to_action: 'SHOP', call_to_action_url: 'https://example.com/shop' };

describe('preroll call to actions', () => {
  it('are made, changed and deleted; a line item has one at most', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await given.prerollLineItem({ account });
    const { status, body } = await create(advertiser, { line_item_id, ...CALL });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      line_item_id,
      ...CALL,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    const same = await create(advertiser, { line_item_id, ...CALL });
    expect({ status: same.status, data: same.body.data }).toEqual({ status: 200, data: body.data });
    expect(problems(await create(advertiser, { line_item_id, ...CALL, call_to_action: 'GO_TO' }))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER line_item_id'],
    });
    const one = at(advertiser, `/${body.data.id}`);
    const changed = await api.put(one, { query: { ...body.data, call_to_action: 'WATCH_NOW' } });
    expect(changed.body.data).toMatchObject({ ...CALL, call_to_action: 'WATCH_NOW' });
    const elsewhere = await api.put(one, { query: { line_item_id: 'another', call_to_action: 'JUMP' } });
    expect(problems(elsewhere)).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER call_to_action', 'INVALID_PARAMETER line_item_id'],
    });
    expect((await api.delete(one)).body.data).toMatchObject({ deleted: true });
    expect((await api.put(one, { query: { call_to_action: 'SHOP' } })).status).toBe(404);
    expect((await create(advertiser, { line_item_id, ...CALL })).status).toBe(201);
  });

  it('are one where many are made at once', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await given.prerollLineItem({ account: advertiser.account });
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(advertiser, { line_item_id, ...CALL })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
  });

  it('are for line items with in-stream videos', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
    expect(problems(await create(advertiser, { line_item_id, ...CALL }))).toEqual({
      status: 400,
      errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'],
    });
    const wrong = { line_item_id: 'nobody', call_to_action: 'JUMP', call_to_action_url: 'ftp://example.com' };
    expect(problems(await create(advertiser, wrong))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER call_to_action', 'INVALID_PARAMETER call_to_action_url', 'NOT_FOUND line_item_id'],
    });
  });
});
