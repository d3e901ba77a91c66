import type { Page } from 'playwright-core';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { fixturesOf } from '../../../src/cli/fixtures/fixture-file.js';
import { Api } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { inBrowser, openBrowser, type OpenBrowser } from '../../support/browser.js';
import { send, type Json } from '../../support/http.js';
import { given, type Application } from '../../support/given.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, problemsOf, signIn } from './visited-page.js';

describe('the requests of the workbench', () => {
  useSharedApp();

  let owner: Row<User>;
  let application: Application;
  let account: ActingAccount;
  let api: Api;
  let section: string;
  let campaigns: string;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id, name: 'Desk' });
    account = await given.account({ userId: owner.id });
    const token = await world().get(AccessTokensService).issue(owner.id, application.id, 'write');
    api = new Api({ consumer: application.consumer, token });
    section = `/workbench/applications/${application.id}/requests`;
    campaigns = `/12/accounts/${account.id}/campaigns`;
  });

  const visitorOf = (user: Row<User>) => new Visitor().signIn(user.username);
  const listed = async (query = {}): Promise<Json[]> => (await api.get('/workbench/requests', { query })).body.data;
  const newest = async (): Promise<Json> =>
    (await api.get(`/workbench/requests/${String((await listed())[0].id)}`)).body.data;

  it('records what no endpoint or parser takes, by the consumer key that it names', async () => {
    expect((await api.get(`/12/accounts/${account.id}/campaign`)).status).toBe(404);
    expect((await api.delete('/12/accounts')).status).toBe(405);
    expect((await api.post(campaigns, { json: { name: 'x' } })).status).toBe(415);
    const { headers } = api.prepare('POST', `/12/batch/accounts/${account.id}/campaigns`, { json: [] });
    const broken = { method: 'POST', headers: headers, body: '[{' };
    expect((await send(world().url, `/12/batch/accounts/${account.id}/campaigns`, broken)).status).toBe(400);
    expect((await send(world().url, '/12/nothing', { method: 'GET' })).status).toBe(404);
    expect((await listed()).map(({ status, unmatched }) => [status, unmatched])).toEqual([
      [400, false],
      [415, false],
      [405, true],
      [404, true],
    ]);
    expect((await listed({ unmatched: true })).map(({ status }) => status)).toEqual([405, 404]);
    const visitor = await visitorOf(owner);
    const { page } = await visitor.get(`${section}?unmatched=true`);
    expect(page.text.match(/id="request-/g)).toHaveLength(2);
    expect(page.text).toMatch(/class="tip">Did you mean GET http\S+\/campaigns\?/);
    expect(page.text).toContain('<input type="hidden" name="unmatched" value="true">');
  });

  it('keeps headers without secrets, and says what an Idempotency-Key did', async () => {
    const form = {
      name: 'Autumn',
      funding_instrument_id: (await given.fundingInstrument({ account })).id,
      daily_budget_amount_local_micro: '5500000',
    };
    const headers = { 'idempotency-key': 'once-1', 'x-api-key': 'hidden', 'x-real-ip': '192.0.2.7', 'x-trace': 'kept' };
    const first = await api.post(campaigns, { form, headers });
    const again = await api.post(campaigns, { form, headers });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    const shown = await newest();
    expect(shown.headers).toMatchObject({
      authorization: '***',
      'x-api-key': '***',
      'x-real-ip': '***',
      'x-trace': 'kept',
      'idempotency-key': 'once-1',
    });
    expect(shown.response_headers).toMatchObject({
      'idempotent-replayed': 'true',
      'x-request-id': again.headers['x-request-id'],
    });
    expect(JSON.stringify(shown)).not.toMatch(/hidden|192\.0\.2\.7/);
    const { page } = await (await visitorOf(owner)).get(`${section}/${String(shown.id)}`);
    expect(page.text).toMatch(/once-1<\/bdi><\/code> replayed/);
    const { steps } = fixturesOf(JSON.parse(shown.commands.fixture), 'file');
    expect(steps).toEqual([expect.objectContaining({ method: 'POST', path: campaigns, params: form })]);
    expect(shown.commands.curl).toContain(`npx marquee sign POST '${String(shown.url)}' 'name=Autumn'`);
  });

  it('sends a request again with the token of its owner, unless something of it is not kept', async () => {
    const form = {
      name: 'Autumn',
      funding_instrument_id: (await given.fundingInstrument({ account })).id,
      daily_budget_amount_local_micro: '5500000',
    };
    await api.post(campaigns, { form });
    const { id } = await newest();
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(`${section}/${String(id)}`);
    await visitor.post(`${section}/${String(id)}/send-again`, { csrf: 'x' });
    expect(visitor.page.status).toBe(403);
    await visitor.post(`${section}/${String(id)}/send-again`, { csrf });
    expect(visitor.page.status).toBe(303);
    const { page } = await visitor.get(visitor.location);
    expect(page.text).toContain(`from this page, after <a href="${section}/${String(id)}">`);
    const [sent] = await listed();
    expect([sent.method, sent.status, sent.user_id]).toEqual(['POST', 201, owner.id]);
    expect((await api.get(campaigns)).body.data.map(({ name }: Json) => name)).toEqual(['Autumn', 'Autumn']);

    const broken = { operation: 'createCampaign', fault: 'EMPTY_RESPONSE', times: '1' };
    expect((await api.post('/workbench/faults', { form: broken })).status).toBe(201);
    await world().caughtUp();
    await visitor.post(`${section}/${String(id)}/send-again`, { csrf });
    expect(visitor.page.status).toBe(303);
    expect((await visitor.get(visitor.location)).page.text).toContain(`after <a href="${section}/${String(id)}">`);

    await api.post(`/12/batch/accounts/${account.id}/campaigns`, {
      json: [{ operation_type: 'Update', params: { campaign_id: 'abc', name: 'Winter' } }],
    });
    const batch = await newest();
    await visitor.post(`${section}/${String(batch.id)}/send-again`, { csrf });
    expect((await newest()).body.text).toBe(batch.body.text);

    await api.get(campaigns, { query: { q: 'ann@example.com' } });
    const masked = await newest();
    expect((await visitor.get(`${section}/${String(masked.id)}`)).page.text).toContain('A part of it is masked.');
    await visitor.post(`${section}/${String(masked.id)}/send-again`, { csrf });
    expect(visitor.page.status).toBe(400);
    await world().sql('UPDATE access_tokens SET "revokedAt" = now() WHERE "applicationId" = $1', application.id);
    await visitor.post(`${section}/${String(id)}/send-again`, { csrf });
    expect([visitor.page.status, visitor.page.text]).toEqual([400, expect.stringContaining('no access token')]);
  });

  it('compares base strings', async () => {
    await api.get(campaigns, { query: { count: 7 } });
    const { id, signature } = await newest();
    const visitor = await visitorOf(owner);
    const { csrf } = await visitor.get(`${section}/${String(id)}`);
    const compare = async (base_string: string) => {
      await visitor.post(`${section}/${String(id)}/compare`, { csrf, base_string });
      return visitor.page.text;
    };
    expect(await compare(signature.base_string)).toContain('The base strings are the same.');
    const broken = `${signature.base_string.slice(0, 80)}\r\n\t${signature.base_string.slice(80)}\r\n`;
    expect(await compare(broken)).toContain('The base strings are the same.');
    expect(await compare(signature.base_string.replace('count%3D7', 'count%3D8'))).toMatch(
      /The first difference is at character \d+, after <code>…[^<]*count%3D<\/code>/,
    );
  });

  it('shows the applications of namespaces to who created them, and to nobody else', async () => {
    const namespace = (await api.post('/workbench/namespaces', { form: { name: 'Run 1' } })).body.data;
    const inner = new Api({
      consumer: { key: namespace.consumer_key, secret: namespace.consumer_secret },
      token: { key: namespace.access_token, secret: namespace.access_token_secret },
    });
    await inner.get(`/12/accounts/${String(namespace.account_id)}/campaigns`);
    const query = { namespace_id: namespace.id };
    const [request] = await listed(query);
    expect(request.path).toBe(`/12/accounts/${String(namespace.account_id)}/campaigns`);
    const one = await api.get(`/workbench/requests/${String(request.id)}`, { query });
    expect(one.body.data.id).toBe(request.id);
    expect((await api.get(`/workbench/requests/${String(request.id)}`)).status).toBe(404);
    expect((await api.post('/workbench/requests/count', { form: query })).body.data.count).toBe(1);

    const visitor = await visitorOf(owner);
    const { page } = await visitor.get(section.replace(/requests$/, 'namespaces'));
    const [, link] = /href="([^"]+\/requests)"><bdi>Run 1/.exec(page.text)!;
    expect((await visitor.get(link)).page.text).toContain(request.path);
    const accounts = link.replace(/requests$/, 'accounts');
    expect((await visitor.get(`${accounts}/${String(namespace.account_id)}/campaigns`)).page.status).toBe(200);
    expect((await visitor.get(`${accounts}/${account.id}`)).page.status).toBe(404);

    const stranger = await visitorOf(await person());
    expect((await stranger.get(link)).page.status).toBe(404);
    const other = await person();
    const foreign = await registered({ ownerId: other.id });
    const token = await world().get(AccessTokensService).issue(other.id, foreign.id, 'write');
    const theirs = new Api({ consumer: foreign.consumer, token });
    expect((await theirs.get('/workbench/requests', { query })).status).toBe(404);
    await api.delete(`/workbench/namespaces/${String(namespace.id)}`);
    expect((await visitor.get(link)).page.status).toBe(404);
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

    it('shows unmatched requests, compares base strings and sends again', async () => {
      const check = async (name: string) => {
        await checkPage(page, `${device}-requests-${name}`);
        expect(problems).toEqual([]);
      };
      await api.get(`/12/accounts/${account.id}/campaign`);
      await api.get(campaigns, { query: { count: 7 } });
      await signIn(page, owner);
      await page.goto(`${world().url}${section}`);
      await page.getByRole('link', { name: 'Unmatched' }).click();
      await page.getByText('Did you mean').waitFor();
      await check('unmatched');
      await page.getByRole('link', { name: 'All', exact: true }).click();
      await page.getByRole('link', { name: campaigns, exact: true }).click();
      await page.getByText('Headers of the request').click();
      await page.getByLabel('Compare base strings').fill('GET&x');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByText('The first difference').waitFor();
      await check('compared');
      await page.getByRole('button', { name: 'Copy the command for curl' }).click();
      await page.getByText(/^(Copied|Selected)$/).waitFor();
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('from this page, after').waitFor();
      await check('resent');
    }, 120_000);
  });
});
