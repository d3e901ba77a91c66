import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { Api } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { BearerApi } from '../../support/bearer-api.js';
import { inBrowser, openBrowser, type OpenBrowser } from '../../support/browser.js';
import { type Json, send } from '../../support/http.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { pixelIdOf } from '../../../src/measurement/entities/pixel-id.js';
import { TestClocksService } from '../../../src/workbench/clocks/test-clocks.service.js';
import { CreateFault } from '../../../src/workbench/faults/faults.dto.js';
import { FaultsService } from '../../../src/workbench/faults/faults.service.js';
import { closeReceivers, receiver, type Receiver } from '../../support/receiver.js';
import { application as registered, PASSWORD, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, HOSTILE, problemsOf, signIn } from './visited-page.js';

describe('the page of the workbench', () => {
  useApp();
  afterEach(closeReceivers);

  let owner: Row<User>;
  let application: Application;
  let advertiser: Advertiser;
  let campaigns: string;
  let requests: string;
  let webhooks: string;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id, name: 'Campaign "Desk" <&>' });
    advertiser = await given.advertiser({ application });
    campaigns = `/12/accounts/${advertiser.account.id}/campaigns`;
    requests = `/workbench/applications/${application.id}/requests`;
    webhooks = `/workbench/applications/${application.id}/webhooks`;
  });

  const visitorOf = (user: Row<User>) => new Visitor().signIn(user.username);
  /** The requests of a list, as status, method and path. */
  const linesOf = (html: string): string[] =>
    [...html.matchAll(/<tr role="row">\s*<td.*?>(\d+)<\/td>\s*<td.*?>(\w+)<\/td>.*?<bdi>(.*?)<\/bdi>/gs)].map(
      ([, status, method, path]) => `${status} ${method} ${path}`,
    );
  const problemOf = (html: string) => /class="error" role="alert">(.*)/.exec(html)?.[1] ?? '';

  /** A webhook of the application, and the number of times that it received the event of a change made now. */
  async function delivered(): Promise<{
    target: Receiver;
    webhookId: string;
    deliveryId: string;
    times: () => number;
  }> {
    const target = await receiver(application.consumer.secret);
    const webhookId = await given.webhook(application, target.url, advertiser.account.id);
    const { status, body } = await advertiser.api.post(`/12/accounts/${advertiser.account.id}/custom_audiences`, {
      form: { name: 'Visitors' },
    });
    expect(status).toBe(201);
    const isIt = ({ text }: { text: string }) => text.includes(body.data.id as string);
    const [{ event }] = await target.until(1, isIt);
    const deliveryId = `${event.event_id}-${webhookId}`;
    return { target, webhookId, deliveryId, times: () => target.received.filter(isIt).length };
  }

  const until = async (isSo: () => boolean | Promise<boolean>) => {
    for (let i = 0; i < 150 && !(await isSo()); i++) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await isSo()).toBe(true);
  };

  it('leads to the sign-in page and back, and nowhere else', async () => {
    const visitor = await new Visitor().get(`${requests}?status=4xx%2C500&path=%2F12%2F*`);
    expect(visitor.heading).toBe('Sign in');
    const next = /name="next" value="([^"]*)"/.exec(visitor.page.text)![1].replaceAll('&amp;', '&');
    expect(next).toBe(`${requests}?status=4xx%2C500&path=%2F12%2F*`);
    const signIn = { csrf: visitor.csrf, username: owner.username, password: PASSWORD };
    await visitor.post('/oauth/sign_in', { ...signIn, next });
    expect([visitor.page.status, visitor.location]).toEqual([303, next]);
    for (const elsewhere of [
      '/workbench//evil.example',
      '/workbench@evil.example',
      '//evil.example',
      '/workbench\\x',
    ]) {
      const other = await new Visitor().get('/workbench');
      await other.post('/oauth/sign_in', { ...signIn, csrf: other.csrf, next: elsewhere });
      expect(other.location).toBe('/oauth/applications');
    }
  });

  it('lists the applications of the user, without secrets, or says how to register one', async () => {
    const other = await registered({ ownerId: owner.id, name: 'Reports' });
    const { page } = await (await visitorOf(owner)).get('/workbench');
    expect(page.text).toContain('Campaign &quot;Desk&quot; &lt;&amp;&gt;');
    for (const { id, consumer } of [application, other]) {
      expect(page.text).toContain(`/workbench/applications/${id}/overview"`);
      expect(page.text).toContain(consumer.key);
      expect(page.text).not.toContain(consumer.secret);
    }
    const visitor = await visitorOf(owner);
    await visitor.get(`/workbench/applications/${other.id}`);
    expect([visitor.page.status, visitor.location]).toEqual([303, `/workbench/applications/${other.id}/overview`]);
    const nobody = await person();
    const { page: empty } = await (await visitorOf(nobody)).get('/workbench');
    expect(empty.text).toContain('You do not own an application');
    expect(empty.text).toContain(`--owner ${nobody.username}`);
  });

  it("answers 404 for another user's application, as for one that does not exist", async () => {
    const answer = await advertiser.api.get(campaigns);
    const { webhookId, deliveryId, times } = await delivered();
    const stranger = await visitorOf(await person());
    const { csrf } = await stranger.get('/workbench');
    const paths = ['requests', `requests/${String(answer.headers['x-request-id'])}`, 'webhooks'];
    const pageOf = async (id: string, path: string) => {
      const { page } = await stranger.get(`/workbench/applications/${id}/${path}`);
      return { status: page.status, text: page.text };
    };
    for (const path of paths) {
      const foreign = await pageOf(application.id, path);
      expect(foreign.status).toBe(404);
      expect(foreign.text).not.toContain('Campaign');
      expect(foreign).toEqual(await pageOf('0zzzzzzzzzzzz', path));
    }
    const before = times();
    for (const path of [`${webhookId}/replay`, `${webhookId}/deliveries/${deliveryId}/resend`]) {
      await stranger.post(`${webhooks}/${path}`, { csrf, minutes: '60' });
      expect(stranger.page.status).toBe(404);
    }
    // nor through an application of the stranger's own
    const own = await registered({ ownerId: (await person()).id });
    const { page } = await (await visitorOf(owner)).get(`/workbench/applications/${own.id}/requests`);
    expect(page.status).toBe(404);
    expect(times()).toBe(before);
  });

  it('filters, and says what is wrong with a filter', async () => {
    await advertiser.api.get(campaigns);
    await advertiser.api.post(campaigns, { form: { name: 'Autumn' } });
    const missing = await advertiser.api.get(`${campaigns}/abc`);
    const visitor = await visitorOf(owner);
    const listed = async (query = '') => linesOf((await visitor.get(`${requests}${query}`)).page.text);
    const all = [`404 GET ${campaigns}/abc`, `400 POST ${campaigns}`, `200 GET ${campaigns}`];
    expect(await listed()).toEqual(all);
    expect(visitor.page.text).toContain('&quot;funding_instrument_id&quot; is a required parameter');
    expect(await listed('?path=&method=POST&status=&account_id=&request_id=')).toEqual([all[1]]);
    expect(await listed('?status=4xx')).toEqual(all.slice(0, 2));
    expect(await listed(`?path=${encodeURIComponent('*/abc')}`)).toEqual([all[0]]);
    expect(await listed(`?account_id=${advertiser.account.id}`)).toEqual(all);
    expect(await listed(`?request_id=${String(missing.headers['x-request-id'])}`)).toEqual([all[0]]);
    expect(await listed('?method=GET,POST&status=404')).toEqual([all[0]]);
    expect(visitor.page.text).toContain('<option selected>GET,POST</option>');
    expect(await listed('?status=404&method=DELETE')).toEqual([]);
    expect(visitor.page.text).toContain('No request matches');
    expect(await listed(`?status=${encodeURIComponent('<b>')}&method=FETCH`)).toEqual([]);
    expect(visitor.page.status).toBe(400);
    expect(problemOf(visitor.page.text)).toMatch(/method.*status|status.*method/s);
    expect(visitor.page.text).not.toContain('<b>');
  });

  it('has older and newer pages', async () => {
    for (let i = 1; i <= 120; i++) await advertiser.api.get(campaigns, { query: { count: i } });
    const visitor = await visitorOf(owner);
    const idsOf = (html: string) => [...html.matchAll(/id="request-(\w+)"/g)].map(([, id]) => id);
    const linkOf = (rel: string) =>
      new RegExp(`href="([^"]*)" rel="${rel}"`).exec(visitor.page.text)?.[1].replaceAll('&amp;', '&');
    const pages: string[][] = [];
    let next: string | undefined = `${requests}?status=200`;
    for (; next; next = linkOf('next')) pages.push(idsOf((await visitor.get(next)).page.text));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(pages.flat()).toEqual([...new Set(pages.flat())].sort().reverse());
    const back: string[][] = [];
    for (let newer = linkOf('prev'); newer; newer = linkOf('prev')) {
      expect(newer).toContain('status=200');
      back.push(idsOf((await visitor.get(newer)).page.text));
    }
    expect(back).toEqual([pages[1], pages[0]]);
  }, 60_000);

  it('shows one request, why its signature was rejected, and the commands that repeat it', async () => {
    const wrong = new Api({
      ...advertiser.credentials,
      token: { ...advertiser.credentials.token, secret: 'not the secret' },
    });
    const bad = await wrong.get(campaigns, { query: { count: 7, q: HOSTILE } });
    expect(bad.status).toBe(401);
    const visitor = await visitorOf(owner);
    await visitor.get(requests);
    expect(visitor.page.text).toContain('The signature is wrong');
    const { page } = await visitor.get(`${requests}/${String(bad.headers['x-request-id'])}`);
    expect(page.status).toBe(200);
    for (const text of ['INVALID', 'count%3D7', 'npx marquee request --literal GET', 'requests_oauthlib', 'oauth-1.0a'])
      expect(page.text).toContain(text);
    expect(page.text).not.toContain('<img');
    expect(page.text.match(/<script/g)).toHaveLength(1);
    await visitor.get(`${requests}/zzz`);
    expect([visitor.page.status, visitor.heading]).toEqual([404, 'Not found']);
  });

  it('shows the webhook events of a request with their deliveries', async () => {
    const { webhookId } = await delivered();
    const visitor = await visitorOf(owner);
    const [, id] = /id="request-(\w+)"/.exec((await visitor.get(`${requests}?method=POST`)).page.text)!;
    await until(async () => (await visitor.get(`${requests}/${id}`)).page.text.includes('DELIVERED'));
    expect(visitor.page.text).toContain('custom_audience.create');
    expect(visitor.page.text).toContain(`to <code>${webhookId}</code>, 1 attempt, last status 200`);
    expect(visitor.page.text).toContain('Visitors');
  });

  it('replays only for forms of this session, and reports what the replay needs', async () => {
    const { target, webhookId, deliveryId, times } = await delivered();
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(webhooks);
    const before = times();
    for (const path of [`${webhookId}/replay`, `${webhookId}/deliveries/${deliveryId}/resend`]) {
      await visitor.post(`${webhooks}/${path}`, { csrf: 'x', minutes: '60' });
      expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([
        403,
        expect.stringContaining('out of date'),
      ]);
    }
    const replay = async (minutes: string, id = webhookId) => {
      await visitor.post(`${webhooks}/${id}/replay`, { csrf, minutes });
      return [visitor.page.status, problemOf(visitor.page.text)];
    };
    expect(await replay('7')).toEqual([400, expect.stringContaining('minutes must be one of 15, 60, 1440')]);
    expect(await replay('60', '123')).toEqual([404, expect.stringContaining('there is no webhook 123')]);
    target.challenged = (_token, response) => void response.writeHead(503).end();
    expect(await replay('60')).toEqual([400, expect.stringContaining('did not pass the challenge')]);
    await visitor.post(`${webhooks}/${webhookId}/deliveries/zzz/resend`, { csrf });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([
      404,
      expect.stringContaining('no delivery zzz'),
    ]);
    expect(times()).toBe(before);
    const other = await receiver();
    const foreign = await given.webhook(await given.application(), other.url);
    expect(await replay('60', foreign)).toEqual([404, expect.stringContaining('there is no webhook')]);
  });

  it('lists faults, and deletes them for forms of this session', async () => {
    const faults = requests.replace(/requests$/, 'faults');
    const service = world().get(FaultsService);
    const other = await given.application();
    const error = (operation: string) =>
      Object.assign(new CreateFault(), { operation, error_status: 503, times: 2, probability: 0.5 });
    const { fault } = await service.create(application.id, error('createCampaign'));
    const foreign = await service.create(other.id, error('listAccounts'));
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(faults);
    expect(visitor.page.text).toContain('createCampaign');
    expect(visitor.page.text).toMatch(/error 503.*50 % of requests|50 % of requests.*error 503/s);
    expect(visitor.page.text).not.toContain(foreign.fault.id);
    await visitor.post(`${faults}/${fault.id}/delete`, { csrf: 'x' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([403, expect.stringContaining('out of date')]);
    await visitor.post(`${faults}/${foreign.fault.id}/delete`, { csrf });
    expect(visitor.page.status).toBe(404);
    await visitor.post(`${faults}/${fault.id}/delete`, { csrf });
    expect([visitor.page.status, visitor.location]).toEqual([303, faults]);
    await visitor.get(faults);
    expect(visitor.page.text).toContain('There are no faults.');
    await expect(service.get(application.id, fault.id)).rejects.toThrow();
    expect(await service.get(other.id, foreign.fault.id)).toMatchObject({ isActive: true });
  });

  it('saves, restores and deletes snapshots, and resets accounts', async () => {
    const snapshots = requests.replace(/requests$/, 'snapshots');
    const account = await given.account({ userId: owner.id, environment: 'sandbox', name: 'Trial & error' });
    const foreign = await given.advertiser({ environment: 'sandbox' });
    await given.campaign({ account, name: 'Kept' });
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(snapshots);
    expect(visitor.page.text).toContain('There are no snapshots.');
    expect(visitor.page.text).toContain('Trial &amp; error');
    const named = () =>
      world().sql<{ name: string }>(`SELECT name FROM campaigns WHERE "accountId" = $1 ORDER BY id`, account.id);
    const done = async (path: string, form: Record<string, string>, what: string, accounts: string[] = []) => {
      const chosen = accounts.map((id): [string, string] => ['account', id]);
      await visitor.post(`${snapshots}${path}`, [...Object.entries({ csrf, ...form }), ...chosen]);
      expect([visitor.page.status, visitor.location]).toEqual([303, `${snapshots}?done=${what}`]);
    };
    await visitor.post(snapshots, { csrf: 'x', name: 'one' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([403, expect.stringContaining('out of date')]);
    await visitor.post(snapshots, { csrf, name: 'a b' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([
      400,
      expect.stringContaining('snapshot_name'),
    ]);
    await visitor.post(`${snapshots}/reset`, { csrf, to: 'EMPTY', account: foreign.account.id });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([
      400,
      expect.stringContaining(foreign.account.id),
    ]);
    await done('', { name: 'one', account: account.id }, 'saved');
    const both: [string, string][] = ['', account.id].map((id) => ['account', id]);
    await visitor.post(`${snapshots}/reset`, [['csrf', csrf], ['to', 'EMPTY'], ...both]);
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('got both')]);
    await done('/reset', { to: 'EMPTY' }, 'reset');
    expect(await named()).toEqual([]);
    await visitor.get(`${snapshots}?done=saved`);
    expect(visitor.page.text).toContain('The snapshot is saved.');
    await done('/one/restore', {}, 'restored');
    expect(await named()).toEqual([{ name: 'Kept' }]);
    const advancing = `UPDATE accounts SET "clockAdvancing" = $2 WHERE id = $1`;
    await world().sql(advancing, account.id, true);
    await visitor.post(`${snapshots}/one/restore`, { csrf });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([409, expect.stringContaining('is advancing')]);
    await world().sql(advancing, account.id, false);
    await visitor.get(`${snapshots}/one/content`);
    expect(visitor.page.headers['content-disposition']).toBe('attachment; filename="one.json"');
    const file = JSON.parse(visitor.page.text);
    expect(file).toMatchObject({ format: 'marquee-snapshot', accounts: [{ account_id: account.id }] });
    const stranger = await visitorOf(await person());
    await stranger.get(`${snapshots}/one/content`);
    expect(stranger.page.status).toBe(404);
    await done('/one/delete', {}, 'deleted');
    await visitor.post(`${snapshots}/one/restore`, { csrf });
    expect(visitor.page.status).toBe(404);
    await visitor.get(`${snapshots}/one/content`);
    expect(visitor.page.status).toBe(404);

    const second = await given.account({ userId: owner.id, environment: 'sandbox' });
    const third = await given.account({ userId: owner.id, environment: 'sandbox' });
    await done('', { name: 'two' }, 'saved', [account.id, second.id]);
    await visitor.get(`${snapshots}/two/content`);
    const saved = JSON.parse(visitor.page.text).accounts as Json[];
    expect(saved.map(({ account_id }) => account_id as string).sort()).toEqual([account.id, second.id].sort());
    await done('', { name: 'all' }, 'saved', ['']);
    await visitor.get(`${snapshots}/all/content`);
    expect(visitor.page.text).toContain(third.id);
  });

  it('offers all accounts of the sandbox at once, or says that there are too many', async () => {
    const snapshots = requests.replace(/requests$/, 'snapshots');
    const addAccount = () => given.account({ userId: owner.id, environment: 'sandbox' });
    for (let count = 0; count < 20; count++) await addAccount();
    const visitor = await visitorOf(owner);
    const isOffered = async () => {
      const { text } = (await visitor.get(snapshots)).page;
      return [text.includes('all of the sandbox'), text.includes('Only some of your accounts')];
    };
    expect(await isOffered()).toEqual([true, false]);
    await addAccount();
    expect(await isOffered()).toEqual([false, true]);
  });

  it('creates namespaces for any time, and extends them', async () => {
    const namespaces = requests.replace(/requests$/, 'namespaces');
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(namespaces);
    const now = world().clock.now().getTime();
    const expiry = async () => {
      const [, at] = /datetime="([^"]+)"/.exec((await visitor.get(namespaces)).page.text)!;
      return Math.round((Date.parse(at) - now) / 60_000);
    };
    await visitor.post(namespaces, { csrf, name: 'Short', ttl: '0', unit: '60' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('ttl')]);
    await visitor.post(namespaces, { csrf, name: 'Short', ttl: '90', unit: '60' });
    expect(visitor.page.status).toBe(201);
    expect(await expiry()).toBe(90);
    const [, extend] = /action="([^"]+\/extend)"/.exec(visitor.page.text)!;
    await visitor.post(extend, { csrf, ttl: '8', unit: '86400' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('ttl')]);
    await visitor.post(extend, { csrf: 'x', ttl: '2', unit: '86400' });
    expect(visitor.page.status).toBe(403);
    await visitor.post(extend, { csrf, ttl: '2', unit: '86400' });
    expect(visitor.page.status).toBe(303);
    expect(await expiry()).toBe(2 * 24 * 60);
    const stranger = await visitorOf(await person());
    await stranger.post(extend, { csrf: stranger.csrf, ttl: '7', unit: '86400' });
    expect(stranger.page.status).toBe(404);
    expect(await expiry()).toBe(2 * 24 * 60);
  });

  it('creates and revokes tokens of pixels, and lists conversions', async () => {
    const pixels = requests.replace(/requests$/, 'pixels');
    const account = await given.account({ userId: owner.id, name: 'Shop <1>' });
    const foreign = await given.advertiser();
    const visitor = await visitorOf(owner);
    // not another account in its place
    expect((await visitor.get(`${pixels}?account=${foreign.account.id}`)).page.status).toBe(404);
    const { csrf } = await visitor.get(`${pixels}?account=${account.id}`);
    expect(visitor.page.text).toContain('Shop &lt;1&gt;');
    expect(visitor.page.text).toContain(pixelIdOf(account.id));
    expect(visitor.page.text).not.toContain(foreign.account.id);
    const tokens = `${pixels}/${account.id}/tokens`;
    await visitor.post(tokens, { csrf: 'x', name: 'Server' });
    expect(visitor.page.status).toBe(403);
    await visitor.post(tokens, { csrf, name: ' ' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('name')]);
    await visitor.post(`${pixels}/${foreign.account.id}/tokens`, { csrf, name: 'Server' });
    expect(visitor.page.status).toBe(404);
    await visitor.post(tokens, { csrf, name: 'Server <1>' });
    const token = /id="token"[^>]*>(\w{50})</.exec(visitor.page.text)![1];
    const { id: event_id } = await given.webEventTag({ account });
    const conversion = { conversion_time: world().clock.now().toISOString(), event_id, identifiers: [{ twclid: 'x' }] };
    const { status } = await send(world().url, `/12/measurement/conversions/${pixelIdOf(account.id)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pixel-token': token },
      body: JSON.stringify({ conversions: [{ ...conversion, value: 12.5, price_currency: 'EUR' }] }),
    });
    expect(status).toBe(200);
    await visitor.get(`${pixels}?account=${account.id}`);
    expect(visitor.page.text).toContain('Server &lt;1&gt;');
    expect(visitor.page.text).toContain('12.5 EUR');
    expect(visitor.page.text).not.toContain(token);
    const tokenId = /id="revoke-(\w+)"/.exec(visitor.page.text)![1];
    await visitor.post(`${tokens}/${tokenId}/revoke`, { csrf });
    expect([visitor.page.status, visitor.location]).toEqual([303, `${pixels}?account=${account.id}`]);
    await visitor.get(`${pixels}?account=${account.id}`);
    expect(visitor.page.text).toContain('The pixel has no tokens');
  });

  it('lists test clocks, and advances and deletes them for forms of this session', async () => {
    const clocks = requests.replace(/requests$/, 'clocks');
    const service = world().get(TestClocksService);
    const frozen_time = world().clock.now().toISOString();
    const { clock } = await service.create(application.id, owner.id, { name: HOSTILE, frozen_time });
    const foreign = await service.create((await given.application()).id, owner.id, { name: 'Foreign', frozen_time });
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(clocks);
    expect(visitor.page.text).toContain(clock.id);
    expect(visitor.page.text).not.toContain('<script>document');
    expect(visitor.page.text).not.toContain(foreign.clock.id);
    const account = await given.account({ userId: owner.id, environment: 'sandbox', name: 'Trial & error' });
    const later = new Date(Date.parse(frozen_time) + 86_400_000).toISOString();
    const { clock: ahead } = await service.create(application.id, owner.id, { name: 'Ahead', frozen_time: later });
    await visitor.get(clocks);
    expect(visitor.page.text).toContain(`<option value="${account.id}">Trial &amp; error`);
    const more = await given.account({ userId: owner.id, environment: 'sandbox' });
    const third = await given.account({ userId: owner.id, environment: 'sandbox' });
    const fields = { csrf, name: 'Several', frozen_time: frozen_time.slice(0, 16) };
    await visitor.post(clocks, [...Object.entries(fields), ['account', more.id], ['account', third.id]]);
    expect([visitor.page.status, visitor.location]).toEqual([303, clocks]);
    const { items } = await service.list(application.id, { max_results: 10 });
    const several = items.find(({ clock }) => clock.name === 'Several')!;
    expect(several.accountIds.toSorted()).toEqual([more.id, third.id].toSorted());
    await service.delete(application.id, several.clock.id);
    const form = { csrf, clock: ahead.id, account: account.id };
    await visitor.post(`${clocks}/attach`, { ...form, csrf: 'x' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([403, expect.stringContaining('out of date')]);
    await visitor.post(`${clocks}/attach`, { ...form, account: 'zzz' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([404, expect.stringContaining('zzz')]);
    await visitor.post(`${clocks}/attach`, form);
    expect([visitor.page.status, visitor.location]).toEqual([303, clocks]);
    expect((await service.get(application.id, ahead.id)).accountIds).toEqual([account.id]);
    await visitor.post(`${clocks}/${ahead.id}/detach`, { csrf, account: account.id });
    expect((await service.get(application.id, ahead.id)).accountIds).toEqual([]);
    await service.delete(application.id, ahead.id);
    const elsewhere = foreign.clock.applicationId;
    const theirs = await service.create(elsewhere, owner.id, {
      name: 'Theirs',
      frozen_time,
      account_ids: [account.id],
    });
    await visitor.get(clocks);
    expect(visitor.page.text).toContain(`id="release-${account.id}"`);
    await visitor.post(`${clocks}/release`, { csrf: 'x', account: account.id });
    expect(visitor.page.status).toBe(403);
    await visitor.post(`${clocks}/release`, { csrf, account: account.id });
    expect([visitor.page.status, visitor.location]).toEqual([303, clocks]);
    expect((await service.get(elsewhere, theirs.clock.id)).accountIds).toEqual([]);
    await visitor.post(`${clocks}/${clock.id}/advance`, { csrf: 'x', days: '7' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([403, expect.stringContaining('out of date')]);
    await visitor.post(`${clocks}/${clock.id}/advance`, { csrf, days: '5' });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('days')]);
    await visitor.post(`${clocks}/${foreign.clock.id}/delete`, { csrf });
    expect(visitor.page.status).toBe(404);
    await visitor.post(`${clocks}/${clock.id}/advance`, { csrf, days: '7' });
    expect([visitor.page.status, visitor.location]).toEqual([303, clocks]);
    const { clock: advanced } = await service.get(application.id, clock.id);
    expect(Date.parse(advanced.targetTime!)).toBe(Date.parse(frozen_time) + 7 * 86_400_000);
    // sent twice, as by a double click: the clock does not move further
    for (const [from, wrong] of [
      [frozen_time, `${/^\d{4}/.exec(frozen_time)![0]}|advanc`],
      ['x', 'for from'],
    ]) {
      await visitor.post(`${clocks}/${clock.id}/advance`, { csrf, days: '7', from });
      expect([400, 409]).toContain(visitor.page.status);
      expect(problemOf(visitor.page.text)).toMatch(new RegExp(wrong));
    }
    expect((await service.get(application.id, clock.id)).clock.targetTime ?? advanced.targetTime).toBe(
      advanced.targetTime,
    );
    await visitor.post(`${clocks}/${clock.id}/delete`, { csrf });
    await visitor.get(clocks);
    expect(visitor.page.text).toContain('There are no test clocks.');
  });

  it('creates a clock, shows the timeline of its accounts, and advances it to a time', async () => {
    const clocks = requests.replace(/requests$/, 'clocks');
    const service = world().get(TestClocksService);
    const account = await given.account({ userId: owner.id, environment: 'sandbox', name: 'Trial & error' });
    const now = world().clock.now().getTime();
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString().slice(0, 16);
    const flight = { start_time: `${at(3)}:00Z`, end_time: `${at(9)}:00Z` };
    const item = await given.lineItem({ account, name: HOSTILE, ...flight });
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(clocks);
    for (const [form, wrong] of [
      [{ name: '', frozen_time: at(1) }, 'characters for name'],
      [{ name: 'Quarter', frozen_time: 'tomorrow' }, 'Expected a time in UTC'],
      [{ name: 'Quarter', frozen_time: '2026-13-41T08:00' }, 'Expected a time in UTC'],
      [{ name: 'Quarter', frozen_time: '2006-01-01T08:00' }, 'at most 2 years'],
      [{ name: 'Quarter', frozen_time: at(1), account: advertiser.account.id }, advertiser.account.id],
    ] as const) {
      await visitor.post(clocks, { csrf, ...form });
      expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining(wrong)]);
    }
    await visitor.post(clocks, { csrf: 'x', name: 'Quarter', frozen_time: at(1) });
    expect(visitor.page.status).toBe(403);
    await visitor.post(clocks, { csrf, name: 'Quarter', frozen_time: at(1), account: account.id });
    expect([visitor.page.status, visitor.location]).toEqual([303, clocks]);
    const [{ clock, accountIds }] = (await service.list(application.id, { max_results: 5 })).items;
    expect([accountIds, new Date(clock.frozenTime).toISOString().slice(0, 16)]).toEqual([[account.id], at(1)]);

    const timeline = `${clocks}/${clock.id}`;
    const { page } = await visitor.get(timeline);
    expect(page.text).toContain(`accounts/${account.id}/line_items/${item.id}"><bdi>&lt;script&gt;`);
    expect(page.text).toContain(`${at(3).replace('T', ' ')} to ${at(9).replace('T', ' ')}`);
    expect(page.text).toContain(`name="frozen_time" value="${at(3)}"`);
    expect(page.text).not.toContain('<script>document');
    await visitor.post(`${timeline}/advance`, { csrf, frozen_time: at(0) });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([400, expect.stringContaining('set back')]);
    expect(visitor.page.text).toContain('Timeline');
    await visitor.post(`${timeline}/advance`, { csrf, frozen_time: at(4) });
    expect([visitor.page.status, visitor.location]).toEqual([303, timeline]);
    const { clock: advanced } = await service.get(application.id, clock.id);
    expect(new Date(advanced.targetTime!).toISOString().slice(0, 16)).toBe(at(4));
    expect((await visitor.get(`${clocks}/zzz`)).page.status).toBe(404);
    await visitor.post(`${clocks}/zzz/advance`, { csrf, frozen_time: at(4) });
    expect([visitor.page.status, problemOf(visitor.page.text)]).toEqual([404, expect.stringContaining('zzz')]);
  });

  /** Facts of each of the last days of a line item in a sandbox account of the owner, at noon. */
  async function served(name: string, days = 14) {
    const account = await given.account({ userId: owner.id, environment: 'sandbox', name });
    const campaign = await given.campaign({ account, name: HOSTILE });
    const item = await given.lineItem({ account, campaign_id: campaign.id });
    const noon = Math.floor(world().clock.now().getTime() / 86_400_000 - 0.5) * 86_400_000 + 43_200_000;
    const facts = Array.from({ length: days }, (_, i) => ({
      hour: new Date(noon - i * 86_400_000).toISOString(),
      impressions: 21_000 + Math.round(9_000 * Math.sin(i * 1.7)),
      engagements: 420,
      clicks: 300,
      billedChargeLocalMicro: 118_000_000 + Math.round(40_000_000 * Math.cos(i)),
    }));
    await given.facts(item, ...facts);
    return { account, campaign, item };
  }

  it('shows the statistics of accounts that the user may read, by campaign and range', async () => {
    const idle = await given.account({ userId: owner.id, environment: 'sandbox', name: 'Idle' });
    const { account, campaign, item } = await served('Trial & error');
    const statistics = `/workbench/applications/${application.id}/statistics`;
    const visitor = await visitorOf(owner);
    const textOf = async (query = '') => (await visitor.get(statistics + query)).page.text;
    /** The figures of the range, by name. */
    const totals = (html: string) =>
      Object.fromEntries(
        [...html.matchAll(/<div><dt>(.*?)<\/dt><dd>(.*?)<\/dd><\/div>/g)].map(([, name, value]) => [name, value]),
      );
    const rows = (html: string) => html.match(/<tr role="row"><td role="cell" class="main"><time/g)?.length ?? 0;

    const html = await textOf();
    expect(html).toContain('No reach and frequency: The feature REACH_AND_FREQUENCY_ANALYTICS is not available');
    expect(html).toContain(`<option value="${account.id}" selected>Trial &amp; error (${account.id})</option>`);
    expect(html).toContain(`<option value="${idle.id}">`);
    expect(html).not.toContain('<script>document');
    expect(rows(html)).toBe(14);
    expect(html.match(/<rect class="bar"/g)).toHaveLength(14);
    const days = [...html.matchAll(/<time datetime="(\d{4}-\d\d-\d\d)">/g)].map(([, day]) => day);
    expect(days).toEqual(days.toSorted().reverse());
    // the day of noon in UTC may be the one before
    expect(totals(html).Engagements).toMatch(/^5,(460|880)$/);
    expect(html).toContain(
      `POST /12/stats/jobs/accounts/${account.id} entity=FUNDING_INSTRUMENT entity_ids=${item.fundingInstrumentId} `,
    );
    await given.facts(item, {
      hour: new Date(world().clock.now().getTime() - 1).toISOString(),
      impressions: 7,
      promotedId: 'q',
    });

    const ofCampaign = await textOf(`?account=${account.id}&campaign=${campaign.id}&range=24h`);
    expect([rows(ofCampaign), totals(ofCampaign).Clicks]).toEqual([24, expect.stringMatching(/^(300|0)$/)]);
    expect(ofCampaign).toContain(`GET /12/stats/accounts/${account.id} entity=CAMPAIGN entity_ids=${campaign.id} `);
    expect(ofCampaign).toMatch(/granularity=HOUR .* --sandbox/);
    expect(ofCampaign).toContain('<a href="/docs#/Statistics/getStatistics">');
    const divided = await textOf(`?account=${account.id}&segment=GENDER`);
    expect(divided).toMatch(/aria-label="Segments"><li><span><bdi>\w+<\/bdi><\/span> <strong>[\d,]+</);
    expect(await textOf(`?account=${account.id}&campaign=zzz&range=7d`)).toContain(
      'The account has no campaign <code>zzz</code>',
    );
    expect(await textOf(`?account=${idle.id}`)).toContain('Nothing was counted in this range.');

    expect(problemOf(await textOf('?segment=AGES'))).toContain('Expected one of AGE, GENDER');
    expect(problemOf(await textOf('?range=2d'))).toContain('Expected one of 24h, 7d');
    expect(visitor.page.status).toBe(400);
    expect(problemOf(await textOf(`?account=${advertiser.account.id}`))).toContain('was not found');
    expect(visitor.page.status).toBe(404);
    expect((await (await visitorOf(await person())).get(statistics)).page.status).toBe(404);

    const later = new Date(world().clock.now().getTime() + 30 * 86_400_000);
    await world().sql('UPDATE accounts SET "frozenTime" = $2 WHERE id = $1', account.id, later.toISOString());
    const followed = await textOf(`?account=${account.id}`);
    expect(followed).toMatch(/, by its <a href="[^"]+\/clocks">test clock<\/a>/);
    expect(followed).toContain('Nothing was counted in this range.');
  });

  it('compares spend with even pacing, and shows the campaigns, their reach, and the funnel', async () => {
    const { account, campaign } = await served('Paced');
    await world().get(FeaturesService).add(account, ['REACH_AND_FREQUENCY_ANALYTICS']);
    await world().caughtUp();
    const other = await given.lineItem({ account, name: 'Small' });
    const hour = new Date(Math.floor(world().clock.now().getTime() / 3_600_000) * 3_600_000 - 3_600_000).toISOString();
    await given.facts(other, { hour, impressions: 900, billedChargeLocalMicro: 1_000_000, promotedId: 'r' });
    const visitor = await visitorOf(owner);
    const path = `/workbench/applications/${application.id}/statistics?account=${account.id}`;
    const { text } = (await visitor.get(path)).page;
    const [, spent, paced] = /<strong>([\d,.]+)<\/strong> of <strong>([\d,.]+) USD<\/strong> that even/.exec(text)!;
    expect(Number(paced)).toBeGreaterThan(0);
    expect(Number(spent.replaceAll(',', ''))).toBeGreaterThan(Number(paced.replaceAll(',', '')));
    const listed = [...text.matchAll(/accounts\/\w+\/campaigns\/(\w+)">/g)].map(([, id]) => id);
    expect(listed).toEqual([campaign.id, other.campaignId]);
    expect(text).toMatch(/<rect class="series-0"/);
    const [, start_time, end_time] = /start_time=(\S+) end_time=(\S+)/.exec(text)!;
    const token = await world().get(AccessTokensService).issue(owner.id, application.id, 'read');
    const api = new Api({ consumer: application.consumer, token }).in('sandbox');
    const query = { campaign_ids: campaign.id, start_time, end_time };
    const { status, body } = await api.get(`/12/stats/accounts/${account.id}/reach/campaigns`, { query });
    expect([status, body.errors]).toEqual([200, undefined]);
    const [{ total_audience_reach: reach, average_frequency: frequency }] = body.data as Record<string, number>[];
    expect(text).toContain(`data-label="Reach">${reach.toLocaleString('en-US')}<`);
    expect(text).toContain(`data-label="Frequency">${frequency.toFixed(2)}<`);
    const steps = [...text.matchAll(/<li><span>(\w+)<\/span> <strong>([\d,]+)</g)].map(([, label]) => label);
    expect(steps).toEqual(['Impressions', 'Engagements', 'Clicks', 'Conversions']);
    const rates = [...text.matchAll(/([\d.]+) % of the step before/g)].map(([, rate]) => rate);
    expect(rates).toEqual(rates.map((rate) => Number(rate).toFixed(Number(rate) < 10 ? 2 : 0)));
    expect(rates.filter((rate) => rate.includes('.'))).not.toEqual([]);
    const hours = (await visitor.get(`${path}&range=24h`)).page.text;
    const [, axis] = /aria-label="Spend of each hour and even pacing.*?<svg class="days"[^>]*>(.*?)<\/svg>/s.exec(
      hours,
    )!;
    expect(axis.replaceAll(/<[^>]*>/g, ' ')).toMatch(/^[ \d:]*\d\d:\d\d[ \d:]*$/);
  });

  it('keeps its headers: no framing, no foreign scripts, no caching', async () => {
    const { page } = await (await visitorOf(owner)).get(requests);
    const policy = String(page.headers['content-security-policy']);
    for (const part of ["default-src 'none'", "connect-src 'self'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+';/);
    expect(policy).not.toContain('unsafe');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
  });

  inBrowser.each(Object.entries(DEVICES))('in a browser, %s', (device, options) => {
    let browser: OpenBrowser;
    let page: Page;
    let problems: string[];

    beforeEach(async () => {
      browser = await openBrowser(options);
      page = browser.page;
      problems = problemsOf(page);
    }, 60_000);
    afterEach(() => browser.close());

    async function check(name: string): Promise<void> {
      await checkPage(page, `${device}-workbench-${name}`);
      expect(problems).toEqual([]);
    }

    it('sends a test conversion, tells of its duplicate and shows what became of it', async () => {
      const account = await given.account({ userId: owner.id });
      await given.webEventTag({ account, name: HOSTILE });
      await signIn(page, owner);
      await page.goto(`${world().url}${requests.replace(/requests$/, 'pixels')}?account=${account.id}`);
      const sent = async () => {
        await page.getByLabel('E-mail address').fill('ann@example.com');
        await page.getByLabel('Conversion id').fill('order-4711');
        await page.getByLabel('Value').fill('20.00');
        await page.getByLabel('Currency').fill('EUR');
        await page.getByRole('button', { name: 'Send a conversion' }).click();
      };
      await sent();
      await page.getByText('The conversion is stored').waitFor();
      await page.getByText('no engagement in the windows').waitFor();
      expect(await page.locator('#conversions tbody tr').count()).toBe(1);
      expect(await page.locator('#conversions').innerText()).not.toContain('ann@example.com');
      await check('conversion');
      await sent();
      await page.getByText('It is a duplicate of').waitFor();
      expect(await page.locator('#conversions tbody tr').count()).toBe(1);
      await page.getByRole('button', { name: 'Send a conversion' }).click();
      expect(await page.getByRole('alert').innerText()).toContain('must have at least one identifier');
      await check('conversion-refused');
    });

    it('shows what the service received, as it arrives, and repeats deliveries', async () => {
      const { target, times } = await delivered();
      await advertiser.api.get(campaigns, { query: { count: 7, q: HOSTILE } });
      await advertiser.api.get(`${campaigns}/${encodeURIComponent(HOSTILE)}`);
      const json = [{ operation_type: 'Create', params: { name: HOSTILE } }];
      await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, { json });

      await signIn(page, owner);
      await check('applications');
      await page.getByRole('link', { name: 'Campaign "Desk" <&>' }).click();
      await page.getByRole('link', { name: 'Requests', exact: true }).click();
      const lines = page.locator('tbody tr');
      expect(await lines.count()).toBe(4);
      await page.getByText('Live', { exact: true }).waitFor();
      await check('requests');

      await advertiser.api.get(`${campaigns}/later`);
      await page.getByRole('link', { name: `${campaigns}/later` }).waitFor();
      expect(await lines.count()).toBe(5);
      await page.getByRole('button', { name: 'Pause' }).click();
      expect(await page.getByRole('status').innerText()).toBe('Paused');
      await page.getByRole('button', { name: 'Resume' }).click();

      await page.getByLabel('Method').selectOption('POST');
      await page.getByLabel('Status').fill('4xx');
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(await lines.count()).toBe(1);
      await check('filtered');
      await page.locator('tbody a').click();
      await page.getByRole('heading', { name: 'Send it again' }).waitFor();
      expect(await page.getByLabel('Request body').innerText()).toContain(JSON.stringify(HOSTILE));
      await check('request');

      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      target.answers = 503;
      const again = page.locator('tr', { hasText: 'custom_audience.create' });
      const before = times();
      await again.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('The event is sent again').waitFor();
      await until(() => times() > before);
      await again.getByText('The response had status 503.').waitFor();
      await check('webhooks');
      target.answers = 200;
      await page.getByText('Test event, replay, subscriptions').click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByText(/Replay \d+ of webhook/).waitFor();
      await until(() => times() > before + 1);
      await page.locator('tr', { hasText: '(replay)' }).first().waitFor();
      await check('replay');

      const fault = Object.assign(new CreateFault(), { operation: 'createCampaign', latency_ms: { min: 5, max: 9 } });
      await world().get(FaultsService).create(application.id, fault);
      await page.getByRole('link', { name: 'Faults', exact: true }).click();
      await page.getByText('latency of 5..9 ms').waitFor();
      await check('faults');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('There are no faults.').waitFor();

      await given.account({ userId: owner.id, environment: 'sandbox', name: 'Trial account' });
      await page.getByRole('link', { name: 'Snapshots', exact: true }).click();
      await page.getByText('There are no snapshots.').waitFor();
      await page.getByLabel('Save as').fill('before-the-test');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The snapshot is saved.').waitFor();
      await check('snapshots');
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByText('The snapshot is restored.').waitFor();
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByText('The accounts are reset.').waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no snapshots.').waitFor();

      await page.getByRole('link', { name: 'Namespaces', exact: true }).click();
      await check('no-namespaces');
      await page.getByLabel('Name').fill(HOSTILE);
      await page.getByRole('button', { name: 'Create a namespace' }).click();
      await page.getByRole('heading', { name: 'is created' }).waitFor();
      await check('namespaces');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no namespaces.').waitFor();
    }, 240_000);

    it('advances clocks, and shows statistics as they change', async () => {
      await given.account({ userId: owner.id, environment: 'sandbox', name: 'Trial account' });
      await signIn(page, owner);
      await page.getByRole('link', { name: 'Campaign "Desk" <&>' }).click();
      const frozen_time = world().clock.now().toISOString();
      const clock = { name: HOSTILE, frozen_time: new Date(Date.parse(frozen_time) + 3_600_000).toISOString() };
      await world().get(TestClocksService).create(application.id, owner.id, clock);
      await page.getByRole('link', { name: 'Clocks', exact: true }).click();
      await page.getByRole('button', { name: 'Attach' }).click();
      await page.getByRole('button', { name: 'Detach' }).waitFor();
      const frozen = await page.locator('main').innerText();
      await page.getByRole('button', { name: '+30 days' }).click();
      // the progress, or at once the new time
      while ((await page.locator('main').innerText()) === frozen) await pause(50);
      await page.getByRole('button', { name: '+30 days' }).waitFor();
      await check('clocks');
      await page.locator('tbody a').click();
      await page.getByRole('slider').press('PageUp');
      const wanted = await page.getByLabel('Advance to (UTC)').inputValue();
      await check('timeline');
      await page.getByRole('button', { name: 'Advance', exact: true }).click();
      await page.getByText(`ready at ${wanted.replace('T', ' ')} UTC`).waitFor();
      await page.getByRole('link', { name: 'All clocks' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no test clocks.').waitFor();

      await page.getByRole('link', { name: 'Statistics', exact: true }).click();
      await page.getByText('Nothing was counted in this range.').waitFor();
      await check('no-statistics');
      const { campaign, item } = await served('Account with figures', 95);
      await page.getByRole('link', { name: 'Statistics', exact: true }).click();
      await page.getByRole('img', { name: 'Spend and impressions of each day' }).waitFor();
      await check('statistics');
      await page.getByLabel('Segments').selectOption('Age');
      await page.getByLabel('Campaign', { exact: true }).selectOption(campaign.id);
      await page.getByLabel('Range').selectOption('90 days');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('Clicks').first().waitFor();
      await check('statistics-of-campaign');
      const hour = new Date(Math.floor(world().clock.now().getTime() / 3_600_000) * 3_600_000).toISOString();
      await given.facts(item, { hour, impressions: 88_000_000, promotedId: 'q' });
      await page
        .getByText(/^(88|89|90),\d{3},\d{3}$/)
        .first()
        .waitFor();
    }, 240_000);

    it('has pages without requests, webhooks and applications', async () => {
      await signIn(page, owner);
      await page.goto(world().url + requests);
      await page.getByText('No requests yet').waitFor();
      await check('no-requests');
      await page.goto(world().url + webhooks);
      await page.getByText('This application has no webhooks').waitFor();
      await check('no-webhooks');
      await page.goto(`${world().url}${requests}/zzz`);
      await check('not-found');
      owner = await person();
      await browser.context.clearCookies();
      await signIn(page, owner);
      await page.getByText('You do not own an application').waitFor();
      await check('no-application');
    });
  });

  inBrowser('in a browser without JavaScript', () => {
    it('shows everything, and a link refreshes it', async () => {
      const { times } = await delivered();
      const browser = await openBrowser({ javaScriptEnabled: false });
      try {
        const { page } = browser;
        await signIn(page, owner);
        await page.getByRole('link', { name: 'Campaign "Desk" <&>' }).click();
        await page.getByRole('link', { name: 'Requests', exact: true }).click();
        await advertiser.api.get(`${campaigns}/later`);
        expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(false);
        await page.getByRole('link', { name: 'Refresh' }).click();
        await page.getByRole('link', { name: `${campaigns}/later` }).click();
        await page.getByLabel('Base string', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
        const before = times();
        await page.getByRole('button', { name: 'Send again' }).first().click();
        await page.getByText('The event is sent again').waitFor();
        await until(() => times() > before);
      } finally {
        await browser.close();
      }
    }, 60_000);
  });
});

describe('a service without the workbench', () => {
  useApp({ WORKBENCH: 'false' });

  it('has no page of it, and no link to it', async () => {
    const visitor = await new Visitor().signIn((await person()).username);
    expect((await visitor.get('/workbench')).page.status).toBe(404);
    expect((await visitor.get('/oauth/applications')).page.text).not.toContain('/workbench');
  });
});

describe('replays by the page', () => {
  useApp({ RATE_LIMIT_WEBHOOK_REPLAYS: '2/900' });
  afterEach(closeReceivers);

  it('count in the limit of the application, unless they cannot start', async () => {
    const owner = await person();
    const application = await registered({ ownerId: owner.id });
    const target = await receiver(application.consumer.secret);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await given.webhook(application, `${target.url}/${i}`));
    const visitor = await new Visitor().signIn(owner.username);
    const section = `/workbench/applications/${application.id}/webhooks`;
    const { csrf } = await visitor.get(section);
    const replay = async (id: string) => {
      await visitor.post(`${section}/${id}/replay`, { csrf, minutes: '15' });
      return visitor.page.status;
    };
    const passes = target.challenged;
    target.challenged = (_token, response) => void response.writeHead(503).end();
    for (let i = 0; i < 3; i++) expect(await replay(ids[0])).toBe(400);
    target.challenged = passes;
    expect([await replay(ids[0]), await replay(ids[1]), await replay(ids[2])]).toEqual([303, 303, 429]);
    expect(visitor.page.headers['retry-after']).toMatch(/^\d+$/);
    expect(visitor.page.text).toMatch(/Rate limit exceeded\. Please try again in \d+ seconds/);
    const bearer = await BearerApi.of(application);
    const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace(/\D/g, '');
    const now = world().clock.now().getTime();
    const json = { from_date: minute(now - 600_000), to_date: minute(now), webhook_id: ids[2] };
    expect((await bearer.post('/2/webhooks/replay', json)).status).toBe(429);
  });
});
