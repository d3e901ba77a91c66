import { AccountHistoryView } from '../../../src/accounts/change-log/account-history.presenter.js';
import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { fresh } from '../../support/given/fresh.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

const HOUR = 3_600_000;
const DAILY = 'daily_budget_amount_local_micro';

const hour = (offset: number) => {
  const at = new Date(Math.floor(world().clock.now().getTime() / HOUR + offset) * HOUR);
  return `${at.toISOString().slice(0, 19)}Z`;
};
const history = ({ account, api }: Advertiser, entity_id: string, query: Params = {}) =>
  api.get(`/12/accounts/${account.id}/account_history`, {
    query: { entity_type: 'CAMPAIGN', entity_id, start_time: hour(-1), end_time: hour(1), ...query },
  });

describe('account history', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/account_history`,
    // The changes of one campaign, the first of which is that it was made.
    parent: { make: (account) => given.campaign({ account }) },
    required: ({ id: entity_id }) => ({
      entity_type: 'CAMPAIGN',
      entity_id,
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2050-01-01T00:00:00Z',
    }),
    already: 1,
    make: async (account, n, campaign) => {
      const purchase_order_number = fresh(`order ${n}`);
      await world().get(CampaignsService).update(account, campaign.id, { purchase_order_number });
      return { id: purchase_order_number };
    },
    remove: 'never',
    view: AccountHistoryView,
    // It has no id of its own.
    idOf: ({ entity_data }) => entity_data.purchase_order_number ?? 'made',
    idsFilter: null,
    lacks: ['sort_by', 'with_deleted', 'with_total_count'],
  });

  it('tells what was done to a campaign, the newest first', async () => {
    const advertiser = await given.advertiser();
    const colleague = await given.member(advertiser.account, 'AD_MANAGER');
    const path = `/12/accounts/${advertiser.account.id}/campaigns`;
    const { id } = await given.campaign({ account: advertiser.account, name: 'Before' });
    await colleague.api.put(`${path}/${id}`, { query: { name: 'After', [DAILY]: 1_000_000 } });
    await advertiser.api.delete(`${path}/${id}`);

    const { status, body } = await history(advertiser, id);

    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      entity_type: 'CAMPAIGN',
      entity_id: id,
      start_time: hour(-1),
      end_time: hour(1),
    });
    const [deleted, updated, created] = body.data;
    expect(created).toMatchObject({
      change_by: { user_id: advertiser.user.id, platform: 'API_OTHER' },
      changes: {},
      change_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      entity_id: id,
      entity: 'CAMPAIGN',
      entity_data: {
        name: 'Before',
        start_time: null,
        end_time: null,
        purchase_order_number: null,
        [DAILY]: 5_500_000,
        total_budget_amount_local_micro: null,
        duration_in_days: null,
        standard_delivery: true,
        entity_status: 'ACTIVE',
        frequency_cap: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        deleted: false,
      },
      change_type: 'CREATE',
    });
    expect(updated).toMatchObject({
      change_by: { user_id: colleague.user.id },
      changes: { name: { old: 'Before', new: 'After' }, [DAILY]: { old: 5_500_000, new: 1_000_000 } },
      entity_data: { name: 'After', deleted: false },
      change_type: 'UPDATE',
    });
    expect(Object.keys(updated.changes).sort()).toEqual([DAILY, 'name'].sort());
    expect(deleted).toMatchObject({
      change_by: { user_id: advertiser.user.id },
      entity_data: { name: 'After', deleted: true },
      change_type: 'DELETE',
    });
    expect(Object.keys(deleted.entity_data).sort()).toEqual(Object.keys(created.entity_data).sort());
  });

  it('records nothing for a change that changes nothing', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.campaign({ account: advertiser.account, name: 'Same' });
    await advertiser.api.put(`/12/accounts/${advertiser.account.id}/campaigns/${id}`, { query: { name: 'Same' } });
    expect((await history(advertiser, id)).body.data).toHaveLength(1);
  });

  it('records what a batch does, each with its own event', async () => {
    const advertiser = await given.advertiser();
    const [{ id }] = await given.campaigns({ account: advertiser.account, count: 2 });
    await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
      json: [
        { operation_type: 'Update', params: { campaign_id: id, name: 'One' } },
        { operation_type: 'Update', params: { campaign_id: id, name: 'Two' } },
      ],
    });
    const { body } = await history(advertiser, id);
    expect(body.data.map(({ changes }: Json) => changes.name?.new)).toEqual(['Two', 'One', undefined]);
    const [{ n }] = await world().sql<{ n: number }>(
      `SELECT count(*) AS n FROM account_changes c WHERE c."accountId" = $1
        AND NOT EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id)`,
      advertiser.account.id,
    );
    expect(n).toBe(0);
  });

  it('wants whole hours, in order', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.campaign({ account: advertiser.account });
    for (const [name, time] of [
      ['start_time', '2026-01-01T10:30:00Z'],
      ['start_time', '2026-01-01T10:00:01Z'],
      ['end_time', '2040-01-01T10:59:59Z'],
      ['start_time', '2026-01-01T10:00:00+05:30'],
    ]) {
      expect(await history(advertiser, id, { [name]: time })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: name }] },
      });
    }
    for (const end_time of [hour(-1), hour(-2)]) {
      expect(await history(advertiser, id, { end_time })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_TIME_WINDOW', parameter: 'end_time' }] },
      });
    }
  });

  it('names both wrong hours and their order in one answer, beside what else is wrong', async () => {
    const advertiser = await given.advertiser();
    const { status, body } = await history(advertiser, 'Not an id', {
      start_time: '2026-01-02T10:30:00Z',
      end_time: '2026-01-01T10:00:01Z',
      user_id: '7',
    });
    expect({ status, errors: body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`) }).toEqual({
      status: 400,
      errors: [
        'INVALID_PARAMETER entity_id',
        'INVALID_PARAMETER start_time',
        'INVALID_PARAMETER end_time',
        'INVALID_TIME_WINDOW end_time',
      ],
    });
    expect(body.request.params).toMatchObject({ entity_type: 'CAMPAIGN', user_id: '7' });
  });

  it('takes a fraction of a second for no whole hour, unless it is none', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.campaign({ account: advertiser.account });
    for (const fraction of ['.5', '.001', '.0000001']) {
      expect(await history(advertiser, id, { start_time: `2026-01-01T00:00:00${fraction}Z` })).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'start_time' }] },
      });
    }
    const { status, body } = await history(advertiser, id, { start_time: '2026-01-01T02:00:00.000+02:00' });
    expect({ status, start: body.request.params.start_time }).toEqual({ status: 200, start: '2026-01-01T00:00:00Z' });
  });

  it('takes times with an offset, and a date alone', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.campaign({ account: advertiser.account });
    const { status, body } = await history(advertiser, id, {
      start_time: '2026-01-01T02:00:00+02:00',
      end_time: '2040-01-01',
    });
    expect(status).toBe(200);
    expect(body.request.params).toMatchObject({
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2040-01-01T00:00:00Z',
    });
    expect(body.data).toHaveLength(1);
  });

  it('needs all four of its parameters, and names those that are missing', async () => {
    const { account, api } = await given.advertiser();
    const { status, body } = await api.get(`/12/accounts/${account.id}/account_history`);
    expect(status).toBe(400);
    expect(body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort()).toEqual(
      ['entity_id', 'entity_type', 'end_time', 'start_time'].map((name) => `MISSING_PARAMETER ${name}`).sort(),
    );
    expect((await history({ account, api } as Advertiser, 'x', { entity_type: 'ACCOUNT' })).status).toBe(400);
  });

  it('keeps to its window and to one user', async () => {
    const advertiser = await given.advertiser();
    const colleague = await given.member(advertiser.account, 'AD_MANAGER');
    const { id } = await given.campaign({ account: advertiser.account });
    world().clock.advance(2 * HOUR);
    await colleague.api.put(`/12/accounts/${advertiser.account.id}/campaigns/${id}`, { query: { name: 'Later' } });
    const types = async (query: Params) =>
      (await history(advertiser, id, query)).body.data.map(({ change_type }: Json) => change_type);
    expect(await types({ start_time: hour(-3) })).toEqual(['UPDATE', 'CREATE']);
    expect(await types({ start_time: hour(0) })).toEqual(['UPDATE']);
    expect(await types({ start_time: hour(-3), end_time: hour(0) })).toEqual(['CREATE']);
    expect(await types({ start_time: hour(-3), user_id: colleague.user.id })).toEqual(['UPDATE']);
    expect(await types({ start_time: hour(-3), user_id: '1' })).toEqual([]);
  });

  it('takes a cursor only for the same hours', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.campaign({ account: advertiser.account });
    await world().get(CampaignsService).update(advertiser.account, id, { name: 'After' });
    const { body } = await history(advertiser, id, { count: 1 });
    expect((await history(advertiser, id, { count: 1, cursor: body.next_cursor })).status).toBe(200);
    const other = await history(advertiser, id, { cursor: body.next_cursor, start_time: hour(-2) });
    expect(other).toMatchObject({ status: 400, body: { errors: [{ parameter: 'cursor' }] } });
  });

  it('tells nothing of other accounts', async () => {
    const advertiser = await given.advertiser();
    const stranger = await given.advertiser();
    const { id } = await given.campaign({ account: stranger.account });
    expect((await history(advertiser, id)).body.data).toEqual([]);
  });
});
