import type { ServerResponse } from 'node:http';
import { DataSource } from 'typeorm';
import { enqueueNext } from '../../../src/webhooks/replay/replays.statements.js';
import { useApp, world } from '../../support/app.js';
import type { BearerApi } from '../../support/bearer-api.js';
import { given } from '../../support/given.js';
import { closeReceivers, hmacOf, type Received } from '../../support/receiver.js';
import { listening, type Listening } from './listening.js';

useApp({ RATE_LIMIT_WEBHOOK_REPLAYS: '5/900' });
afterEach(closeReceivers);

const MINUTE_MS = 60_000;
const PATH = '/2/webhooks/replay';

/** A minute before now,, `yyyymmddhhmm`. */
const minutesAgo = (minutes: number) =>
  new Date(world().clock.now().getTime() - minutes * MINUTE_MS).toISOString().slice(0, 16).replace(/\D/g, '');

const replay = ({ api }: { api: BearerApi }, params: object) => api.post(PATH, params);
const window = (webhook_id: string, from: number, to: number) => ({
  from_date: minutesAgo(from),
  to_date: minutesAgo(to),
  webhook_id,
});

const isEnd = ({ event }: Received) => 'replay_job_status' in event;
const ofCampaigns = ({ event }: Received) => 'campaign_events' in event;
const idsOf = (received: Received[]) => received.map(({ event }) => event.event_id as string).sort();

/** Makes campaigns, and waits until the webhook has heard of them, and of what pays for them. */
async function heardOf({ advertiser, receiver }: Listening, count: number): Promise<Received[]> {
  const [campaigns, all] = [receiver.received.filter(ofCampaigns).length, receiver.received.length];
  for (let i = 0; i < count; i++) await given.campaign({ account: advertiser.account });
  await receiver.until(campaigns + count, ofCampaigns);
  await settled();
  return receiver.received.slice(all);
}

/** What arrived is recorded a moment later. */
async function settled(): Promise<void> {
  for (;;) {
    const [{ pending }] = await world().sql<{ pending: number }>(
      `SELECT count(*)::int AS pending FROM webhook_deliveries WHERE state = 'PENDING' AND attempts = 0`,
    );
    if (pending === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function ended({ api }: { api: BearerApi }, id: string) {
  for (;;) {
    const { body } = await api.get(`${PATH}/${id}`);
    if (body.data.job_state !== 'Running') return body.data;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('replay', () => {
  it('sends the events of the window again, the same bytes, and then says that it is done', async () => {
    const own = await listening();
    await heardOf(own, 1);
    world().clock.advance(5 * MINUTE_MS);
    const inside = await heardOf(own, 3);
    world().clock.advance(5 * MINUTE_MS);
    await heardOf(own, 1);
    own.receiver.received.length = 0;

    const { status, body } = await replay(own, window(own.webhookId, 6, 4));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        job_id: expect.stringMatching(/^\d+$/),
      },
    });
    const [end] = await own.receiver.until(1, isEnd);
    expect(end.event).toMatchObject({
      event_id: expect.any(String),
      replay_job_status: {
        webhook_id: own.webhookId,
        job_state: 'Complete',
        job_state_description: `${inside.length} of ${inside.length} events were delivered again.`,
        job_id: body.job_id,
      },
    });
    const again = own.receiver.received.filter((each) => !isEnd(each));
    expect(again.map(({ text }) => text).sort()).toEqual(inside.map(({ text }) => text).sort());
    expect(await ended(own, body.job_id)).toMatchObject({
      webhook_id: own.webhookId,
      job_state: 'Complete',
      events: inside.length,
      delivered: inside.length,
      failed: 0,
      from_date: minutesAgo(6),
      to_date: minutesAgo(4),
      created_at: body.created_at,
    });
  });

  it('takes strings alone: a number in JSON is 400, for long ones lose digits', async () => {
    const own = await listening();
    const params = window(own.webhookId, 2, 1);
    const numbers = { from_date: Number(params.from_date), to_date: Number(params.to_date), webhook_id: 1e18 };
    const { status, body } = await replay(own, numbers);
    expect({ status, messages: body.errors.map(({ message }: { message: string }) => message) }).toEqual({
      status: 400,
      messages: [
        `Expected String, got ${params.from_date} for from_date`,
        `Expected String, got ${params.to_date} for to_date`,
        'Expected String, got 1000000000000000000 for webhook_id',
      ],
    });
  });

  it('includes the minute that it ends with, and what was attempted only', async () => {
    const own = await listening();
    const arrived = await heardOf(own, 1);
    own.receiver.answers = 500;
    const failed = await heardOf(own, 1);
    own.receiver.answers = 200;
    const all = [...arrived, ...failed];
    own.receiver.received.length = 0;
    const { body } = await replay(own, window(own.webhookId, 1, 0));
    await own.receiver.until(1, isEnd);
    expect(idsOf(own.receiver.received.filter((each) => !isEnd(each)))).toEqual(idsOf(all));
    expect(await ended(own, body.job_id)).toMatchObject({ events: all.length, delivered: all.length });
  });

  it('there is one at a time; another may follow', async () => {
    const own = await listening();
    await heardOf(own, 1);
    const params = window(own.webhookId, 1, 0);
    const held: ServerResponse[] = [];
    own.receiver.answers = (response) => void held.push(response);
    const answers = await Promise.all([1, 2, 3].map(() => replay(own, params)));
    own.receiver.answers = 200;
    for (const response of held) response.end();
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ status: 409, errors: [{ parameters: { webhook_id: [own.webhookId] } }] });
    await own.receiver.until(1, isEnd);
    const first = answers.find(({ status }) => status === 200)!;
    await ended(own, first.body.job_id);
    expect((await replay(own, params)).status).toBe(200);
  });

  it('a webhook that does not pass a challenge gets none, and is not valid any more', async () => {
    const own = await listening();
    own.receiver.challenged = () => ({ response_token: hmacOf('another secret', 'token') });
    const { status, body } = await replay(own, window(own.webhookId, 2, 1));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            code: 214,
            message: 'Webhook is marked invalid and requires a CRC check.',
            parameters: { webhook_id: [own.webhookId] },
          },
        ],
      },
    });
    const { body: webhooks } = await own.api.get('/2/webhooks');
    expect(webhooks.data).toMatchObject([{ id: own.webhookId, valid: false }]);
  });

  it('does not send the ends of earlier replays again', async () => {
    const own = await listening();
    const { length: events } = await heardOf(own, 1);
    const params = window(own.webhookId, 1, 0);
    for (let round = 1; round <= 2; round++) {
      own.receiver.received.length = 0;
      const { body } = await replay(own, params);
      expect(await ended(own, body.job_id)).toMatchObject({ job_state: 'Complete', events });
      await own.receiver.until(1, isEnd);
      await settled();
      expect(own.receiver.received.filter(isEnd)).toHaveLength(1);
    }
  });

  it('says that a challenge failed because the receiver answered 5xx, and of which webhook; that stays valid', async () => {
    const own = await listening();
    own.receiver.challenged = (_token, response) => void response.writeHead(503).end();
    const { status, body } = await replay(own, window(own.webhookId, 2, 1));
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [
        {
          code: 214,
          message: `The webhook ${own.webhookId} did not pass the challenge that goes before a replay. The answer had status 503.`,
          parameters: { webhook_id: [own.webhookId] },
          details: expect.stringContaining('as valid as it was'),
        },
      ],
    });
    const { body: webhooks } = await own.api.get('/2/webhooks');
    expect(webhooks.data).toMatchObject([{ id: own.webhookId, valid: true }]);
  });

  it('that is refused with 400 uses up no quota', async () => {
    const own = await listening();
    for (let i = 0; i < 6; i++) {
      const { status, headers } = await replay(own, { ...window(own.webhookId, 2, 1), to_date: 'soon' });
      expect([status, headers['x-rate-limit-limit'], headers['x-rate-limit-remaining']]).toEqual([400, '5', '5']);
    }
    own.receiver.challenged = (_token, response) => void response.writeHead(503).end();
    for (let i = 0; i < 6; i++) expect((await replay(own, window(own.webhookId, 2, 1))).status).toBe(400);
    own.receiver.challenged = (token) => ({ response_token: hmacOf(own.application.consumer.secret, token) });
    const { status, headers } = await replay(own, window(own.webhookId, 2, 1));
    expect([status, headers['x-rate-limit-remaining']]).toEqual([200, '4']);
  });

  it('ends as failed where nothing arrives and the webhook is given up', async () => {
    const own = await listening();
    const { length: events } = await heardOf(own, 2);
    own.receiver.answers = 410;
    const { body } = await replay(own, window(own.webhookId, 1, 0));
    expect(await ended(own, body.job_id)).toMatchObject({ job_state: 'Failed', events, delivered: 0 });
  });

  it('ends where its webhook is deleted', async () => {
    const own = await listening();
    await heardOf(own, 2);
    own.receiver.answers = 503;
    const { body } = await replay(own, window(own.webhookId, 1, 0));
    expect((await own.api.delete(`/2/webhooks/${own.webhookId}`)).status).toBe(200);
    const stateOf = async () =>
      (await world().sql<{ state: string }>('SELECT state FROM webhook_replays WHERE id = $1', body.job_id))[0].state;
    for (let tries = 0; tries < 200 && (await stateOf()) === 'RUNNING'; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await stateOf()).not.toBe('RUNNING');
  });

  it('is for webhooks of the application alone, and five of it in a quarter of an hour', async () => {
    const [own, other] = [await listening(), await listening()];
    const unknown = await replay(other, window(own.webhookId, 2, 1));
    expect(unknown).toMatchObject({ status: 404, body: { errors: [{ code: 34 }] } });
    for (let i = 0; i < 4; i++) await replay(other, window('1', 2, 1));
    const limited = await replay(other, window('1', 2, 1));
    expect(limited).toMatchObject({ status: 429, body: { errors: [{ code: 88 }] } });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    const { body } = await replay(own, window(own.webhookId, 2, 1));
    expect((await other.api.get(`${PATH}/${body.job_id}`)).status).toBe(404);
  });

  it('several who go on with it take every event once', async () => {
    const own = await listening();
    const { length: events } = await heardOf(own, 12);
    const id = '1999999999999999';
    const now = world().clock.now().toISOString();
    await world().sql(
      `INSERT INTO webhook_replays (id, "webhookId", "fromTime", "toTime", state, "lastEventTime", "lastEventId", events, "createdAt")
       VALUES ($1, $2, $3::timestamptz - interval '1 hour', $3::timestamptz + interval '1 minute', 'RUNNING', $3::timestamptz - interval '1 hour', '', 0, $3)`,
      id,
      own.webhookId,
      now,
    );
    const db = world().get(DataSource).manager;
    const steps = Array.from({ length: 20 }, () => enqueueNext(db, id, 1_000, world().clock.now()));
    await Promise.all(steps);
    const [counted] = await world().sql(
      `SELECT count(*)::int AS rows, count(DISTINCT "eventId")::int AS events, (SELECT events FROM webhook_replays WHERE id = $1) AS told
       FROM webhook_deliveries WHERE "replayId" = $1`,
      id,
    );
    expect(counted).toEqual({ rows: events, events, told: events });
  });

  it.each([
    ['a missing end', { to_date: undefined }, 357, 'to_date'],
    ['a missing webhook', { webhook_id: undefined }, 357, 'webhook_id'],
    ['a thirteenth month', { from_date: '202613010000' }, 214, 'from_date'],
    ['the 31st of February', { from_date: '202602310000' }, 214, 'from_date'],
    ['a sixtieth minute', { to_date: '202611010060' }, 214, 'to_date'],
    ['a time with dashes', { to_date: '2026-11-01T00:00' }, 214, 'to_date'],
    ['a webhook that is no number', { webhook_id: 'abc' }, 214, 'webhook_id'],
    ['a number that is too long', { webhook_id: '12345678901234567890' }, 214, 'webhook_id'],
    ['an end in the future', { to_date: () => minutesAgo(-2) }, 214, 'to_date'],
    ['a beginning more than a day ago', { from_date: () => minutesAgo(24 * 60 + 2) }, 214, 'from_date'],
    ['an end that is the beginning', { from_date: () => minutesAgo(1) }, 214, 'to_date'],
    ['an end before the beginning', { from_date: () => minutesAgo(1), to_date: () => minutesAgo(3) }, 214, 'to_date'],
  ] as [string, Record<string, unknown>, number, string][])('refuses %s', async (_, wrong, code, parameter) => {
    const own = await given.integrator();
    const made = Object.entries(wrong).map(([name, value]) => [name, typeof value === 'function' ? value() : value]);
    const { status, body } = await replay(own, { ...window('1', 2, 1), ...Object.fromEntries(made) });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { type: expect.stringMatching(/\/2\/problems\/invalid-request$/) },
    });
    expect(
      body.errors.map((each: { code: number; parameters: object }) => [each.code, Object.keys(each.parameters)]),
    ).toContainEqual([code, [parameter]]);
  });
});
