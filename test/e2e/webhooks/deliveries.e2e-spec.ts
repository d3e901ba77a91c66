import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { recordChanges } from '../../../src/accounts/change-log/change-log.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { DATABASE } from '../../../src/common/db/database.js';
import type { ServerTime } from '../../../src/common/db/postgres/server-time.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { write } from '../../../src/common/db/query/write.js';
import { Jobs } from '../../../src/common/jobs/jobs.js';
import { eventWrite, type EventAudience } from '../../../src/common/outbox/outbox.js';
import { WEBHOOK_RETRY_SECONDS } from '../../../src/config/config.js';
import { UNREAD, claimDue, countWaiting } from '../../../src/webhooks/deliveries/delivery.statements.js';
import { MAX_EVENTS } from '../../../src/webhooks/deliveries/dispatch.statements.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { WebhookChecksService } from '../../../src/webhooks/endpoints/webhook-checks.service.js';
import { Webhook } from '../../../src/webhooks/entities/webhook.entity.js';
import { openAnother } from '../../support/another.js';
import { useApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
import { send } from '../../support/http.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import {
  closeReceivers,
  heldChallenge,
  receiver,
  verify,
  type Receiver,
  hmacOf,
  type Received,
} from '../../support/receiver.js';
import { enqueueNext } from '../../../src/webhooks/replay/replays.statements.js';
import type { BearerApi } from '../../support/bearer-api.js';
import { listening, type Listening } from './listening.js';
describe('deliveries', () => {
  useApp();
  afterEach(closeReceivers);

  let application: Application;
  let advertiser: Advertiser;
  let target: Receiver;
  beforeEach(async () => {
    application = await given.application();
    advertiser = await given.advertiser({ application });
    target = await receiver();
    // those of what was made just now
    await dispatched();
  });

  let count = 0;
  /** Makes something that an event tells of; answers its id. */
  async function change(by = advertiser): Promise<string> {
    const { status, body } = await by.api.post(`/12/accounts/${by.account.id}/custom_audiences`, {
      form: { name: `Audience ${++count}` },
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.data.id as string;
  }

  interface Delivery {
    id: string;
    state: string;
    attempts: number;
    dueAt: string;
    lastStatus: number | null;
    lastError: string | null;
  }

  const TOLD = { user_event: { revoke: { date_time: '2026-01-01T00:00:00Z' } } };
  /** Stores an event that no change records. */
  const tell = (audience: EventAudience) =>
    write(world().get(DataSource).manager, [eventWrite(audience, TOLD, world().clock.now())]);
  /** Waits until all events were given to whoever wants them. */
  const dispatched = () =>
    until(
      () => countWaiting(world().get(DataSource).manager, 1),
      ({ events }) => events === 0,
    );
  const webhook = async (id: string) =>
    (
      await world().sql<{ valid: boolean; invalidReason: string | null; failingSince: string | null }>(
        'SELECT valid, "invalidReason", "failingSince" FROM webhooks WHERE id = $1',
        id,
      )
    )[0];
  const log = (webhookId: string) =>
    world().sql<object>(
      'SELECT a.* FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a."deliveryId" WHERE d."webhookId" = $1',
      webhookId,
    );

  const deliveries = (webhookId: string) =>
    world().sql<Delivery>(`SELECT * FROM webhook_deliveries WHERE "webhookId" = $1 ORDER BY id`, webhookId);
  const states = async (webhookId: string) => (await deliveries(webhookId)).map(({ state }) => state);

  /** Waits until something is so. */
  async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
    for (let found = await look(); ; found = await look()) {
      if (isSo(found)) return found;
      await pause(20);
      world().get(DeliveryWorker).wakeUp();
    }
  }

  const settled = (webhookId: string, total = 1) =>
    until(
      () => deliveries(webhookId),
      (found) => found.length >= total && found.every(({ state }) => state !== 'PENDING'),
    );
  const tried = (webhookId: string, times: number) =>
    until(
      () => deliveries(webhookId),
      ([first]) => first?.attempts >= times,
    ).then(([first]) => first);

  describe('bringing events', () => {
    it('a change arrives at the webhook that is subscribed to its account, signed in both ways', async () => {
      const id = await given.webhook(application, target.url, advertiser.account.id);
      const entityId = await change();
      const [one] = await target.until(1);
      verify(one, application.consumer.secret, world().clock.now());
      expect(one.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': one.event.event_id });
      expect(one.event).toMatchObject({
        for_account_id: advertiser.account.id,
        custom_audience_events: [{ type: 'create', entity_id: entityId }],
      });
      expect(await settled(id)).toMatchObject([{ state: 'DELIVERED', attempts: 1, lastStatus: 200, lastError: null }]);
    });

    it('two webhooks of one application get it, that of an application without access to the account does not', async () => {
      const other = await given.application();
      const [second, stranger] = [await receiver(), await receiver()];
      await given.webhook(application, target.url, advertiser.account.id);
      await given.webhook(application, second.url, null);
      const none = await given.webhook(other, stranger.url, advertiser.account.id);
      await change();
      const [one] = await target.until(1);
      const [two] = await second.until(1);
      expect(two.text).toBe(one.text);
      expect(await deliveries(none)).toEqual([]);
    });

    it('a webhook that is subscribed to nothing, or to another account, gets nothing', async () => {
      const another = await given.account({ userId: advertiser.user.id });
      await dispatched();
      const ids = [
        await given.webhook(application, target.url),
        await given.webhook(application, `${target.url}/2`, another.id),
      ];
      await given.webhook(application, `${target.url}/3`, null);
      await change();
      await target.until(1);
      for (const id of ids) expect(await deliveries(id)).toEqual([]);
    });

    it('a subscription lapses with the last token of the application, and is in force again with the next', async () => {
      const id = await given.webhook(application, target.url, advertiser.account.id);
      const stays = await given.member(advertiser.account, 'ACCOUNT_ADMIN');
      await change();
      await target.until(1);
      await given.revokedToken(advertiser);
      await change(stays);
      await dispatched();
      // that it was revoked is the application's to hear
      expect(await deliveries(id)).toHaveLength(2);
      await world().get(AccessTokensService).issue(advertiser.user.id, application.id, 'read');
      await change(stays);
      const told = await target.until(3);
      expect(told.map(({ event }) => 'user_event' in event).sort()).toEqual([false, false, true]);
    });

    it('it lapses with the membership', async () => {
      const id = await given.webhook(application, target.url, advertiser.account.id);
      const stays = await given.member(advertiser.account, 'ACCOUNT_ADMIN');
      await world().get(MembershipsService).revoke(advertiser.account.id, advertiser.user.id);
      await change(stays);
      await dispatched();
      expect(await deliveries(id)).toEqual([]);
    });

    it('of an account that is deleted the last that is told is that it was', async () => {
      await given.webhook(application, target.url, null);
      const { id, userId } = advertiser.account;
      await given.deletedAccount('production', id, userId);
      const [{ event }] = await target.until(1);
      expect(event).toMatchObject({ for_account_id: id, account_events: [{ type: 'delete', entity_id: id }] });
      const later = { accountId: id };
      await write(world().get(DataSource).manager, [
        eventWrite(later, TOLD, new Date(world().clock.now().getTime() + 5)),
      ]);
      await dispatched();
      expect(target.received).toHaveLength(1);
    });

    it('what is about an application goes to all its webhooks, subscribed or not, and to no others', async () => {
      await given.webhook(application, target.url);
      const other = await given.webhook(await given.application(), `${target.url}/other`, null);
      await tell({ applicationId: application.id });
      const [{ event }] = await target.until(1);
      expect(event).toMatchObject(TOLD);
      expect(event).not.toHaveProperty('for_account_id');
      expect(await deliveries(other)).toEqual([]);
    });

    it('an event that is stored in a transaction which is rolled back is never told', async () => {
      const id = await given.webhook(application, target.url);
      const failing = world()
        .get(DataSource)
        .transaction(async (tx) => {
          await write(tx, [eventWrite({ applicationId: application.id }, TOLD, world().clock.now())]);
          throw new Error('rolled back');
        });
      await expect(failing).rejects.toThrow('rolled back');
      await tell({ applicationId: application.id });
      await settled(id);
      expect(target.received).toHaveLength(1);
    });
  });

  describe('reading the history', () => {
    /** Stores a change of the account in a transaction; returns its id. */
    async function stored(tx: EntityManager): Promise<string> {
      const change = { type: 'CREATE', entity: 'CUSTOM_AUDIENCE', id: `X${++count}`, data: {} } as const;
      const by = { id: advertiser.account.id, userId: advertiser.user.id };
      await write(tx, [recordChanges([change], by, world().clock.now())]);
      return change.id;
    }
    const delivered = () => target.received.map(({ event }) => event.custom_audience_events?.[0].entity_id as string);

    const OPERATION = fc.record({
      transaction: fc.nat(1),
      does: fc.constantFrom('store', 'store', 'commit', 'rollback', 'wait'),
    });
    type Operation = typeof OPERATION extends fc.Arbitrary<infer T> ? T : never;

    (SERVER ? it : it.skip)('changes arrive once each, in whatever order their transactions commit', async () => {
      await given.webhook(application, target.url, advertiser.account.id);
      const expected = new Set<string>();
      async function carryOut(operations: Operation[]) {
        const open = new Map<number, { runner: QueryRunner; ids: string[] }>();
        async function end(transaction: number, commits: boolean) {
          const { runner, ids } = open.get(transaction)!;
          open.delete(transaction);
          await (commits ? runner.commitTransaction() : runner.rollbackTransaction());
          await runner.release();
          if (commits) ids.forEach((id) => expected.add(id));
        }
        for (const { transaction, does } of operations) {
          if (does === 'wait') await world().get(DeliveryWorker).dispatch();
          else if (does !== 'store') await (open.has(transaction) && end(transaction, does === 'commit'));
          else {
            const known = open.get(transaction) ?? { runner: world().get(DataSource).createQueryRunner(), ids: [] };
            if (!open.has(transaction)) await known.runner.startTransaction();
            open.set(transaction, known);
            known.ids.push(await stored(known.runner.manager));
          }
        }
        for (const transaction of [...open.keys()].reverse()) await end(transaction, true);
        await until(
          async () => delivered(),
          (found) => [...expected].every((id) => found.includes(id)),
        );
      }
      await fc.assert(fc.asyncProperty(fc.array(OPERATION, { minLength: 4, maxLength: 24 }), carryOut), {
        numRuns: 25,
      });
      await dispatched();
      expect([...delivered()].sort()).toEqual([...expected].sort());
    });

    it('more changes than a batch takes arrive once each', async () => {
      await given.webhook(application, target.url, advertiser.account.id);
      const total = MAX_EVENTS + 20;
      await world()
        .get(DataSource)
        .transaction(async (tx) => {
          for (let i = 0; i < total; i++) await stored(tx);
        });
      await target.until(total);
      await dispatched();
      expect(new Set(delivered()).size).toBe(total);
      expect(target.received).toHaveLength(total);
    });

    it('is by the index, among 20,000 changes that were read', async () => {
      await world().sql(
        `INSERT INTO account_changes SELECT 'z' || n, $1, 'CAMPAIGN', 'z' || n, 'CREATE', now(), '1', 'API_OTHER', '{}', '{}', 3
          FROM generate_series(1, 20000) AS n`,
        advertiser.account.id,
      );
      await world().sql('ANALYZE account_changes');
      const plan = await world().sql<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT (SELECT c.id FROM account_changes c WHERE ${UNREAD} ORDER BY c."transactionId", c.id LIMIT 1) FROM change_positions p`,
      );
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toMatch(/Index .*account_changes_by_transaction/);
      expect(text).not.toMatch(/Seq Scan on account_changes/);
      await world().sql(`DELETE FROM account_changes WHERE "transactionId" = 3`);
    });

    it('goes on in a database that was restored from a dump of another cluster', async () => {
      const id = await given.webhook(application, target.url, advertiser.account.id);
      const read = await change();
      await target.until(1);
      await settled(id);
      world().clock.advance(1_000);
      // as a dump has it: a change that was not read, and all numbers far beyond those of this cluster
      const beyond = 1_000_000_000;
      await world()
        .get(DataSource)
        .transaction(async (tx) => {
          const unread = await stored(tx);
          await tx.query(
            `UPDATE account_changes SET "transactionId" = "transactionId" + ${beyond} WHERE "transactionId" > 0`,
          );
          await tx.query(`UPDATE account_changes SET "transactionId" = ${3 * beyond} WHERE "entityId" = $1`, [unread]);
          await tx.query(`UPDATE change_positions SET "readSnapshot" = '${2 * beyond}:${2 * beyond}:'`);
        });
      const [{ event }] = (await target.until(2)).slice(1);
      const later = await change();
      await target.until(3);
      await dispatched();
      expect(delivered()).toEqual([read, event.custom_audience_events[0].entity_id, later]);
      expect(await world().sql('SELECT 1 FROM account_changes WHERE "transactionId" >= $1', beyond)).toEqual([]);
    });
  });

  describe('what fails', () => {
    it('is tried again after 10 s, 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, the same text and id each time, then given up', async () => {
      const id = await given.webhook(application, target.url);
      target.answers = 500;
      await tell({ applicationId: application.id });
      for (const [n, seconds] of WEBHOOK_RETRY_SECONDS.entries()) {
        const { dueAt, state, lastStatus, lastError } = await tried(id, n + 1);
        expect({ state, lastStatus, lastError }).toEqual({
          state: 'PENDING',
          lastStatus: 500,
          lastError: expect.stringContaining('500'),
        });
        const wait = (Date.parse(dueAt) - world().clock.now().getTime()) / 1_000;
        expect(wait).toBeLessThanOrEqual(seconds * 1.2);
        expect(wait).toBeGreaterThan(seconds - 5);
        world().clock.set(new Date(Date.parse(dueAt) - 1));
        world().get(DeliveryWorker).wakeUp();
        await pause(30);
        expect(target.received).toHaveLength(n + 1);
        world().clock.set(new Date(dueAt));
      }
      expect(await settled(id)).toMatchObject([{ state: 'FAILED', attempts: 8 }]);
      expect(new Set(target.received.map(({ text }) => text)).size).toBe(1);
      for (const each of target.received) verify(each, application.consumer.secret, new Date(0));
      const stamps = target.received.map(({ headers }) => Number(headers['webhook-timestamp']));
      expect(stamps).toEqual([...new Set(stamps)].sort((one, other) => one - other));
      expect(await log(id)).toHaveLength(8);
    });

    it('waits as long as retry-after says, where that is longer', async () => {
      const id = await given.webhook(application, target.url);
      target.answers = (response) => response.writeHead(503, { 'retry-after': '600' }).end();
      world().clock.set(world().clock.now());
      await tell({ applicationId: application.id });
      const { dueAt } = await tried(id, 1);
      expect(Date.parse(dueAt) - world().clock.now().getTime()).toBe(600_000);
    });

    it('is done with when it arrives, and the webhook does not count as failing any more', async () => {
      const id = await given.webhook(application, target.url);
      target.answers = (response, nth) => response.writeHead(nth === 1 ? 500 : 204).end();
      await tell({ applicationId: application.id });
      const { dueAt } = await tried(id, 1);
      expect(await webhook(id)).toMatchObject({ valid: true, failingSince: expect.any(String) });
      world().clock.set(new Date(dueAt));
      expect(await settled(id)).toMatchObject([{ state: 'DELIVERED', attempts: 2, lastStatus: 204, lastError: null }]);
      expect(await webhook(id)).toMatchObject({ failingSince: null });
    });

    it('a redirect is not followed', async () => {
      const elsewhere = await receiver();
      const id = await given.webhook(application, target.url);
      target.answers = (response) => response.writeHead(302, { location: elsewhere.url }).end();
      await tell({ applicationId: application.id });
      expect(await tried(id, 1)).toMatchObject({ state: 'PENDING', lastStatus: 302 });
      expect(elsewhere.received).toEqual([]);
    });

    it('nobody listens there', async () => {
      const id = await given.webhook(application, 'http://127.0.0.1:9/events');
      await tell({ applicationId: application.id });
      expect(await tried(id, 1)).toMatchObject({ state: 'PENDING', lastStatus: null, lastError: expect.any(String) });
    });

    it('410 disables the webhook: what is pending is cancelled, and the other webhooks of the application are told', async () => {
      const id = await given.webhook(application, target.url);
      target.answers = 500;
      await tell({ applicationId: application.id });
      await tried(id, 1);
      target.answers = 410;
      const other = await receiver();
      await tell({ applicationId: application.id });
      await until(
        () => webhook(id),
        ({ valid }) => !valid,
      );
      expect(await webhook(id)).toMatchObject({ invalidReason: 'GONE' });
      await settled(id, 2);
      expect(await states(id)).toEqual(['CANCELLED', 'CANCELLED']);
      await given.webhook(application, other.url);
      await tell({ applicationId: application.id });
      await other.until(1);
      expect(target.received).toHaveLength(2);
    });

    it('410 to an attempt that began before the webhook passed a challenge does not disable it', async () => {
      const { api } = await given.integrator(application);
      target = await receiver(application.consumer.secret);
      const id = await given.webhook(application, target.url);
      const begun: ServerResponse[] = [];
      target.answers = (response) => void begun.push(response);
      await tell({ applicationId: application.id });
      await target.until(1);
      world().clock.advance(1_000);
      expect((await api.put(`/2/webhooks/${id}`)).body).toEqual({ data: { valid: true } });
      target.answers = 200;
      begun[0].writeHead(410).end();
      expect(await tried(id, 1)).toMatchObject({ state: 'PENDING', lastStatus: 410 });
      world().clock.advance(1_000);
      await tell({ applicationId: application.id });
      await target.until(2);
      expect(await webhook(id)).toMatchObject({ valid: true });
      target.answers = 410;
      await tell({ applicationId: application.id });
      const disabled = await until(
        () => webhook(id),
        ({ valid }) => !valid,
      );
      expect(disabled).toMatchObject({ invalidReason: 'GONE' });
    });

    it('410 disables the webhook also if a scheduled challenge that began before it is passed', async () => {
      target = await receiver(application.consumer.secret);
      const id = await given.webhook(application, target.url);
      const [row] = await rows(world().get(DataSource).manager, Webhook).where('id', id).getMany();
      const asked = heldChallenge(target);
      const checked = world().get(WebhookChecksService).check(row, { isScheduled: true });
      const answer = await asked;
      target.answers = 410;
      await tell({ applicationId: application.id });
      await until(
        () => webhook(id),
        ({ valid }) => !valid,
      );
      answer();
      expect(await checked).toMatchObject({ passed: true });
      expect(await webhook(id)).toMatchObject({ valid: false, invalidReason: 'GONE' });
    });

    it('after three days in which nothing arrived it is disabled, once, and its fellows hear of it', async () => {
      const fellow = await receiver();
      const id = await given.webhook(application, target.url);
      target.answers = 500;
      await tell({ applicationId: application.id });
      const { dueAt } = await tried(id, 1);
      await given.webhook(application, fellow.url);
      const since = Date.parse((await webhook(id)).failingSince!);
      const threeDays = 3 * 24 * 3_600_000;
      world().clock.set(new Date(dueAt));
      const { dueAt: next } = await tried(id, 2);
      expect(Date.parse(next)).toBeLessThan(since + threeDays);
      world().clock.set(new Date(since + threeDays));
      await tell({ applicationId: application.id });
      const [told] = await fellow.until(1, ({ event }) => event.webhook_events !== undefined);
      expect(told.event).toMatchObject({
        webhook_events: [{ type: 'disabled', entity_id: id, data: { valid: false, reason: 'KEPT_FAILING' } }],
      });
      expect(await settled(id, 2)).toMatchObject([{ state: 'CANCELLED' }, { state: 'CANCELLED' }]);
      await fellow.until(1, ({ event }) => event.user_event !== undefined);
      // a delivery that was claimed while the clock jumped may come twice
      expect(new Set(fellow.received.map(({ event }) => event.event_id)).size).toBe(2);
    });

    it('its failures count anew once it is validated', async () => {
      const id = await given.webhook(application, (await receiver(application.consumer.secret)).url);
      await world().sql(
        `UPDATE webhooks SET valid = false, "invalidReason" = 'KEPT_FAILING', "failingSince" = '2026-01-01' WHERE id = $1`,
        id,
      );
      const [row] = await rows(world().get(DataSource).manager, Webhook).where('id', id).getMany();
      expect(await world().get(WebhookChecksService).check(row)).toMatchObject({ passed: true });
      expect(await webhook(id)).toEqual({ valid: true, invalidReason: null, failingSince: null });
    });
  });

  describe('what hangs, or has no end', () => {
    it('an answer without end counts by its status, and is not read to its end', async () => {
      const id = await given.webhook(application, target.url);
      let sent = 0;
      target.answers = (response) => {
        response.writeHead(200);
        const more = () => {
          sent += 65_536;
          if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setTimeout(more, 1));
        };
        more();
      };
      await tell({ applicationId: application.id });
      expect(await settled(id)).toMatchObject([{ state: 'DELIVERED' }]);
      expect(sent).toBeLessThan(20 * 1024 * 1024);
    });

    it('one that never answers has failed after 10 s, and slows nobody meanwhile', async () => {
      const hanging = await receiver();
      hanging.answers = null;
      const hangs = await given.webhook(application, hanging.url);
      const id = await given.webhook(application, target.url);
      for (let n = 0; n < 20; n++) await tell({ applicationId: application.id });
      expect(await settled(id, 20)).toHaveLength(20);
      expect((await deliveries(hangs)).every(({ attempts }) => attempts === 0)).toBe(true);
      const { lastStatus, lastError } = await tried(hangs, 1);
      expect({ lastStatus, lastError }).toEqual({ lastStatus: null, lastError: expect.stringContaining('10 seconds') });
    });
  });

  describe('several workers', () => {
    it('what one held that died another makes when its lease is over', async () => {
      const id = await given.webhook(application, target.url);
      target.answers = 500;
      world().clock.set(world().clock.now());
      await tell({ applicationId: application.id });
      const due = Date.parse((await tried(id, 1)).dueAt);
      target.answers = 200;
      const at = (ms: number) => new Date(due + ms).toISOString();
      const claim = {
        now: at(0),
        until: at(30_000),
        limit: 1_000,
        limitOfOne: 1_000,
        others: new Map<string, number>(),
      };
      const claimed = await claimDue(world().get(DataSource).manager, claim);
      expect(claimed.filter(({ webhookId }) => webhookId === id)).toMatchObject([{ attempts: 1 }]);
      world().clock.set(new Date(due + 29_999));
      world().get(DeliveryWorker).wakeUp();
      await pause(50);
      expect(target.received).toHaveLength(1);
      world().clock.set(new Date(due + 30_000));
      expect(await settled(id)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }]);
    });

    (SERVER ? it : it.skip)('two share the work: each event arrives, and none twice', async () => {
      const another = await openAnother();
      try {
        await another.get(Jobs).start();
        const id = await given.webhook(application, target.url);
        const events = 300;
        await Promise.all(Array.from({ length: events }, () => tell({ applicationId: application.id })));
        expect(await settled(id, events)).toHaveLength(events);
        expect(target.received).toHaveLength(events);
        expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(events);
      } finally {
        await another.close();
      }
    });

    describe('of which one stops', () => {
      // another replica would go on with what this one leaves
      useApp({}, 1);

      (SERVER ? it : it.skip)('the other ends what it has begun, and gives back the rest', async () => {
        const another = await openAnother();
        await world().get(Jobs).stop();
        await another.get(Jobs).start();
        const id = await given.webhook(application, target.url);
        const begun: ServerResponse[] = [];
        target.answers = (response) => void begun.push(response);
        const events = 30;
        await Promise.all(Array.from({ length: events }, () => tell({ applicationId: application.id })));
        const leased = (found: Delivery[]) =>
          found.filter(({ dueAt }) => Date.parse(dueAt) > world().clock.now().getTime()).length;
        // a webhook of which nothing is known has four requests under way, and four times as much is held for it
        await until(
          () => deliveries(id),
          (found) => found.length === events && leased(found) === 16,
        );
        await target.until(4);
        const closed = another.close();
        await until(
          () => deliveries(id),
          (found) => leased(found) === 4,
        );
        for (const response of begun) response.writeHead(200).end();
        await closed;
        expect(target.received).toHaveLength(4);
        const found = await deliveries(id);
        const arrived = found.filter(({ state }) => state === 'DELIVERED');
        expect(arrived.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
        const left = found.filter(({ state }) => state === 'PENDING');
        expect(left.map(({ attempts }) => attempts)).toEqual(Array.from({ length: events - 4 }, () => 0));
        expect(leased(left)).toBe(0);
      });
    });
  });
});

describe('replay', () => {
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

      const asked = window(own.webhookId, 6, 4);
      const { status, body } = await replay(own, asked);
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
        ...asked,
        job_state: 'Complete',
        events: inside.length,
        delivered: inside.length,
        failed: 0,
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

    it('leaves out accounts that the application may not read any more', async () => {
      const own = await listening();
      const other = await given.advertiser({ application: own.application });
      await heardOf(own, 1);
      await heardOf({ ...own, advertiser: other }, 1);
      const replayed = async () => {
        own.receiver.received.length = 0;
        const { body } = await replay(own, window(own.webhookId, 5, 0));
        await own.receiver.until(1, isEnd);
        const { events, delivered } = await ended(own, body.job_id);
        const again = own.receiver.received.filter((each) => !isEnd(each));
        expect([events, delivered]).toEqual([again.length, again.length]);
        return [...new Set(again.flatMap(({ event }) => (event.for_account_id as string | undefined) ?? []))].sort();
      };
      const [one, both] = [[own.advertiser.account.id], [own.advertiser.account.id, other.account.id].sort()];
      expect(await replayed()).toEqual(both);
      const memberships = world().get(MembershipsService);
      await memberships.revoke(other.account.id, other.user.id);
      expect(await replayed()).toEqual(one);
      await memberships.grant(other.account.id, other.user.id, 'ACCOUNT_ADMIN');
      expect(await replayed()).toEqual(both);
      await given.revokedToken(other);
      await own.receiver.until(1, ({ event }) => 'user_event' in event);
      await settled();
      expect(await replayed()).toEqual(one);
    });

    it('finds what it may send behind many events that it may not', async () => {
      const own = await listening();
      const other = await given.advertiser({ application: own.application });
      const [{ event }] = (await heardOf({ ...own, advertiser: other }, 1)).filter(ofCampaigns);
      const sent = await heardOf(own, 1);
      // as many as other accounts make in a day
      const copies = (table: string, column: string) =>
        world().sql(
          `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object('id', r.id || n, '${column}', r."${column}" || n))).*
            FROM ${table} r, generate_series(1, 1200) n WHERE r."${column}" = $1 ${table === 'webhook_deliveries' ? `AND r."replayId" = ''` : ''}`,
          event.event_id,
        );
      for (const [table, column] of [
        ['outgoing_events', 'id'],
        ['account_changes', 'id'],
        ['webhook_deliveries', 'eventId'],
      ])
        // prettier-ignore
        await copies(table, column);
      const counted = await world().sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM webhook_deliveries WHERE "webhookId" = $1`,
        own.webhookId,
      );
      expect(counted[0].n).toBeGreaterThan(1_200);
      await world().get(MembershipsService).revoke(other.account.id, other.user.id);
      await settled();
      own.receiver.received.length = 0;
      const { body } = await replay(own, window(own.webhookId, 5, 0));
      const { events } = await ended(own, body.job_id);
      await own.receiver.until(1, isEnd);
      const again = own.receiver.received.filter((each) => !isEnd(each) && ofCampaigns(each));
      expect(idsOf(again)).toEqual(idsOf(sent.filter(ofCampaigns)));
      expect(events).toBeLessThan(20);
    });

    it('has the last events of an account that was deleted', async () => {
      const own = await listening();
      const { id, userId } = own.advertiser.account;
      await given.deletedAccount('production', id, userId);
      const isDeletion = ({ event }: Received) => event.account_events?.[0].type === 'delete';
      const [{ event: deletion }] = await own.receiver.until(1, isDeletion);
      await settled();
      own.receiver.received.length = 0;
      await replay(own, window(own.webhookId, 5, 0));
      await own.receiver.until(1, isEnd);
      expect(own.receiver.received.filter(isDeletion)).toHaveLength(1);
      const { body } = await own.api.get(`/2/webhooks/${own.webhookId}/deliveries`);
      const delivery = body.data.find((each: { event_id: string }) => each.event_id === deletion.event_id);
      const again = await own.api.post(`/2/webhooks/${own.webhookId}/deliveries/${delivery.id}/resend`);
      expect(again.status).toBe(200);
      await own.receiver.until(2, isDeletion);
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
            message: `The webhook ${own.webhookId} did not pass the challenge before the replay. The response had status 503.`,
            parameters: { webhook_id: [own.webhookId] },
            details: expect.stringContaining('its validity is unchanged'),
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
});

describe('a replica whose clock is wrong', () => {
  // another replica would deliver
  useApp({}, 1);
  afterEach(closeReceivers);

  it('is not ready and delivers nothing, until its clock is right again', async () => {
    const application = await given.application();
    const { account, api } = await given.advertiser({ application });
    const database = world().get<{ time?: Pick<ServerTime, 'skewMs'> }>(DATABASE as never);
    const { time } = database;
    const health = () => send(world().direct, '/health/ready', { method: 'GET' });
    const waiting = () => countWaiting(world().get(DataSource).manager, 10);
    // the creation of the account is nobody's event, unless it is dispatched after the subscription
    while ((await waiting()).events > 0) await pause(20);
    const target = await receiver();
    await given.webhook(application, target.url, account.id);
    try {
      for (const skewMs of [-240_000, 240_000, 2_100]) {
        database.time = { skewMs };
        expect((await health()).status).toBe(503);
        const name = `At ${skewMs}`;
        const { status } = await api.post(`/12/accounts/${account.id}/custom_audiences`, { form: { name } });
        expect(status).toBe(201);
        for (let rounds = 0; rounds < 20 || (await waiting()).events > 0; rounds++) {
          world().get(DeliveryWorker).wakeUp();
          await pause(20);
        }
        expect(await waiting()).toMatchObject({ events: 0, deliveries: 1 });
        const before = target.received.length;
        database.time = { skewMs: 100 };
        world().get(DeliveryWorker).wakeUp();
        await target.until(before + 1);
        expect((await health()).status).toBe(200);
        while ((await waiting()).deliveries > 0) await pause(20);
      }
      expect(target.received).toHaveLength(3);
    } finally {
      database.time = time;
    }
  });
});
