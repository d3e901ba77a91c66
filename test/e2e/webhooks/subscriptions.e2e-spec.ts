import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser, type Integrator } from '../../support/given.js';

useApp();

let own: Integrator;
let advertiser: Advertiser;
let webhookId: string;
let path: string;
beforeEach(async () => {
  own = await given.integrator();
  advertiser = await given.advertiser({ application: own.application });
  webhookId = await given.webhook(own.application, 'http://127.0.0.1:9/hook');
  path = `/2/webhooks/${webhookId}/subscriptions`;
});

const subscribe = (account_id?: string) => own.api.post(path, { account_id });

describe('subscriptions of a webhook', () => {
  it('are to an account or to all that the application may read', async () => {
    const one = await subscribe(advertiser.account.id);
    expect({ status: one.status, body: one.body }).toEqual({
      status: 201,
      body: {
        data: {
          account_id: advertiser.account.id,
          active: true,
          created_at: expect.any(String),
          id: expect.any(String),
          webhook_id: webhookId,
        },
      },
    });
    const all = await own.api.post(path, {});
    expect(all).toMatchObject({ status: 201, body: { data: { account_id: null, active: true } } });
    const { body } = await own.api.get(path);
    expect(body).toEqual({ data: [all.body.data, one.body.data], meta: { result_count: 2 } });
  });

  it('are there once, however many ask for one at the same moment', async () => {
    for (const accountId of [advertiser.account.id, undefined]) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => subscribe(accountId)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    }
    const [counter] = await world().sql<{ value: number }>(
      'SELECT value FROM counters WHERE "ownerId" = $1',
      webhookId,
    );
    expect(counter.value).toBe(2);
  });

  it('are refused for accounts that the application may not read, as for those that are not there', async () => {
    const stranger = await given.advertiser();
    const gone = await given.advertiser({ application: own.application });
    await given.revokedToken(gone);
    for (const id of [stranger.account.id, gone.account.id, '0000000000000']) {
      expect(await subscribe(id)).toMatchObject({
        status: 404,
        body: {
          detail: `Account ${id} was not found`,
          type: expect.stringMatching(/resource-not-found$/),
          errors: [{ code: 34, parameters: { account_id: [id] } }],
        },
      });
    }
    expect(await subscribe('No Id')).toMatchObject({ status: 400, body: { errors: [{ code: 214 }] } });
    expect((await own.api.get(path)).body.data).toEqual([]);
  });

  it('lapse with the last token or role, and are in force again with the next', async () => {
    await subscribe(advertiser.account.id);
    await subscribe();
    const active = async () =>
      ((await own.api.get(path)).body.data as { active: boolean }[]).map((each) => each.active);
    expect(await active()).toEqual([true, true]);
    const administration = world().get(AdministrationService);
    await administration.revoke(advertiser.account.id, advertiser.user.id);
    expect(await active()).toEqual([false, false]);
    await administration.grant(advertiser.account.id, advertiser.user.id, 'ANALYST');
    expect(await active()).toEqual([true, true]);
    await given.revokedToken(advertiser);
    expect(await active()).toEqual([false, false]);
    expect(await subscribe(advertiser.account.id)).toMatchObject({ status: 200, body: { data: { active: false } } });
  });

  it('end one by one', async () => {
    await subscribe(advertiser.account.id);
    await subscribe();
    const account_id = advertiser.account.id;
    const answers = await Promise.all([1, 2, 3].map(() => own.api.delete(path, { account_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await own.api.get(path)).body.data).toMatchObject([{ account_id: null }]);
    expect(await own.api.delete(path)).toMatchObject({ status: 200, body: { data: { deleted: true } } });
    expect(await own.api.delete(path)).toMatchObject({ status: 404, body: { errors: [{ code: 34 }] } });
    expect((await subscribe(account_id)).status).toBe(201);
  });

  it("belong to one's own webhooks", async () => {
    const other = await given.integrator();
    for (const answer of [await other.api.get(path), await other.api.post(path, {}), await other.api.delete(path)])
      expect(answer).toMatchObject({
        status: 404,
        body: { errors: [{ code: 34, parameters: { webhook_id: [webhookId] } }] },
      });
  });

  it('page', async () => {
    for (let i = 0; i < 4; i++) {
      const { account } = await given.advertiser({ application: own.application });
      await subscribe(account.id);
    }
    const first = await own.api.get(path, { max_results: '3' });
    expect(first.body.meta).toEqual({ result_count: 3, next_token: expect.any(String) });
    const second = await own.api.get(path, { max_results: '3', pagination_token: first.body.meta.next_token });
    expect(second.body.meta).toEqual({ result_count: 1 });
    const ids = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    for (const [name, value] of [
      ['pagination_token', 'broken'],
      ['max_results', '0'],
      ['max_results', '1001'],
    ])
      expect(await own.api.get(path, { [name]: value })).toMatchObject({
        status: 400,
        body: {
          type: expect.stringMatching(/invalid-request$/),
          errors: [{ code: 214, parameters: { [name]: [value] } }],
        },
      });
  });

  it('are 5,000 at most', async () => {
    await subscribe();
    await world().sql(`UPDATE counters SET value = "limit" WHERE "ownerId" = $1 RETURNING value`, webhookId);
    const { status, body } = await subscribe(advertiser.account.id);
    expect([status, body.detail]).toEqual([400, 'A webhook has at most 5000 subscriptions']);
  });
});
