import { randomUUID } from 'node:crypto';
import { BearerApi } from '../../support/bearer-api.js';
import type { Answer, Api, Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import { ExpiredRowsJob } from '../../../src/auth/expired-rows.job.js';

const DAY_MS = 24 * 3_600_000;

describe('requests with an Idempotency-Key', () => {
  useApp();

  let advertiser: Advertiser;
  let api: Api;
  let campaigns: string;
  let form: Record<string, string>;

  beforeEach(async () => {
    advertiser = await given.advertiser();
    api = advertiser.api;
    campaigns = `/12/accounts/${advertiser.account.id}/campaigns`;
    const funding = await given.fundingInstrument({ account: advertiser.account });
    form = { funding_instrument_id: funding.id, name: 'Autumn', daily_budget_amount_local_micro: '5000000' };
  });

  const create = (key: string, changes: Record<string, string> = {}, by = api) =>
    by.post(campaigns, { form: { ...form, ...changes }, headers: { 'idempotency-key': key } });
  const names = async (): Promise<string[]> =>
    (await api.get(campaigns)).body.data.map(({ name }: Json) => name as string);
  const replayed = ({ headers }: Answer) => headers['idempotent-replayed'];

  it('return the first response and change nothing again', async () => {
    const key = randomUUID();
    const first = await create(key);
    const second = await create(key);
    expect([first.status, replayed(first)]).toEqual([201, undefined]);
    expect([second.status, replayed(second)]).toEqual([201, 'true']);
    expect(second.text).toBe(first.text);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect((await create(`"${key}"`)).text).toBe(first.text);
    expect(await names()).toEqual(['Autumn']);
    expect((await create(randomUUID(), { name: 'Winter' })).status).toBe(201);

    const { id } = first.body.data;
    const remove = () => api.delete(`${campaigns}/${id}`, { headers: { 'idempotency-key': key } });
    expect((await remove()).status).toBe(422);
    const other = { headers: { 'idempotency-key': `${key}-2` } };
    const deleted = await api.delete(`${campaigns}/${id}`, other);
    const again = await api.delete(`${campaigns}/${id}`, other);
    expect([deleted.status, again.status, again.text]).toEqual([200, 200, deleted.text]);
    expect((await api.delete(`${campaigns}/${id}`)).status).toBe(404);
  });

  it('are rejected if the key was used for a different request', async () => {
    const key = randomUUID();
    await create(key);
    const other = await create(key, { name: 'Winter' });
    expect(other).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'IDEMPOTENCY_KEY_REUSED', parameter: 'Idempotency-Key', value: key }] },
    });
    expect(await names()).toEqual(['Autumn']);
  });

  it('are performed once, however many arrive together', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)));
    const created = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status !== 201);
    expect(created.filter((each) => replayed(each) === undefined)).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const each of waiting) {
      expect(each).toMatchObject({ status: 409, body: { errors: [{ code: 'IDEMPOTENCY_KEY_IN_USE' }] } });
      expect(each.headers['retry-after']).toBe('1');
    }
    expect(await names()).toEqual(['Autumn']);
  });

  it('may use the key again after a validation error, but not after another error', async () => {
    const key = randomUUID();
    expect((await create(key, { daily_budget_amount_local_micro: 'much' })).status).toBe(400);
    expect((await create(key)).status).toBe(201);

    const missing = randomUUID();
    const remove = () => api.delete(`${campaigns}/zzz9`, { headers: { 'idempotency-key': missing } });
    const [first, second] = [await remove(), await remove()];
    expect([first.status, second.status, replayed(second)]).toEqual([404, 404, 'true']);
    expect(second.text).toBe(first.text);
  });

  it('stores nothing of a request that fails after its first write', async () => {
    const key = randomUUID();
    const operations = [
      { operation_type: 'Create', params: { ...form, daily_budget_amount_local_micro: 5_000_000 } },
      { operation_type: 'Delete', params: { campaign_id: 'zzz9' } },
    ];
    const batch = () =>
      api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
        json: operations,
        headers: { 'idempotency-key': key },
      });
    expect((await batch()).status).toBe(400);
    expect(await names()).toEqual([]);
    operations.pop();
    const [first, second] = [await batch(), await batch()];
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect(await names()).toEqual(['Autumn']);
  });

  it('have keys of their own for each user, application and account', async () => {
    const key = randomUUID();
    await create(key);
    const second = await given.advertiser();
    const theirs = `/12/accounts/${second.account.id}/campaigns`;
    const funding = await given.fundingInstrument({ account: second.account });
    const sent = { form: { ...form, funding_instrument_id: funding.id }, headers: { 'idempotency-key': key } };
    const answer = await second.api.post(theirs, sent);
    expect([answer.status, replayed(answer)]).toEqual([201, undefined]);
  });

  it('need a key of 1 to 255 printable characters', async () => {
    for (const key of ['', 'x'.repeat(256), '""']) {
      const answer = await create(key);
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'Idempotency-Key' }] },
      });
    }
    expect((await create('x'.repeat(255))).status).toBe(201);
    expect(await names()).toEqual(['Autumn']);
  });

  it('may be repeated for a day, and are forgotten then', async () => {
    const key = randomUUID();
    const first = await create(key);
    world().clock.advance(DAY_MS - 60_000);
    expect((await create(key)).text).toBe(first.text);
    world().clock.advance(61_000);
    const next = await create(key, { name: 'Winter' });
    expect([next.status, replayed(next)]).toEqual([201, undefined]);
    expect((await create(key, { name: 'Winter' })).text).toBe(next.text);
    world().clock.advance(DAY_MS + 1_000);
    await world().get(ExpiredRowsJob).deleteExpired();
    expect(await world().sql(`SELECT 1 FROM idempotent_requests WHERE "userId" = $1`, advertiser.user.id)).toEqual([]);
  });

  it('may be those of an application, and of reads and changes, which ignore the key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const read = await api.get(campaigns, { headers: key });
    expect([read.status, replayed(await api.get(campaigns, { headers: key }))]).toEqual([200, undefined]);
    const { id } = (await api.post(campaigns, { form })).body.data;
    const change = (name: string) => api.put(`${campaigns}/${id}`, { form: { name }, headers: key });
    expect([(await change('One')).status, (await change('Two')).body.data.name]).toEqual([200, 'Two']);

    const bearer = await BearerApi.of(await given.application());
    const remove = () =>
      send(world().url, '/2/webhooks/123', {
        method: 'DELETE',
        headers: { authorization: `Bearer ${bearer.token}`, ...key },
      });
    const [first, second] = [await remove(), await remove()];
    expect([first.status, second.status, replayed(second)]).toEqual([404, 404, 'true']);
    expect(second.text).toBe(first.text);
  });

  it('store their responses sealed', async () => {
    const name = `Secret${randomUUID()}`;
    await create(randomUUID(), { name });
    const rows = await world().sql<{ text: string }>('SELECT r::text AS text FROM idempotent_requests r');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ text }) => text.includes(name))).toBe(false);
  });
});
