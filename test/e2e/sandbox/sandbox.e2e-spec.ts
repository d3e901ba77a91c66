import { AccountView } from '../../../src/accounts/accounts/account.presenter.js';
import { FEATURES } from '../../../src/accounts/accounts.features.js';
import { FundingInstrumentView } from '../../../src/campaigns/funding-instruments/funding-instrument.presenter.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { unlike } from '../../support/list-conventions.js';

useSharedApp();

const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
});

describe('accounts of the sandbox', () => {
  it('are made without parameters, and answered as a list of one', async () => {
    const { api, user } = await given.client({ environment: 'sandbox' });
    const { status, body } = await api.post('/12/accounts');
    expect(status).toBe(201);
    expect(body).toEqual({
      request: { params: {} },
      next_cursor: null,
      data: [
        {
          id: expect.stringMatching(/^[0-9a-z]{11,13}$/),
          name: 'Sandbox account',
          business_id: null,
          business_name: null,
          timezone: 'America/Los_Angeles',
          timezone_switch_at: null,
          industry_type: 'OTHER',
          country_code: null,
          approval_status: 'ACCEPTED',
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          deleted: false,
        },
      ],
    });
    expect(unlike(AccountView, body.data[0])).toEqual([]);
    const path = `/12/accounts/${body.data[0].id}`;
    expect((await api.get(path)).body.data).toEqual(body.data[0]);
    const access = await api.get(`${path}/authenticated_user_access`);
    expect(access.body.data).toEqual({ user_id: user.id, permissions: ['ACCOUNT_ADMIN', 'POST_COMPOSER'] });
  });

  it('ignore whatever is sent along', async () => {
    const { api } = await given.client({ environment: 'sandbox' });
    const { status, body } = await api.post('/12/accounts', { form: { name: 'Mine' } });
    expect(status).toBe(201);
    expect(body.data[0].name).toBe('Sandbox account');
  });

  it('are deleted, and then nothing below them answers', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    const { account, api } = advertiser;
    const { id } = await given.campaign({ account });
    const path = `/12/accounts/${account.id}`;
    const { status, body } = await api.delete(path);
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { id: account.id, deleted: true } });
    expect(unlike(AccountView, body.data)).toEqual([]);
    await world().caughtUp();
    for (const [method, below] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/campaigns'],
      ['GET', `/campaigns/${id}`],
      ['GET', '/features'],
      ['POST', '/campaigns'],
    ]) {
      expect(refusal(await api.call(method, `${path}${below}`))).toEqual({
        status: 404,
        errors: ['NOT_FOUND account_id'],
      });
    }
    expect((await api.get('/12/accounts')).body.data).toEqual([]);
    expect((await api.get('/12/accounts', { query: { with_deleted: true } })).body.data).toMatchObject([
      { id: account.id, deleted: true },
    ]);
    expect((await api.get(path, { query: { with_deleted: true } })).body.data).toEqual(body.data);
    expect((await api.call('HEAD', path, { query: { with_deleted: true } })).status).toBe(200);
    expect(refusal(await api.get(`${path}/campaigns`, { query: { with_deleted: true } })).status).toBe(404);
  });
});

describe('the two environments', () => {
  it('see their own accounts only', async () => {
    const real = await given.advertiser();
    const test = await given.account({ userId: real.user.id, environment: 'sandbox' });
    const ids = async (environment: 'production' | 'sandbox') =>
      (await real.api.in(environment).get('/12/accounts')).body.data.map(({ id }: Json) => id);
    expect(await ids('production')).toEqual([real.account.id]);
    expect(await ids('sandbox')).toEqual([test.id]);
    for (const below of ['', '/campaigns', '/features', '/funding_instruments', '/authenticated_user_access']) {
      expect(refusal(await real.api.in('sandbox').get(`/12/accounts/${real.account.id}${below}`))).toEqual({
        status: 404,
        errors: ['NOT_FOUND account_id'],
      });
      expect(refusal(await real.api.in('production').get(`/12/accounts/${test.id}${below}`))).toEqual({
        status: 404,
        errors: ['NOT_FOUND account_id'],
      });
    }
  });

  it('have everything else in common', async () => {
    const { account, api } = await given.advertiser({ environment: 'sandbox' });
    const funding = await given.fundingInstrument({ account });
    const { status, body } = await api.post(`/12/accounts/${account.id}/campaigns`, {
      form: { funding_instrument_id: funding.id, name: 'Try', daily_budget_amount_local_micro: 10_000 },
    });
    expect(status).toBe(201);
    const path = `/12/accounts/${account.id}/campaigns/${body.data.id}`;
    expect((await api.put(path, { query: { name: 'Tried' } })).body.data.name).toBe('Tried');
    expect((await api.delete(path)).body.data.deleted).toBe(true);
  });

  it('cannot be told apart by a signature for the other one', async () => {
    const { api, account } = await given.advertiser();
    const prepared = api.prepare('GET', `/12/accounts/${account.id}`);
    const { sendPrepared } = await import('../../support/api.js');
    expect((await sendPrepared({ ...prepared, target: `/sandbox${prepared.target}` })).status).toBe(401);
  });
});

describe('features of a sandbox account', () => {
  const path = ({ account }: Advertiser) => `/12/accounts/${account.id}/features`;

  it('are added and taken away; the answer is all of them', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    const before: string[] = (await advertiser.api.get(path(advertiser))).body.data;
    const added = await advertiser.api.post(path(advertiser), { query: { feature_keys: 'DR_TAP,AGE_TARGETING' } });
    expect(added.status).toBe(200);
    expect(added.body.data).toEqual([...before, 'AGE_TARGETING', 'DR_TAP'].sort());
    expect(added.body.request.params).toEqual({
      account_id: advertiser.account.id,
      feature_keys: ['DR_TAP', 'AGE_TARGETING'],
    });
    const again = await advertiser.api.post(path(advertiser), { form: { feature_keys: 'DR_TAP' } });
    expect(again.body.data).toEqual(added.body.data);
    const taken = await advertiser.api.delete(path(advertiser), {
      query: { feature_keys: ['DR_TAP', 'AGE_TARGETING'] },
    });
    expect(taken.status).toBe(200);
    expect(taken.body.data).toEqual(before);
    const absent = await advertiser.api.delete(path(advertiser), { query: { feature_keys: 'DR_TAP' } });
    expect(absent.body.data).toEqual(before);
    await world().caughtUp();
    expect((await advertiser.api.get(path(advertiser))).body.data).toEqual(before);
  });

  it('are known ones, and at least one', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    expect((await advertiser.api.post(path(advertiser), { query: { feature_keys: FEATURES.join(',') } })).status).toBe(
      200,
    );
    for (const method of ['POST', 'DELETE']) {
      for (const feature_keys of ['TELEPORT', 'DR_TAP,', '', 'dr_tap']) {
        const answer = await advertiser.api.call(method, path(advertiser), { query: { feature_keys } });
        expect(refusal(answer)).toEqual({ status: 400, errors: ['INVALID_PARAMETER feature_keys'] });
      }
      expect(refusal(await advertiser.api.call(method, path(advertiser)))).toEqual({
        status: 400,
        errors: ['MISSING_PARAMETER feature_keys'],
      });
    }
  });

  it('all arrive when they are added at the same time', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    const answers = await Promise.all(
      FEATURES.map((key) => advertiser.api.post(path(advertiser), { query: { feature_keys: key } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(FEATURES.map(() => 200));
    await world().caughtUp();
    expect((await advertiser.api.get(path(advertiser))).body.data).toEqual([...FEATURES].sort());
  });

  it('cannot be changed outside the sandbox', async () => {
    const advertiser = await given.advertiser();
    for (const method of ['POST', 'DELETE']) {
      const answer = await advertiser.api.call(method, path(advertiser), { query: { feature_keys: 'DR_TAP' } });
      expect(refusal(answer)).toEqual({ status: 404, errors: ['ROUTE_NOT_FOUND undefined'] });
    }
  });
});

describe('funding instruments of a sandbox account', () => {
  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser({ environment: 'sandbox' });
  });
  const path = (id?: string) => `/12/accounts/${advertiser.account.id}/funding_instruments${id ? `/${id}` : ''}`;
  const create = (params: Params) =>
    advertiser.api.post(path(), {
      query: { currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD', ...params },
    });

  it('are made and answered with 201', async () => {
    const { status, body } = await create({
      start_time: '2026-01-01T02:00:00+02:00',
      credit_limit_local_micro: 10_000,
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      type: 'CREDIT_CARD',
      description: 'Visa ending in 0650',
      start_time: '2026-01-01T00:00:00Z',
      credit_limit_local_micro: 10_000,
      io_header: null,
      able_to_fund: true,
      deleted: false,
    });
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      currency: 'USD',
      start_time: '2026-01-01T00:00:00Z',
      type: 'CREDIT_CARD',
      credit_limit_local_micro: 10_000,
    });
    expect(unlike(FundingInstrumentView, body.data)).toEqual([]);
    expect((await advertiser.api.get(path(body.data.id))).body.data).toEqual(body.data);
  });

  it('need currency, start and type', async () => {
    expect(refusal(await advertiser.api.post(path())).errors.sort()).toEqual([
      'MISSING_PARAMETER currency',
      'MISSING_PARAMETER start_time',
      'MISSING_PARAMETER type',
    ]);
    for (const [name, value] of [
      ['currency', 'XXQ'],
      ['currency', 'usd'],
      ['start_time', 'tomorrow'],
      ['start_time', '2026-02-30'],
      ['start_time', ''],
      ['type', 'LIVE_TV_EVENT_IO'],
      ['end_time', 'never'],
      ['credit_limit_local_micro', '0'],
    ]) {
      expect(refusal(await create({ [name]: value }))).toEqual({ status: 400, errors: [`INVALID_PARAMETER ${name}`] });
    }
  });

  it.each([
    ['CREDIT_CARD', 'credit_limit_local_micro', 'funded_amount_local_micro', null],
    ['CREDIT_LINE', 'credit_limit_local_micro', 'funded_amount_local_micro', 7_000_000],
    ['AGENCY_CREDIT_LINE', 'credit_limit_local_micro', 'funded_amount_local_micro', 7_000_000],
    ['INSERTION_ORDER', 'funded_amount_local_micro', 'credit_limit_local_micro', null],
    ['PARTNER_MANAGED', 'funded_amount_local_micro', 'credit_limit_local_micro', null],
  ])('of type %s take %s and not %s', async (type, takes, refuses, remaining) => {
    const own = { type, end_time: '2040-01-01T00:00:00Z' };
    expect(await create({ ...own, [takes]: 7_000_000 })).toMatchObject({
      status: 201,
      body: {
        data: { type, [takes]: 7_000_000, [refuses]: null, credit_remaining_local_micro: remaining },
      },
    });
    expect(refusal(await create({ ...own, [refuses]: 7_000_000 }))).toEqual({
      status: 400,
      errors: [`INVALID_PARAMETER ${refuses}`],
    });
    expect(refusal(await create({ ...own, [takes]: 7_000_001 }))).toEqual({
      status: 400,
      errors: [`INVALID_DENOMINATION ${takes}`],
    });
    expect((await create(own)).status).toBe(201);
  });

  it('need an end for INSERTION_ORDER only, and not before the start', async () => {
    expect(refusal(await create({ type: 'INSERTION_ORDER' }))).toEqual({
      status: 400,
      errors: ['MISSING_PARAMETER end_time'],
    });
    for (const end_time of ['2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z']) {
      expect(refusal(await create({ end_time }))).toEqual({ status: 400, errors: ['INVALID_TIME_WINDOW end_time'] });
    }
  });

  it('are deleted once, and cannot fund any more', async () => {
    const { id } = (await create({})).body.data;
    const { status, body } = await advertiser.api.delete(path(id));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      deleted: true,
      able_to_fund: false,
      reasons_not_able_to_fund: ['DELETED'],
    });
    expect(refusal(await advertiser.api.delete(path(id)))).toEqual({
      status: 404,
      errors: ['NOT_FOUND funding_instrument_id'],
    });
    expect((await advertiser.api.get(path(id), { query: { with_deleted: true } })).body.data).toEqual(body.data);
  });
});

describe('what exists in the sandbox only', () => {
  it('is not there outside it, for whoever asks', async () => {
    const { account, api } = await given.advertiser();
    const { anonymously } = await import('../../support/api.js');
    for (const [method, path] of [
      ['POST', '/12/accounts'],
      ['DELETE', `/12/accounts/${account.id}`],
      ['POST', `/12/accounts/${account.id}/features`],
      ['DELETE', `/12/accounts/${account.id}/features`],
      ['POST', `/12/accounts/${account.id}/funding_instruments`],
      ['DELETE', `/12/accounts/${account.id}/funding_instruments/x`],
    ]) {
      for (const answer of [await api.call(method, path), await anonymously(method, path)]) {
        expect(refusal(answer)).toEqual({ status: 404, errors: ['ROUTE_NOT_FOUND undefined'] });
      }
    }
  });
});
