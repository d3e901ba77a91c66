import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { write } from '../../../src/common/db/query/write.js';
import { Jobs } from '../../../src/common/jobs/jobs.js';
import { eventWith, type Audience } from '../../../src/common/outbox/outbox.js';
import { WEBHOOK_RETRY_SECONDS } from '../../../src/config.js';
import { claimDue } from '../../../src/webhooks/deliveries/delivery.statements.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { openAnother } from '../../support/another.js';
import { useApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { closeReceivers, receiver, verify, type Receiver } from '../../support/receiver.js';

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
const tell = (audience: Audience) =>
  write(world().get(DataSource).manager, [eventWith(audience, TOLD, world().clock.now())]);
/** Waits until all events were given to whoever wants them. */
const dispatched = () =>
  until(
    () => world().sql<{ n: number }>('SELECT count(*)::int AS n FROM outgoing_events WHERE "dispatchedAt" IS NULL'),
    ([{ n }]) => n === 0,
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
    world().get(DeliveryWorker).look();
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
    await world().get(CredentialsService).issueToken(advertiser.user.id, application.id, 'read');
    await change(stays);
    const told = await target.until(3);
    expect(told.map(({ event }) => 'user_event' in event).sort()).toEqual([false, false, true]);
  });

  it('it lapses with the membership', async () => {
    const id = await given.webhook(application, target.url, advertiser.account.id);
    const stays = await given.member(advertiser.account, 'ACCOUNT_ADMIN');
    await world().get(AdministrationService).revoke(advertiser.account.id, advertiser.user.id);
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
    await write(world().get(DataSource).manager, [eventWith(later, TOLD, new Date(world().clock.now().getTime() + 5))]);
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
        await write(tx, [eventWith({ applicationId: application.id }, TOLD, world().clock.now())]);
        throw new Error('rolled back');
      });
    await expect(failing).rejects.toThrow('rolled back');
    await tell({ applicationId: application.id });
    await settled(id);
    expect(target.received).toHaveLength(1);
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
      world().get(DeliveryWorker).look();
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
    const all = await fellow.until(2);
    expect(all.map(({ event }) => event).find((event) => event.webhook_events)).toMatchObject({
      webhook_events: [{ type: 'disabled', entity_id: id, data: { valid: false, reason: 'KEPT_FAILING' } }],
    });
    expect(await settled(id, 2)).toMatchObject([{ state: 'CANCELLED' }, { state: 'CANCELLED' }]);
    expect(fellow.received).toHaveLength(2);
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
    const claim = { now: at(0), until: at(30_000), most: 1_000, mostOfOne: 1_000, others: new Map<string, number>() };
    const claimed = await claimDue(world().get(DataSource).manager, claim);
    expect(claimed.filter(({ webhookId }) => webhookId === id)).toMatchObject([{ attempts: 1 }]);
    world().clock.set(new Date(due + 29_999));
    world().get(DeliveryWorker).look();
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
