import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { write } from '../../../src/common/db/query/write.js';
import { eventWrite } from '../../../src/common/outbox/outbox.js';
import { DeliveriesService } from '../../../src/webhooks/deliveries/deliveries.service.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Application } from '../../support/given.js';
import { closeReceivers, receiver, verify, type Receiver } from '../../support/receiver.js';
import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { exchangeIn } from '../../../src/webhooks/deliveries/attempt-exchange.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { fresh } from '../../support/given/fresh.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { WebhookRetentionJob } from '../../../src/webhooks/deliveries/retention.job.js';
import { Webhook } from '../../../src/webhooks/entities/webhook.entity.js';
import { type Json, send } from '../../support/http.js';
import type { Params } from '../../support/api.js';

describe('delivery log', () => {
  useSharedApp();
  afterEach(closeReceivers);

  const DAY = 24 * 3_600_000;
  let application: Application;
  let target: Receiver;
  let id: string;
  beforeEach(async () => {
    application = await given.application();
    target = await receiver();
    id = await given.webhook(application, target.url);
  });

  const TOLD = { user_event: { revoke: { date_time: '2026-01-01T00:00:00Z' } } };
  const tell = () =>
    write(world().get(DataSource).manager, [eventWrite({ applicationId: application.id }, TOLD, world().clock.now())]);

  async function call(method: string, path: string, by = application) {
    const authorization = `Bearer ${await world().get(BearersService).issue(by.id)}`;
    return send(world().url, path, { method, headers: { authorization } });
  }
  const list = (query: Params = {}, by = application, webhookId = id) =>
    call(
      'GET',
      `/2/webhooks/${webhookId}/deliveries?${new URLSearchParams(query as Record<string, string>).toString()}`,
      by,
    );
  const resend = (deliveryId: string, by = application) =>
    call('POST', `/2/webhooks/${id}/deliveries/${deliveryId}/resend`, by);

  /** The deliveries once they are so. */
  async function until(isSo: (data: Json[]) => boolean): Promise<Json[]> {
    for (;;) {
      const { status, body } = await list();
      expect({ status, body }).toMatchObject({ status: 200 });
      if (isSo(body.data)) return body.data;
      world().get(DeliveryWorker).wakeUp();
      await pause(30);
    }
  }
  const settled = (count: number) =>
    until((data) => data.length === count && data.every(({ state }) => state !== 'PENDING'));

  describe('the log of deliveries', () => {
    it('tells of each event what it was, and how every attempt went', async () => {
      target.answers = (response, nth) => response.writeHead(nth === 1 ? 503 : 200).end();
      await tell();
      const [pending] = await until(([first]) => first?.attempt_count === 1);
      expect(pending).toMatchObject({
        state: 'PENDING',
        settled_at: null,
        next_attempt_at: expect.any(String),
        attempts: [{ status: 503, error: expect.stringContaining('503') }],
      });
      world().clock.set(new Date(Date.parse(pending.next_attempt_at) + 1_000));
      const [delivered] = await settled(1);
      expect(delivered).toEqual({
        ...pending,
        state: 'DELIVERED',
        attempt_count: 2,
        kind: 'user_event.revoke',
        replay_job_id: null,
        next_attempt_at: null,
        settled_at: expect.any(String),
        attempts: [
          ...pending.attempts,
          { at: expect.any(String), latency_ms: expect.any(Number), status: 200, error: null, fault: null },
        ],
      });
      expect(delivered.event_id).toBe(target.received[0].event.event_id);
    });

    it('pages, newest first, and by state', async () => {
      for (let n = 0; n < 5; n++) await tell();
      await settled(5);
      target.answers = 410;
      await tell();
      const all = await settled(6);
      expect(all.map(({ id: each }) => each)).toEqual(
        all
          .map(({ id: each }) => each)
          .toSorted()
          .toReversed(),
      );
      expect(all.map(({ state }) => state)).toEqual(['CANCELLED', ...Array.from({ length: 5 }, () => 'DELIVERED')]);

      const pages: Json[] = [];
      let next: string | undefined;
      do {
        const { body } = await list({ max_results: 4, ...(next && { pagination_token: next }) });
        pages.push(body.data);
        next = body.meta.next_token;
      } while (next);
      expect(pages.map(({ length }) => length)).toEqual([4, 2]);
      expect(pages.flat()).toEqual(all);

      expect((await list({ state: 'CANCELLED' })).body).toMatchObject({ data: [all[0]], meta: { result_count: 1 } });
      expect((await list({ state: 'DELIVERED' })).body.data).toEqual(all.slice(1));
      expect((await list({ state: 'FAILED' })).body).toEqual({ data: [], meta: { result_count: 0 } });
    });

    it.each([
      ['state', { state: 'LOST' }],
      ['max_results', { max_results: 0 }],
      ['pagination_token', { pagination_token: 'nothing' }],
    ])('refuses another %s', async (parameter, query) => {
      const { status, body } = await list(query);
      expect([status, body.status, Object.keys(body.errors[0].parameters ?? {})]).toEqual([400, 400, [parameter]]);
    });

    it("is the application's own: 404 for the webhook of another, and for an unknown one", async () => {
      const other = await given.application();
      expect((await list({}, other)).status).toBe(404);
      expect((await list({}, application, '1')).status).toBe(404);
      expect((await send(world().url, `/2/webhooks/${id}/deliveries`, { method: 'GET' })).status).toBe(401);
    });
  });

  describe('what an attempt sent and received', () => {
    const exchanged = async (eventId: string) => {
      const { text, deliveries } = await world().get(DeliveriesService).event(application.id, eventId);
      return { text: text!, exchanges: deliveries[0].attempts.map(({ exchange }) => exchangeIn(exchange)!) };
    };

    it('is kept: both signatures, and the headers and the first 4 KiB of the response without secrets', async () => {
      const start = '{"password": "hunter2", "note": "a \\u0000 and a \\ud800"}';
      target.answers = (response) => {
        response.writeHead(200, { 'set-cookie': 'sid=topsecret', 'x-api-key': 'topsecret', 'x-queue': 'events' });
        response.end(Buffer.concat([Buffer.from(start), Buffer.from([0, 0xff, 0xfe]), Buffer.alloc(100_000, 'é')]));
      };
      await tell();
      const [{ event_id: eventId }] = await settled(1);
      const { text, exchanges } = await exchanged(eventId as string);
      const [arrived] = target.received;
      expect(text).toBe(arrived.text);
      const [{ sent, received }] = exchanges;
      verify({ ...arrived, headers: sent }, application.consumer.secret, world().clock.now());
      expect(arrived.headers).toMatchObject(sent);
      expect(received!.headers).toMatchObject({ 'set-cookie': '***', 'x-api-key': '***', 'x-queue': 'events' });
      expect(received!.isCut).toBe(true);
      expect(received!.body).toContain('"password": "***"');
      expect(received!.body).toContain('\u0000');
      expect(received!.body.length).toBeLessThanOrEqual(4_096);
      expect(JSON.stringify(exchanges)).not.toMatch(/hunter2|topsecret/);
    });

    it('has no response where there was none', async () => {
      target.answers = (response) => response.destroy();
      await tell();
      const [{ event_id: eventId }] = await until(([first]) => first?.attempt_count === 1);
      const { exchanges } = await exchanged(eventId as string);
      expect(exchanges).toEqual([{ sent: expect.objectContaining({ 'webhook-id': eventId }), received: null }]);
    });

    it('is gone with a deleted user of whom it told', async () => {
      const person = await world().get(UsersService).create(fresh('person').replace(/\W/g, '_').slice(-15), {});
      target.answers = (response) => response.end(`Hello, ${person.username.toUpperCase()}`);
      await tell();
      const [{ event_id: eventId }] = await settled(1);
      const before = await exchanged(eventId as string);
      expect(before.exchanges[0].received!.body).toContain(person.username.toUpperCase());
      await world().get(UserRemoval).delete(person.id);
      await world().get(UserRemoval).finish(person.id);
      expect((await exchanged(eventId as string)).exchanges).toEqual([null]);
    });

    it("is the application's own", async () => {
      await tell();
      const [{ event_id: eventId }] = await settled(1);
      const other = await given.application();
      const theirs = world()
        .get(DeliveriesService)
        .event(other.id, eventId as string);
      await expect(theirs).rejects.toMatchObject({ status: 404 });
    });
  });

  describe('sending one again', () => {
    it('brings the same event with the same text and id', async () => {
      await tell();
      const [{ id: deliveryId }] = await settled(1);
      const { status, body } = await resend(deliveryId);
      expect([status, body.data]).toMatchObject([200, { id: deliveryId, state: 'PENDING', settled_at: null }]);
      const [first, again] = await target.until(2);
      expect([again.text, again.headers['webhook-id']]).toEqual([first.text, first.headers['webhook-id']]);
      expect(await settled(1)).toMatchObject([{ state: 'DELIVERED', attempt_count: 2 }]);
    });

    it('has one that waits for another attempt tried now', async () => {
      target.answers = (response, nth) => response.writeHead(nth === 1 ? 503 : 200, { 'retry-after': '3600' }).end();
      await tell();
      const [{ id: deliveryId }] = await until(([first]) => first?.attempt_count === 1);
      await resend(deliveryId);
      await target.until(2);
      expect(await settled(1)).toMatchObject([{ state: 'DELIVERED' }]);
    });

    it('refuses an unknown delivery, that of another application, and any of a webhook that is not valid', async () => {
      await tell();
      const [{ id: deliveryId }] = await settled(1);
      expect((await resend('nothing')).status).toBe(404);
      expect((await resend(deliveryId, await given.application())).status).toBe(404);
      const other = await given.webhook(application, `${target.url}/2`);
      expect((await call('POST', `/2/webhooks/${other}/deliveries/${deliveryId}/resend`)).status).toBe(404);
      await rows(world().get(DataSource).manager, Webhook).where('id', id).update({ valid: false });
      const { status, body } = await resend(deliveryId);
      expect([status, body.detail]).toEqual([400, expect.stringContaining('PUT')]);
      expect(target.received).toHaveLength(1);
    });
  });

  describe('what is old', () => {
    const count = async (table: string) =>
      (
        await world().sql<{ n: number }>(
          table === 'webhook_attempts'
            ? 'SELECT count(*)::int AS n FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a."deliveryId" WHERE d."webhookId" = $1'
            : `SELECT count(*)::int AS n FROM ${table} WHERE "webhookId" = $1`,
          id,
        )
      )[0].n;
    const clear = () => world().get(WebhookRetentionJob).clear();

    it('is deleted: attempts after 7 days, settled deliveries and their events after 30', async () => {
      await tell();
      const [{ event_id }] = await settled(1);
      const begun = world().clock.now().getTime();
      const kept = async () => [await count('webhook_attempts'), await count('webhook_deliveries')];
      // The job of the service may delete the same rows at this moment; those that it has locked are left to it.
      const cleared = async (expected: number[]) => {
        for (let tries = 0; tries < 20; tries++) {
          await clear();
          if (isDeepStrictEqual(await kept(), expected)) break;
          await pause(100);
        }
        expect(await kept()).toEqual(expected);
      };
      world().clock.set(new Date(begun + 7 * DAY - 60_000));
      await cleared([1, 1]);
      world().clock.set(new Date(begun + 7 * DAY + 60_000));
      await cleared([0, 1]);
      expect((await list()).body.data).toMatchObject([{ attempts: [], attempt_count: 1, kind: 'user_event.revoke' }]);
      world().clock.set(new Date(begun + 30 * DAY - 60_000));
      await cleared([0, 1]);
      world().clock.set(new Date(begun + 30 * DAY + 60_000));
      await cleared([0, 0]);
      expect(await world().sql('SELECT id FROM outgoing_events WHERE id = $1', event_id)).toEqual([]);
    });

    it('an event that is still to be brought to somebody waits', async () => {
      target.answers = (response) => response.writeHead(503, { 'retry-after': '36000' }).end();
      await tell();
      await until(([first]) => first?.attempt_count === 1);
      await world().sql(`UPDATE webhook_deliveries SET "dueAt" = $2 WHERE "webhookId" = $1`, id, '2100-01-01');
      world().clock.advance(31 * DAY);
      await clear();
      expect(await count('webhook_deliveries')).toBe(1);
    });

    it('what is pending for a webhook that was deleted is cancelled', async () => {
      target.answers = 500;
      await tell();
      await until(([first]) => first?.attempt_count === 1);
      const removed = await call('DELETE', `/2/webhooks/${id}`);
      expect(removed.status).toBe(200);
      await clear();
      expect(await world().sql('SELECT state FROM webhook_deliveries WHERE "webhookId" = $1', id)).toEqual([
        { state: 'CANCELLED' },
      ]);
    });
  });
});
