import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { BearerApi } from '../../support/bearer-api.js';
import type { Answer, Api, Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
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

  it('are told where the key is ignored', async () => {
    const created = await create(randomUUID());
    const path = `${campaigns}/${created.body.data.id}`;
    const headers = { 'idempotency-key': randomUUID() };
    const renamed = await api.put(path, { form: { name: 'Winter' }, headers });
    expect([renamed.status, renamed.headers['x-marquee-hint']]).toEqual([
      200,
      expect.stringContaining('Ignored Idempotency-Key'),
    ]);
    const other = await api.put(path, { form: { name: 'Spring' }, headers });
    expect([other.status, other.body.data.name]).toEqual([200, 'Spring']);
    for (const { headers } of [created, await api.get(path, { headers: { 'idempotency-key': 'a key' } })])
      expect(headers).not.toHaveProperty('x-marquee-hint');
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

  it('are rejected on /2 as well if another request had the key', async () => {
    const bearer = await BearerApi.of(await given.application());
    const headers = { authorization: `Bearer ${bearer.token}`, 'idempotency-key': randomUUID() };
    const remove = (id: string) => send(world().url, `/2/webhooks/${id}`, { method: 'DELETE', headers });
    expect([(await remove('123')).status, (await remove('124')).status]).toEqual([404, 422]);
  });

  (SERVER ? it : it.skip)('are rejected while the first is performed, in the form of each family', async () => {
    const bearer = await BearerApi.of(await given.application());
    const families: [number, (headers: Record<string, string>) => Promise<Answer>][] = [
      [201, (headers) => api.post(campaigns, { form, headers })],
      [
        404,
        (headers) =>
          send(world().url, '/2/webhooks/123', {
            method: 'DELETE',
            headers: { authorization: `Bearer ${bearer.token}`, ...headers },
          }),
      ],
      [400, (headers) => api.post('/1.1/media/subtitles/delete.json', { json: {}, headers })],
    ];
    for (const [status, call] of families) {
      const headers = { 'idempotency-key': randomUUID() };
      // whichever is first waits for what is stored of its key
      const runner = world().get(DataSource).createQueryRunner();
      await runner.startTransaction();
      await runner.query('LOCK TABLE idempotent_requests IN ACCESS EXCLUSIVE MODE');
      const both = [call(headers), call(headers)];
      const refused = await Promise.race(both);
      await runner.rollbackTransaction();
      await runner.release();
      expect(refused).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
      expect((await Promise.all(both)).map((each) => each.status).sort()).toEqual([status, 409].sort());
    }
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

  it('are all forgotten, also when there are more than ten thousand', async () => {
    await create(randomUUID());
    await world().sql(
      `INSERT INTO idempotent_requests (id, "userId", "createdAt", fingerprint, status)
        SELECT 'old ' || i, "userId", "createdAt", fingerprint, status FROM idempotent_requests, generate_series(1, 20500) i
        WHERE "userId" = $1`,
      advertiser.user.id,
    );
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
