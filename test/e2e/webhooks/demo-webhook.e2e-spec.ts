import { setTimeout as pause } from 'node:timers/promises';
import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { Config } from '../../../src/config.js';
import type { DemoCredentials } from '../../../src/demo/credentials-file.js';
import { followBaseUrls, seedDemo } from '../../../src/demo/demo.js';
import { Api } from '../../support/api.js';
import { BearerApi } from '../../support/bearer-api.js';
import { useApp, world } from '../../support/app.js';
import { send, type Json } from '../../support/http.js';
import { hmacOf } from '../../support/receiver.js';

// What the receiver was sent is in the memory of its process, and a demo has one.
useApp({}, 1);

let demo: DemoCredentials;
let api: BearerApi;
beforeAll(async () => {
  demo = (await seedDemo(world().app, world().config))!;
  const [{ id }] = await world().get(CredentialsService).findApplications(demo.consumer_key);
  api = await BearerApi.of({ id });
}, 60_000);

const get = (path: string) => send(world().url, path, { method: 'GET' });
const post = (body: string, headers: Record<string, string>) =>
  send(world().url, '/demo/webhook', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const events = async () => (await get('/demo/webhook/events')).body.data as { event: Json }[];

describe('the webhook of the demo', () => {
  it('is there, valid, and subscribed to all accounts; another may be deleted', async () => {
    const { body } = await api.get('/2/webhooks');
    expect(body.data).toEqual([
      expect.objectContaining({ id: demo.webhook_id, url: `${demo.base_url}/demo/webhook`, valid: true }),
      expect.objectContaining({ id: demo.examples.spare_webhook_id, valid: true }),
    ]);
    const subscriptions = await api.get(`/2/webhooks/${demo.webhook_id}/subscriptions`);
    expect(subscriptions.body.data).toMatchObject([
      { account_id: demo.account_id, active: true },
      { account_id: null, active: true },
    ]);
  });

  it('has a receiver that passes challenges and takes what is signed', async () => {
    const answer = await get('/demo/webhook?crc_token=token&nonce=x');
    expect(answer.body).toEqual({ response_token: hmacOf(demo.consumer_secret, 'token') });
    expect((await get('/demo/webhook?crc_token=')).status).toBe(400);

    const before = (await events()).length;
    const body = '{ "event_id": "made up" }';
    const forged = { 'x-platform-webhooks-signature': hmacOf('another secret', body) };
    for (const headers of [{}, forged] as Record<string, string>[])
      expect((await post(body, headers)).status).toBe(401);
    expect(await events()).toHaveLength(before);
    const signature = { 'x-platform-webhooks-signature': hmacOf(demo.consumer_secret, body) };
    expect((await post(body, signature)).status).toBe(200);
    expect((await events())[0].event).toEqual({ event_id: 'made up' });
    expect((await post('x'.repeat(300_000), signature)).status).toBe(413);

    const page = await get('/demo/webhook');
    expect(page.headers['content-type']).toMatch(/html/);
    expect(page.text).toMatch(/made up/);
  });

  it('hears of what happens, wherever the service is served', async () => {
    const moved = Object.assign(new Config(), world().config, { baseUrl: new URL(world().url) });
    await followBaseUrls(world().app, moved);
    expect((await api.get('/2/webhooks')).body.data[0].url).toBe(`${world().url}/demo/webhook`);
    expect((await api.put(`/2/webhooks/${demo.webhook_id}`)).body).toEqual({ data: { valid: true } });

    const token = { key: demo.access_token, secret: demo.access_token_secret };
    const user = new Api({ consumer: { key: demo.consumer_key, secret: demo.consumer_secret }, token });
    const { body } = await user.post(`/12/accounts/${demo.account_id}/custom_audiences`, {
      form: { name: 'Heard of' },
    });
    const isIt = ({ event }: { event: Json }) => event.custom_audience_events?.[0].entity_id === body.data.id;
    for (let wait = 0; !(await events()).some(isIt) && wait < 100; wait++) await pause(100);
    const { event } = (await events()).find(isIt)!;
    expect(event).toMatchObject({
      for_account_id: demo.account_id,
      custom_audience_events: [{ type: 'create', data: { name: 'Heard of' } }],
    });
  });
});
