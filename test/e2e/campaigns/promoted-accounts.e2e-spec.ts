import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/promoted_accounts${rest}`;
const promote = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter, value }: Json) => ({ code, parameter, value })),
});

describe('promoting accounts', () => {
  it('promotes a user once, and answers them as they are after that', async () => {
    const advertiser = await given.advertiser();
    const { account, user } = advertiser;
    const { id: line_item_id } = await given.followersLineItem({ account });
    const first = await promote(advertiser, { line_item_id, user_id: user.id });
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.any(String),
      line_item_id,
      user_id: user.id,
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    expect(first.body.request.params).toEqual({ account_id: account.id, line_item_id, user_id: user.id });
    const again = await promote(advertiser, { line_item_id, user_id: user.id });
    expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });

    expect((await advertiser.api.delete(at(advertiser, `/${first.body.data.id}`))).status).toBe(200);
    const anew = await promote(advertiser, { line_item_id, user_id: user.id });
    expect(anew.status).toBe(201);
    expect(anew.body.data.id).not.toBe(first.body.data.id);
  });

  it('makes one of fifty at once', async () => {
    const advertiser = await given.advertiser();
    const { account, user } = advertiser;
    const { id: line_item_id } = await given.followersLineItem({ account });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => promote(advertiser, { line_item_id, user_id: user.id })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const [counted] = await world().sql(
      `SELECT creatives, (SELECT count(*)::int FROM promoted_accounts WHERE "lineItemId" = $1) AS made
        FROM line_items WHERE id = $1`,
      line_item_id,
    );
    expect(counted).toEqual({ creatives: 1, made: 1 });
  });

  it('completes a line item for followers until the last one goes, which posts do not', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const item = await given.followersLineItem({ account, campaign_id: (await given.campaign({ account })).id });
    const read = async () => (await api.get(`/12/accounts/${account.id}/line_items/${item.id}`)).body.data;
    await given.promotedPost({ account, lineItemId: item.id });
    expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
    const promoted = await given.promotedAccount({ account, lineItemId: item.id });
    expect(await read()).toMatchObject({ servable: true, effective_status: 'RUNNING' });
    await api.delete(at(advertiser, `/${promoted.id}`));
    expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
  });

  it('wants a line item for accounts, and a promotable user, and says so at once', async () => {
    const advertiser = await given.advertiser();
    const stranger = await given.advertiser();
    const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
    const answer = await promote(advertiser, { line_item_id, user_id: stranger.user.id });
    expect(problems(answer)).toEqual({
      status: 400,
      errors: [
        { code: 'INCOMPATIBLE_LINE_ITEM', parameter: 'line_item_id', value: line_item_id },
        { code: 'INVALID_USER_ID', parameter: 'user_id', value: stranger.user.id },
      ],
    });
    expect(answer.body.errors[1].message).toBe("You cannot promote someone else's account");
    expect(problems(await promote(advertiser, { line_item_id: 'nobody', user_id: 'x' }))).toEqual({
      status: 400,
      errors: [
        { code: 'INVALID_PARAMETER', parameter: 'user_id', value: 'x' },
        { code: 'NOT_FOUND', parameter: 'line_item_id', value: 'nobody' },
      ],
    });
    expect((await advertiser.api.get(at(advertiser))).body.data).toEqual([]);
  });

  it('promotes nobody who stopped to be promotable', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: line_item_id } = await given.followersLineItem({ account });
    const friend = await given.promotableUser(account);
    await world().sql(`UPDATE promotable_users SET "deletedAt" = now() WHERE id = $1`, friend.id);
    expect(problems(await promote(advertiser, { line_item_id, user_id: friend.userId }))).toMatchObject({
      status: 400,
      errors: [{ code: 'INVALID_USER_ID' }],
    });
  });

  it('refuses a list of line items that are all for something else', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const promoted = await given.promotedAccount({ account });
    const { id: foreign } = await given.lineItem({ account });
    const listed = (line_item_ids: string) => api.get(at(advertiser), { query: { line_item_ids } });
    expect(problems(await listed(foreign))).toEqual({
      status: 400,
      errors: [{ code: 'INCOMPATIBLE_LINE_ITEM', parameter: 'line_item_ids', value: [foreign] }],
    });
    const both = await listed(`${foreign},${promoted.lineItemId}`);
    expect(both.body.data.map(({ id }: Json) => id)).toEqual([promoted.id]);
    expect((await listed('nobody')).body.data).toEqual([]);
    await api.delete(`/12/accounts/${account.id}/line_items/${foreign}`);
    expect((await listed(foreign)).status).toBe(400);
  });

  it('keeps history', async () => {
    const advertiser = await given.advertiser();
    const promoted = await given.promotedAccount({ account: advertiser.account });
    const { body } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/account_history`, {
      query: {
        entity_type: 'PROMOTED_ACCOUNT',
        entity_id: promoted.id,
        start_time: '2020-01-01T00:00:00Z',
        end_time: '2040-01-01T00:00:00Z',
      },
    });
    expect(body.data).toMatchObject([{ change_type: 'CREATE', entity_data: { user_id: promoted.userId } }]);
  });
});
