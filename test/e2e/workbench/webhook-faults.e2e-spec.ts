import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { write } from '../../../src/common/db/query/write.js';
import { eventWrite } from '../../../src/common/outbox/outbox.js';
import { DeliveryWorker } from '../../../src/webhooks/deliveries/delivery-worker.js';
import { Api, type Json, type Params } from '../../support/api.js';
import { addFaultsCommands } from '../../../src/cli/workbench/faults.commands.js';
import { commandsInside } from '../../support/commands-inside.js';
import { useSharedApp, world } from '../../support/app.js';
import { BearerApi } from '../../support/bearer-api.js';
import { given, type Application } from '../../support/given.js';
import { closeReceivers, receiver, verify, type Receiver } from '../../support/receiver.js';

const TOLD = { user_event: { revoke: { date_time: '2026-01-01T00:00:00Z' } } };
const FORMATS = { 'x-platform-webhooks-signature': /^sha256=[\w+/]{43}=$/, 'webhook-signature': /^v1,[\w+/]{43}=$/ };

describe('faults in deliveries to webhooks', () => {
  useSharedApp();
  afterEach(closeReceivers);

  let application: Application;
  let owner: Api;
  let ownerId: string;
  let bearer: BearerApi;
  let target: Receiver;
  let webhookId: string;

  beforeEach(async () => {
    application = await given.application();
    ({ ownerId } = (await world().get(ApplicationQueries).findById(application.id))!);
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    owner = new Api({ consumer: application.consumer, token });
    bearer = await BearerApi.of(application);
    target = await receiver(application.consumer.secret);
    webhookId = await given.webhook(application, target.url, null);
  });

  /** Creates a fault that every replica knows, and returns its id. */
  async function fault(form: Params): Promise<string> {
    const { status, body } = await owner.post('/workbench/faults', { form });
    expect({ status, body }).toMatchObject({ status: 201 });
    await world().caughtUp();
    return body.data.id as string;
  }
  const shown = async (id: string): Promise<Json> => (await owner.get(`/workbench/faults/${id}`)).body.data;
  const tell = async (applicationId = application.id) => {
    await write(world().get(DataSource).manager, [eventWrite({ applicationId }, TOLD, world().clock.now())]);
    world().get(DeliveryWorker).wakeUp();
  };

  /** The deliveries, newest first, once they are so. */
  async function until(isSo: (data: Json[]) => boolean, of = webhookId): Promise<Json[]> {
    for (;;) {
      const { body } = await bearer.get(`/2/webhooks/${of}/deliveries`, { max_results: '100' });
      if (isSo(body.data)) return body.data;
      world().get(DeliveryWorker).wakeUp();
      await pause(30);
    }
  }
  const delivered = (count: number, of?: string) =>
    until((data) => data.length === count && data.every(({ state }) => state === 'DELIVERED'), of);
  const ids = () => target.received.map(({ headers }) => headers['webhook-id'] as string);

  it('drops deliveries, exactly so many with any number of replicas; they can be sent again', async () => {
    const id = await fault({ webhook_fault: 'DROP', times: 5 });
    await Promise.all(Array.from({ length: 12 }, () => tell()));
    const all = await delivered(12);
    const dropped = all.filter(({ attempts }) => attempts[0].fault === id);
    expect(dropped).toHaveLength(5);
    for (const { attempts, attempt_count } of dropped)
      expect([attempts, attempt_count]).toMatchObject([[{ status: null, error: null, fault: id }], 1]);
    expect(new Set(ids())).toEqual(
      new Set(all.filter(({ attempts }) => attempts[0].fault === null).map(({ event_id }) => event_id as string)),
    );
    expect(ids()).toHaveLength(7);
    expect(await shown(id)).toMatchObject({ applied_count: 5, active: false });
    const [{ id: deliveryId, event_id: eventId }] = dropped;
    const again = await bearer.post(`/2/webhooks/${webhookId}/deliveries/${deliveryId}/resend`);
    expect([again.status, again.body.data?.state]).toEqual([200, 'PENDING']);
    await target.until(1, ({ headers }) => headers['webhook-id'] === eventId);
    const [{ attempts }] = (await delivered(12)).filter((each) => each.id === deliveryId);
    expect(attempts).toMatchObject([{ fault: id }, { fault: null, status: 200 }]);
  });

  it('sends an event twice', async () => {
    const id = await fault({ webhook_fault: 'DUPLICATE', latency_ms: 100, times: 1 });
    await tell();
    const [first, second] = await target.until(2);
    expect([second.text, second.headers['webhook-id']]).toEqual([first.text, first.headers['webhook-id']]);
    for (const each of [first, second]) {
      expect(each.headers['x-marquee-fault']).toBe(id);
      verify(each, application.consumer.secret, world().clock.now());
    }
    const [{ attempts }] = await delivered(1);
    expect(attempts).toMatchObject([
      { fault: id, status: 200 },
      { fault: id, status: 200 },
    ]);
    await tell();
    await delivered(2);
    expect(ids()).toHaveLength(3);
  });

  it('delays a delivery, while others are sent', async () => {
    const other = await given.application();
    const theirs = await receiver(other.consumer.secret);
    await given.webhook(other, theirs.url);
    const id = await fault({ webhook_fault: 'DELAY', latency_ms: 60_000, times: 1 });
    await tell();
    const [waiting] = await until(([first]) => first?.fault === id);
    expect(waiting).toMatchObject({ state: 'PENDING', attempts: [], next_attempt_at: expect.any(String) });
    await Promise.all([tell(), tell(other.id)]);
    await Promise.all([target.until(1), theirs.until(1)]);
    expect(ids()).not.toContain(waiting.event_id);
    world().clock.set(new Date(Date.parse(waiting.next_attempt_at as string) + 1_000));
    const [, late] = await target.until(2);
    expect(late.headers).toMatchObject({ 'webhook-id': waiting.event_id, 'x-marquee-fault': id });
    const [, { attempts, fault: left }] = await delivered(2);
    expect([left, attempts]).toMatchObject([null, [{ fault: id, status: 200 }]]);
  });

  it('sends a delivery after the next one, or anyway', async () => {
    const id = await fault({ webhook_fault: 'REORDER', latency_ms: 60_000 });
    await tell();
    const [held] = await until(([first]) => first?.fault === id);
    await tell();
    const [first, second] = await target.until(2);
    expect(second.headers).toMatchObject({ 'webhook-id': held.event_id, 'x-marquee-fault': id });
    expect(first.headers['x-marquee-fault']).toBeUndefined();
    expect(await shown(id)).toMatchObject({ applied_count: 1 });
    await delivered(2);
    await owner.put(`/workbench/faults/${id}`, { form: { webhook_fault: 'REORDER', latency_ms: 50 } });
    await world().caughtUp();
    await tell();
    const [, , alone] = await target.until(3);
    expect(alone.headers['x-marquee-fault']).toBe(id);
  });

  it('sends wrong signatures of the right form, and valid ones with the retry', async () => {
    target.answers = (response, nth) => response.writeHead(nth === 1 ? 401 : 200).end();
    const id = await fault({ webhook_fault: 'INVALID_SIGNATURE', times: 1 });
    await tell();
    const [forged] = await target.until(1);
    for (const [name, format] of Object.entries(FORMATS)) expect(forged.headers[name]).toMatch(format);
    expect(() => verify(forged, application.consumer.secret, world().clock.now())).toThrow();
    const [{ attempts, next_attempt_at: next }] = await until(([first]) => first.attempt_count === 1);
    expect(attempts).toMatchObject([{ fault: id, status: 401 }]);
    world().clock.set(new Date(Date.parse(next as string) + 1_000));
    const [, valid] = await target.until(2);
    expect(valid.headers['x-marquee-fault']).toBeUndefined();
    verify(valid, application.consumer.secret, world().clock.now());
    await delivered(1);
  });

  it('selects deliveries by event, account and webhook, and leaves responses alone', async () => {
    const another = await receiver(application.consumer.secret);
    const anotherId = await given.webhook(application, another.url, null);
    const accounts = await Promise.all([1, 2].map(() => given.account({ userId: ownerId })));
    const create = async (of: (typeof accounts)[number]) => {
      const { id } = await given.fundingInstrument({ account: of });
      const form = { name: 'A', funding_instrument_id: id, daily_budget_amount_local_micro: 1_000_000 };
      const { status, headers } = await owner.post(`/12/accounts/${of.id}/campaigns`, { form });
      expect([status, headers['x-marquee-fault']]).toEqual([201, undefined]);
    };
    const met: [Params, number, number][] = [
      [{ event: 'campaign.*' }, 2, 2],
      [{ event: 'campaign.update' }, 0, 0],
      [{ event: 'campaign.create', account_id: accounts[0].id }, 1, 1],
      [{ webhook_id: anotherId }, 0, 2],
      [{ probability: 0 }, 0, 0],
    ];
    let count = 0;
    for (const [selection, here, there] of met) {
      const id = await fault({ webhook_fault: 'DROP', ...selection });
      for (const account of accounts) await create(account);
      count += 2;
      const of = async (webhook: string) =>
        (
          await until(
            (data) =>
              data.filter(({ kind, state }) => kind === 'campaign.create' && state === 'DELIVERED').length === count,
            webhook,
          )
        ).filter(({ kind, attempts }) => kind === 'campaign.create' && attempts[0].fault === id).length;
      expect([selection, await of(webhookId), await of(anotherId)]).toEqual([selection, here, there]);
      await owner.delete(`/workbench/faults/${id}`);
      await world().caughtUp();
    }
  });

  it('rejects bad input and names the field', async () => {
    const cases: [Params, string][] = [
      [{ webhook_fault: 'LOSE' }, 'webhook_fault'],
      [{ webhook_fault: 'DELAY' }, 'latency_ms'],
      [{ webhook_fault: 'DROP', latency_ms: 5 }, 'latency_ms'],
      [{ webhook_fault: 'DROP', operation: 'listCampaigns' }, 'operation'],
      [{ webhook_fault: 'DROP', error_status: 503 }, 'error_status'],
      [{ webhook_fault: 'DROP', fault: 'EMPTY_RESPONSE' }, 'fault'],
      [{ webhook_fault: 'DROP', rate_limit_remaining: 1 }, 'rate_limit_remaining'],
      [{ webhook_fault: 'DROP', applied: 'AFTER_COMMIT' }, 'applied'],
      [{ webhook_fault: 'DROP', event: 'campaign.paint' }, 'event'],
      [{ webhook_fault: 'DROP', webhook_id: '1' }, 'webhook_id'],
      [{ error_status: 503, webhook_id: webhookId }, 'webhook_id'],
      [{ error_status: 503, event: 'campaign.*' }, 'event'],
    ];
    for (const [form, parameter] of cases) {
      const { status, body } = await owner.post('/workbench/faults', { form });
      const named = (body.errors as Json[]).map(({ parameters }) => Object.keys((parameters ?? {}) as object)[0]);
      expect([form, status, named]).toEqual([form, 400, [parameter]]);
    }
  });

  it('is managed on the command line', async () => {
    const inside = commandsInside(addFaultsCommands, owner.credentials);
    const faults = async (...args: string[]) => (await inside('faults', ...args)).stdout;
    const added = await faults(
      ...['add', '--webhook-fault', 'DROP', '--webhook', webhookId, '--event', 'campaign.*', '--times', '2', '--json'],
    );
    const created = JSON.parse(added);
    expect(created).toMatchObject({ webhook_fault: 'DROP', webhook_id: webhookId, event: 'campaign.*', times: 2 });
    expect(await faults('list')).toMatch(
      new RegExp(`${created.id} +campaign\\.\\* to ${webhookId} +- +DROP +1 +0 of 2 +yes`),
    );
  }, 60_000);
});
