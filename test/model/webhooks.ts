/** The webhooks of the application, by docs/webhooks.md: what requests do with them, and which events each of them gets. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import * as fc from 'fast-check';
import { world } from '../support/app.js';
import type { BearerApi } from '../support/bearer-api.js';
import type { Answer, Json } from '../support/http.js';
import type { Receiver } from '../support/receiver.js';
import { DeliveryWorker } from '../../src/webhooks/deliveries/delivery-worker.js';
import { KINDS } from './kinds.js';
import type { Change, ModelAccount } from './world.js';

const MOST = 5;
const NOWHERE = 'http://127.0.0.1:9/';
const URLS = ['?1', '?2', '?3', '?4', '?5', `?${'x'.repeat(200)}`, NOWHERE, 'ftp://example.com/', '', undefined];
const UNKNOWN = '1000000000000000';
const ANY = expect.any(String) as unknown as string;

const STEPS = [
  'REGISTER',
  'REGISTER',
  'REGISTER',
  'SUBSCRIBE',
  'SUBSCRIBE',
  'UNSUBSCRIBE',
  'VALIDATE',
  'DELETE',
] as const;

/** What is done with which webhook, or with one of these URLs, and to which account; null: to all. */
const step = fc.record({
  what: fc.constantFrom(...STEPS),
  ...{ which: fc.nat(5), url: fc.constantFrom(...URLS), account: fc.option(fc.nat(3)) },
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export const webhookSteps = fc.array(step, { minLength: 1, maxLength: 20 });

interface Webhook {
  shown: { id: string; url: string; valid: boolean; created_at: string };
  /** Newest first. */
  subscriptions: { account_id: string | null; id: string }[];
}

export class Webhooks {
  private readonly webhooks: Webhook[] = [];
  private readonly told = new Map<ModelAccount, number>();
  /** What each URL was sent of each account, also before it was registered again. */
  private readonly sent = new Map<string, Change[]>();

  constructor(
    private readonly accounts: readonly ModelAccount[],
    private readonly api: BearerApi,
    private readonly receiver: Receiver,
    /** That of all accounts, which stays. */
    id: string,
  ) {
    const shown = { id, url: receiver.url, valid: true, created_at: ANY };
    this.webhooks.push({ shown, subscriptions: [{ account_id: null, id: ANY }] });
  }

  /** Each change so far is one event of each webhook that was subscribed to its account. */
  async events(): Promise<void> {
    for (const account of this.accounts) {
      const news = account.history.slice(this.told.get(account) ?? 0);
      this.told.set(account, account.history.length);
      for (const { shown, subscriptions } of this.webhooks) {
        const isTold = subscriptions.some(({ account_id: id }) => id === null || id === account.id);
        const sent = [...(this.sent.get(shown.url + account.id) ?? []), ...(isTold ? news : [])];
        this.sent.set(shown.url + account.id, sent);
        await sameEvents(this.receiver, shown.url, account.id, sent);
      }
    }
  }

  async take(steps: Step[]): Promise<void> {
    // an event is for those who are subscribed when it is sent
    await this.events();
    // an application asks a balancer, which may not know yet that a replica was killed
    await world().untilWhole();
    for (const each of steps) await this.step(each);
    await this.list();
  }

  private async step({ what, which, url: end, account }: Step): Promise<void> {
    const webhook = which === 0 ? undefined : this.webhooks[which];
    const path = `/2/webhooks/${webhook?.shown.id ?? UNKNOWN}`;
    if (what === 'REGISTER') await this.register(end?.startsWith('?') ? `${this.receiver.url}${end}` : end);
    else if (what === 'VALIDATE') same(await this.api.put(path), webhook ? [200, { valid: true }] : NO_WEBHOOK);
    else if (what === 'DELETE') {
      same(await this.api.delete(path), webhook ? DELETED : NO_WEBHOOK);
      if (webhook) this.webhooks.splice(which, 1);
    } else {
      const account_id = account === null ? null : (this.accounts[account]?.id ?? '0zzzzzzzzzzzz');
      const scope = account_id === null ? {} : { account_id };
      const isNew = what === 'SUBSCRIBE';
      const answer = await this.api[isNew ? 'post' : 'delete'](`${path}/subscriptions`, scope as never);
      if (webhook) this.subscribe(webhook, account_id, isNew, answer);
      else same(answer, NO_WEBHOOK);
    }
  }

  private async register(url: string | undefined) {
    const answer = await this.api.post('/2/webhooks', { url });
    const isKnown = this.webhooks.some(({ shown }) => shown.url === url);
    if (url === undefined) same(answer, [400, 357]);
    else if (url === '' || url.length > 200) same(answer, [400, 214]);
    else if (url.startsWith('ftp')) same(answer, [400, 'UrlValidationFailed']);
    else if (isKnown) same(answer, [400, 'DuplicateUrlFailed']);
    else if (this.webhooks.length === MOST) same(answer, [400, 'WebhookLimitExceeded']);
    else if (url === NOWHERE) same(answer, [400, 'CrcValidationFailed']);
    else {
      const { data } = answer.body;
      same(answer, [201, { id: data?.id, url, valid: true, created_at: ANY }]);
      this.webhooks.push({ shown: data, subscriptions: [] });
    }
  }

  private subscribe(webhook: Webhook, account_id: string | null, isNew: boolean, answer: Answer) {
    const { subscriptions } = webhook;
    const old = subscriptions.find((each) => each.account_id === account_id);
    const isAccount = account_id === null || this.accounts.some(({ id }) => id === account_id);
    if (isNew ? !isAccount : !old) return same(answer, [404, 34]);
    const id = old?.id ?? (answer.body.data?.id as string);
    same(answer, isNew ? [old ? 200 : 201, subscriptionOf(webhook, { account_id, id })] : DELETED);
    if (old && !isNew) subscriptions.splice(subscriptions.indexOf(old), 1);
    if (!old) subscriptions.unshift({ account_id, id });
  }

  private async list() {
    const all = this.webhooks.map(({ shown }) => shown);
    expect((await this.api.get('/2/webhooks')).body).toEqual({ data: all, meta: { result_count: all.length } });
    const webhook = this.webhooks.at(-1)!;
    const { body } = await this.api.get(`/2/webhooks/${webhook.shown.id}/subscriptions`);
    expect(body.data).toEqual(webhook.subscriptions.map((each) => subscriptionOf(webhook, each)));
  }
}

const subscriptionOf = ({ shown }: Webhook, each: Webhook['subscriptions'][number]) => ({
  ...{ ...each, webhook_id: shown.id, active: true, created_at: ANY },
});

const NO_WEBHOOK: Expected = [404, 'WebhookIdInvalid'];
const DELETED: Expected = [200, { deleted: true }];
/** A status, and the data; of a refusal the code or the first word. */
type Expected = [status: number, said: Json];
function same({ status, body }: Answer, [expected, said]: Expected): void {
  const { detail, errors, data } = body;
  const told = typeof said === 'number' ? errors?.[0].code : typeof said === 'string' ? detail?.split(':')[0] : data;
  expect([status, told]).toEqual([expected, said]);
}

const PATIENCE_MS = 20_000;
const LEASE_MS = 60_000;

/** A change as its event tells of it. */
const shownIn = (entity: string, id: string, type: string, changes: object) =>
  JSON.stringify([entity, id, type, CHANGING.includes(type) ? Object.entries(changes).sort() : []]);
const CHANGING = ['UPDATE', 'STATUS_CHANGE'];

/** A webhook got one event for each of these changes of an account, whatever came twice, and no other. */
async function sameEvents({ received }: Receiver, url: string, accountId: string, changes: readonly Change[]) {
  const arrived = () => {
    const sent = received.filter(({ path }) => url.endsWith(path));
    const byId = new Map(sent.map(({ event }) => [event.event_id as string, event]));
    return (
      [...byId.values()]
        .filter(({ for_account_id }) => for_account_id === accountId)
        .flatMap((event) => Object.values<Json>(event).filter(Array.isArray).flat())
        .filter(({ entity_type }) => entity_type in KINDS)
        // media of a library are known by their keys
        .map(({ entity_type: of, entity_id: id, data, type, changes = {} }) =>
          shownIn(of, of === 'LIBRARY_MEDIA' ? data.media_key : id, type.toUpperCase(), changes),
        )
        .sort()
    );
  };
  // what a process held that was killed is sent by others after a while
  if (world().processes.length > 0 && arrived().length < changes.length) await world().pass(LEASE_MS);
  const until = Date.now() + PATIENCE_MS;
  while (arrived().length < changes.length && Date.now() < until) {
    world().get(DeliveryWorker).wakeUp();
    await pause(20);
  }
  const expected = changes.map((each) => shownIn(each.entity, each.entity_id, each.change_type, each.changes));
  expect(arrived()).toEqual(expected.sort());
}
