import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { deliveryIdOf } from '../../../src/webhooks/entities/webhook-delivery.entity.js';
import { useApp, world } from '../../support/app.js';
import { inBrowser, openBrowser, type OpenBrowser } from '../../support/browser.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { closeReceivers, receiver, verify, type Receiver } from '../../support/receiver.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, HOSTILE, problemsOf, signIn } from './visited-page.js';

describe('the pages of webhooks', () => {
  // a retry is far away, so what is sent again is not a retry
  useApp({ WEBHOOK_RETRY_SECONDS: '60' });
  afterEach(closeReceivers);

  let owner: Row<User>;
  let application: Application;
  let advertiser: Advertiser;
  let target: Receiver;
  let webhooks: string;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id });
    advertiser = await given.advertiser({ application });
    target = await receiver(application.consumer.secret);
    webhooks = `/workbench/applications/${application.id}/webhooks`;
  });

  const visitorOf = (user: Row<User>) => new Visitor().signIn(user.username);
  const errorOf = (html: string) => /class="error" role="alert">(.*?)<\/p>/.exec(html)?.[1];
  const audiencesPath = () => `/12/accounts/${advertiser.account.id}/custom_audiences`;

  /** The event of a new audience that the receiver was sent. */
  async function created(name = 'Visitors'): Promise<{ eventId: string; audienceId: string }> {
    const { status, body } = await advertiser.api.post(audiencesPath(), { form: { name } });
    expect(status).toBe(201);
    const audienceId = body.data.id as string;
    const [{ event }] = await target.until(1, ({ text }) => text.includes(audienceId));
    return { eventId: event.event_id as string, audienceId };
  }

  /** Loads a page until it shows something. */
  async function until(visitor: Visitor, path: string, isSo: (html: string) => boolean): Promise<string> {
    for (let i = 0; i < 100; i++) {
      const { page } = await visitor.get(path);
      if (isSo(page.text)) return page.text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${path} never showed it: ${visitor.page.text}`);
  }

  it('shows an event: its payload, both signatures, and what the receiver answered', async () => {
    const webhookId = await given.webhook(application, target.url, advertiser.account.id);
    target.answers = (response) => {
      response.writeHead(503, { 'set-cookie': 'sid=topsecret', 'x-queue': HOSTILE.replace(/\n/g, '') });
      response.end(JSON.stringify({ password: 'hunter2', why: HOSTILE }));
    };
    const { eventId, audienceId } = await created(`Visitors ${HOSTILE}`.slice(0, 100));
    const visitor = await visitorOf(owner);
    const page = `${webhooks}/events/${eventId}`;
    const html = await until(visitor, page, (text) => text.includes('Attempt 1:'));
    const arrived = target.received.find(({ text }) => text.includes(audienceId))!;
    verify(arrived, application.consumer.secret, world().clock.now());
    for (const name of ['x-platform-webhooks-signature', 'webhook-signature'])
      expect(html).toContain(`<dt>${name}</dt><dd><code class="copy">${arrived.headers[name] as string}</code>`);
    expect(html).toContain(`&quot;entity_id&quot;: &quot;${audienceId}&quot;`);
    expect(html).toContain('The response had status 503.');
    expect(html).not.toMatch(/hunter2|topsecret|<script>document|<img src=x/);
    expect(html).toContain('&quot;password&quot;: &quot;***&quot;');

    target.answers = 200;
    const delivery = `${eventId}-${webhookId}`;
    await visitor.post(`${webhooks}/${webhookId}/deliveries/${delivery}/resend`, { csrf: visitor.csrf, to: 'event' });
    expect(visitor.location).toBe(`${page}?resent=${delivery}`);
    await until(visitor, `${page}?resent=${delivery}`, (text) => text.includes('Attempt 2: <span class="good">200'));
  });

  it('lists events by webhook, state and kind, page by page', async () => {
    const webhookId = await given.webhook(application, target.url, advertiser.account.id);
    const { eventId } = await created();
    const visitor = await visitorOf(owner);
    const shows = async (query: string) => {
      const { page } = await visitor.get(`${webhooks}/events${query}`);
      return { status: page.status, listed: page.text.includes(`/events/${eventId}"`), error: errorOf(page.text) };
    };
    await until(visitor, `${webhooks}/events?state=DELIVERED`, (text) => text.includes(`/events/${eventId}"`));
    const found = { status: 200, listed: true, error: undefined };
    for (const query of ['', `?webhook_id=${webhookId}`, '?kind=custom_audience.create', '?kind=&state=DELIVERED'])
      expect(await shows(query)).toEqual(found);
    for (const query of ['?state=FAILED', '?kind=campaign.create', `?before=${eventId}`])
      expect(await shows(query)).toEqual({ ...found, listed: false });
    expect(await shows('?state=LOST')).toEqual({
      status: 400,
      listed: false,
      error: 'Expected one of PENDING, DELIVERED, FAILED, CANCELLED for state',
    });
    expect((await shows('?webhook_id=1')).status).toBe(400);
  });

  it('lists the events of all webhooks together, the newest first', async () => {
    const other = await receiver(application.consumer.secret);
    for (const { url } of [target, other]) await given.webhook(application, url, advertiser.account.id);
    const first = await created('First');
    const second = await created('Second');
    const listed = (html: string) => [...html.matchAll(/\/events\/([\w-]+)"/g)].map(([, id]) => id);
    // the account itself may still be an event for the first webhook
    const page = `${webhooks}/events?kind=custom_audience.create`;
    const html = await until(await visitorOf(owner), page, (text) => listed(text).length === 4);
    expect(listed(html)).toEqual([second, second, first, first].map(({ eventId }) => eventId));
  });

  it('registers a webhook, sends it a test event, replays a range, subscribes and deletes', async () => {
    const visitor = await visitorOf(owner);
    const post = async (path: string, fields: Record<string, string>) => {
      const { csrf } = await visitor.get(webhooks);
      await visitor.post(`${webhooks}${path}`, { csrf, ...fields });
    };
    await post('', { url: 'not a url' });
    expect(errorOf(visitor.page.text)).toContain('UrlValidationFailed');
    await post('', { url: target.url });
    expect(visitor.location).toBe(`${webhooks}?done=registered`);
    const { page } = await visitor.get(`${webhooks}?done=registered`);
    expect(page.text).toContain('all accounts that the application may read');
    const webhookId = /id="webhook-(\d+)"/.exec(page.text)![1];
    expect(target.challenges).toHaveLength(1);

    await post(`/${webhookId}/test-event`, { kind: 'campaign.delet' });
    expect(errorOf(visitor.page.text)).toContain('Expected one of ');
    await post(`/${webhookId}/test-event`, { kind: 'campaign.delete' });
    const eventId = /events\/(\w+)$/.exec(visitor.location)![1];
    const [test] = await target.until(1, ({ event }) => event.event_id === eventId);
    expect(test.event).toMatchObject({ test: true, campaign_events: [{ type: 'delete' }] });
    verify(test, application.consumer.secret, world().clock.now());
    await until(visitor, `${webhooks}/events/${eventId}`, (text) => text.includes('Attempt 1: <span class="good">200'));

    const minute = (before: number) =>
      new Date(world().clock.now().getTime() - before * 60_000).toISOString().slice(0, 16);
    for (const [from, to] of [
      [minute(5), '2026-02-31T10:00'],
      [minute(5), 'now'],
      [minute(0), minute(5)],
      [minute(3_000), minute(0)],
    ]) {
      await post(`/${webhookId}/replay`, { from, to });
      expect([visitor.page.status, errorOf(visitor.page.text)]).toEqual([400, expect.stringMatching(/from|to/)]);
    }
    await post(`/${webhookId}/replay`, { from: minute(5), to: minute(0) });
    expect(visitor.location).toMatch(/\?job_id=\d+$/);
    await target.until(2, ({ event }) => event.event_id === eventId);

    await post(`/${webhookId}/subscriptions`, { account_id: 'zzz' });
    expect(errorOf(visitor.page.text)).toContain('Account zzz was not found');
    await post(`/${webhookId}/subscriptions`, { account_id: advertiser.account.id });
    expect(visitor.location).toBe(`${webhooks}?done=subscribed`);
    expect((await visitor.get(webhooks)).page.text).toContain(`account <code>${advertiser.account.id}</code>`);
    await post(`/${webhookId}/subscriptions/delete`, { account_id: advertiser.account.id });
    await post(`/${webhookId}/validate`, {});
    expect(visitor.location).toBe(`${webhooks}?done=validated`);
    target.challenged = () => ({ response_token: 'wrong' });
    await post(`/${webhookId}/validate`, {});
    expect(errorOf(visitor.page.text)).toContain('CrcValidationFailed');
    await post(`/${webhookId}/delete`, {});
    expect(visitor.location).toBe(`${webhooks}?done=deleted`);
    expect((await visitor.get(webhooks)).page.text).toContain('This application has no webhooks');
  });

  it('counts deliveries over time, and tells how a webhook does', async () => {
    const webhookId = await given.webhook(application, target.url, advertiser.account.id);
    await created();
    const visitor = await visitorOf(owner);
    const healthy = await until(visitor, webhooks, (text) => text.includes('100 % delivered'));
    expect(healthy).toContain('<strong class="good">healthy</strong>');
    expect(healthy).toMatch(new RegExp(`webhook_id=${webhookId}&amp;state=DELIVERED">[1-9] DELIVERED</a>`));
    expect(healthy).toMatch(/<title>\d\d:\d\d UTC: [1-9] delivered<\/title>/);
    const day = await visitor.get(`${webhooks}?span=day`);
    expect(day.page.text).toMatch(/<title>\d\d:00 UTC: [1-9] delivered<\/title>/);
    target.answers = 500;
    await created('Others');
    await until(visitor, webhooks, (text) => /<strong class="bad">failing<\/strong> since/.test(text));
  });

  it('shows and changes nothing of other applications, and hides what may no longer be read', async () => {
    const webhookId = await given.webhook(application, target.url, advertiser.account.id);
    const { eventId, audienceId } = await created();
    const stranger = await person();
    const own = await registered({ ownerId: stranger.id });
    const visitor = await visitorOf(stranger);
    const theirs = `/workbench/applications/${own.id}/webhooks`;
    await visitor.get(theirs);
    for (const path of [`${webhooks}/events`, `${webhooks}/events/${eventId}`, `${theirs}/events/${eventId}`]) {
      const { csrf } = visitor;
      expect((await visitor.get(path)).page.status).toBe(404);
      expect(visitor.page.text).not.toContain(audienceId);
      await visitor.get(theirs);
      expect(csrf).toBeTruthy();
    }
    const sent = target.received.length;
    for (const path of ['test-event', 'validate', 'delete', 'subscriptions', 'subscriptions/delete', 'replay'])
      for (const base of [webhooks, theirs]) {
        await visitor.get(theirs);
        const fields = { kind: 'campaign.update', minutes: '60', account_id: '' };
        await visitor.post(`${base}/${webhookId}/${path}`, { csrf: visitor.csrf, ...fields });
        expect([base, path, visitor.page.status]).toEqual([base, path, 404]);
      }
    expect([target.received.length, target.challenges]).toEqual([sent, []]);
    const mine = await visitorOf(owner);
    await mine.get(`${webhooks}/events/${eventId}`);
    await mine.post(`${webhooks}/${webhookId}/delete`, { csrf: 'forged' });
    expect(mine.page.status).toBe(403);
    await world().sql(`UPDATE access_tokens SET "revokedAt" = now() WHERE "applicationId" = $1`, application.id);
    const { page } = await mine.get(`${webhooks}/events/${eventId}`);
    expect(page.text).toContain('The application may no longer read the account');
    expect(page.text).not.toContain(audienceId);
    const resend = `${webhooks}/${webhookId}/deliveries/${deliveryIdOf(eventId, webhookId)}/resend`;
    await mine.post(resend, { csrf: mine.csrf });
    expect(mine.page.status).toBe(404);
    expect(errorOf(mine.page.text)).toContain('was not found');
    expect(target.received).toHaveLength(sent);
  });

  inBrowser('in a browser', () => {
    let browser: OpenBrowser;
    afterEach(() => browser.close());

    it.each(Object.keys(DEVICES))('looks right on a %s', async (device) => {
      const webhookId = await given.webhook(application, `${target.url}?to=${'long'.repeat(30)}`, null);
      target.answers = (response, nth) => {
        response.writeHead(nth === 1 ? 500 : 200, { 'content-type': 'application/json', 'x-long': 'y'.repeat(300) });
        response.end(JSON.stringify({ note: HOSTILE, rows: Array.from({ length: 900 }, (_, i) => i) }));
      };
      const { eventId } = await created();
      await created('Others');
      browser = await openBrowser(DEVICES[device]);
      const { page } = browser;
      const problems = problemsOf(page);
      await signIn(page, owner);
      const open = (path: string) => page.goto(`${world().url}${path}`);
      await open(webhooks);
      await page.getByText('Test event, replay, subscriptions').click();
      await checkPage(page, `${device}-webhooks`);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByRole('heading', { name: 'campaign.update' }).waitFor();
      await page.getByRole('cell', { name: 'DELIVERED' }).waitFor();
      await open(`${webhooks}/events`);
      await page.getByLabel('State').selectOption('PENDING');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('link', { name: 'Show all events' }).waitFor();
      await checkPage(page, `${device}-events`);
      await open(`${webhooks}/events/${eventId}`);
      await page.getByText('Headers of the response of attempt 1').click();
      await checkPage(page, `${device}-event`);
      await page.getByRole('button', { name: 'Send again' }).first().click();
      await page.getByText('The event is sent again').waitFor();
      await page.getByRole('cell', { name: 'DELIVERED' }).waitFor();
      expect(problems).toEqual([]);
      expect(webhookId).toBeTruthy();
    });
  });
});
