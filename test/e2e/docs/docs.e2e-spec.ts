import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { parametersOf } from '../../../src/operations/docs/parameters.js';
import { hasChromium, inBrowser } from '../../support/browser.js';
import { carriedOut, ENDS_ITS_TOKEN } from './carried-out.js';
import { FOREIGN_HOST, panel, Reference } from './reference.js';
import { freshDir, Served } from './served.js';

const NAME = 'Été, 50% + two* & “more”=1';

let served: Served;
let production: Served;
beforeAll(async () => {
  served = await Served.start();
  // The demo's keys lie there as well; that alone must not make them readable.
  const dataDir = freshDir();
  copyFileSync(join(served.dataDir, 'demo-credentials.json'), join(dataDir, 'demo-credentials.json'));
  const environment = {
    NODE_ENV: 'production',
    EMBEDDED_STORE: 'allow',
    MASTER_KEY: '0123456789abcdef'.repeat(4),
    SHUTDOWN_DELAY_MS: '0',
  };
  production = await Served.start(environment, dataDir);
}, 180_000);
afterAll(() => Promise.all(Served.all.map((each) => each.stop())), 30_000);

describe('the reference over HTTP', () => {
  it('is where a visitor is led to', async () => {
    for (const path of ['/', '/docs/', '/sandbox']) {
      const answer = await fetch(`${served.url}${path}`);
      expect([answer.status, answer.url]).toEqual([200, `${served.url}/docs`]);
    }
    expect((await fetch(`${served.url}/sandbox/docs`)).status).toBe(200);
  });

  it('lets nobody frame it and loads nothing from elsewhere', async () => {
    const { headers } = await fetch(`${served.url}/docs`);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
  });

  it('is the document that is checked in, with the servers of the service', async () => {
    const text = readFileSync('openapi.json', 'utf8').replaceAll('http://localhost:3000', production.url);
    expect(await (await fetch(`${production.url}/docs/openapi.json`)).json()).toEqual(JSON.parse(text));
  });

  it('tells nobody elsewhere the ids of the demo', async () => {
    const { account_id } = served.credentials();
    const { text } = await served.ask('/docs/openapi.json', { host: `localhost:${served.port}` });
    expect(text).toContain(account_id);
    const elsewhere = await served.ask('/docs/openapi.json', { host: `${FOREIGN_HOST}:${served.port}` });
    expect(elsewhere.text).not.toContain(account_id);
  });

  it('shows writes that are carried out as they stand, and again where nothing is deleted', async () => {
    const answers = [];
    for (const round of [1, 2]) {
      const document = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as OpenAPIObject;
      const writes = operationsOf(document).filter(({ method }) => method !== 'get');
      expect(writes.map(({ operation }) => operation.operationId)).toEqual(expect.arrayContaining(ENDS_ITS_TOKEN));
      // what is deleted is of no use to those that come after
      const deletesLast = (one: { method: string }, other: { method: string }) =>
        Number(one.method === 'delete') - Number(other.method === 'delete');
      for (const write of writes.sort(deletesLast)) {
        const isSpare = parametersOf(write.operation).some((parameter) => 'x-spare' in parameter);
        if (round === 2 && (isSpare || !write.path.startsWith('/12/'))) continue;
        const { ok, status } = await carriedOut(served, document, write);
        answers.push({ round, id: write.operation.operationId, ok, status });
      }
    }
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  }, 120_000);

  it('is not sent again to a browser that has it', async () => {
    for (const [path, type] of [
      ['docs', 'text/html; charset=utf-8'],
      ['docs/assets/page/page.js', 'application/javascript; charset=utf-8'],
      ['docs/assets/swagger-ui/swagger-ui.css', 'text/css; charset=utf-8'],
      ['docs/assets/swagger-ui/favicon-32x32.png', 'image/png'],
    ]) {
      const { status, headers } = await fetch(`${served.url}/${path}`);
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, 'no-cache']);
      // Not by fetch, which asks for a new copy whenever it is told a condition.
      const again = await served.ask(`/${path}`, { 'if-none-match': headers.get('etag')! });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('serves the files of the page and no others', async () => {
    const page = await (await fetch(`${served.url}/docs`)).text();
    const files = [...page.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await fetch(`${served.url}/${file}`)).status).toBe(200);
    for (const path of ['page/..%2F..%2Fpackage.json', 'noble/index.js', 'constructor/name', 'page/toString']) {
      expect((await served.ask(`/docs/assets/${path}`)).status).toBe(404);
    }
  });

  it('hands out what is half way through a flow, new each time, to who shows the key of the link', async () => {
    const handOut = async () => {
      const { text } = await served.ask(
        '/docs/handout',
        { host: `localhost:${served.port}`, 'x-marquee-docs-key': served.key() },
        'POST',
      );
      return JSON.parse(text) as Record<string, string>;
    };
    const [one, other] = [await handOut(), await handOut()];
    expect(one).toEqual({
      request_token: expect.any(String),
      request_token_secret: expect.any(String),
      oauth_verifier: expect.stringMatching(/^\d{7}$/),
      bearer_token: other.bearer_token,
    });
    expect(other.request_token).not.toBe(one.request_token);
  });

  describe.each([
    ['keys', 'GET'],
    ['handout', 'POST'],
  ])('%s of the demo', (what, method) => {
    const ask = (service: Served, headers: Record<string, string>) =>
      service.ask(`/docs/${what}`, { host: `localhost:${service.port}`, ...headers }, method);

    it('are given to who shows the key of the link', async () => {
      const { status, headers, text } = await ask(served, { 'x-marquee-docs-key': served.key() });
      expect([status, headers]).toEqual([
        method === 'GET' ? 200 : 201,
        expect.objectContaining({ 'cache-control': 'no-store' }),
      ]);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const { consumer_secret, access_token_secret, account_id, password } = served.credentials();
      if (what === 'keys') expect(JSON.parse(text)).toMatchObject({ consumer_secret, access_token_secret, account_id });
      expect(text).not.toContain(password);
    });

    it.each([
      ['without it', {}, 403],
      ['with another', { 'x-marquee-docs-key': 'a'.repeat(43) }, 403],
      ['to the page of an older release', { 'x-marquee-docs': 'keys' }, 403],
      ['by a proxy on this machine that names itself in no way', { host: 'localhost' }, 403],
      ['through a proxy', { 'x-forwarded-for': '203.0.113.9' }, 403],
      ['under a name that is not loopback', { host: `${FOREIGN_HOST}:80` }, 404],
      ['under a name that only looks like it', { host: 'localhost.example.com' }, 404],
    ])('are not given %s', async (_, headers, status) => {
      const answer = await ask(served, headers);
      expect(answer.status).toBe(status);
      expect(answer.text).not.toMatch(/_secret|_token/);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    });

    it('are not given under a foreign name even with the key', async () => {
      const answer = await ask(served, { host: `${FOREIGN_HOST}:80`, 'x-marquee-docs-key': served.key() });
      expect(answer.status).toBe(404);
    });

    it('are not given in production mode', async () => {
      expect((await ask(production, { 'x-marquee-docs-key': served.key() })).status).toBe(404);
      expect((await production.ask('/docs', { host: `localhost:${production.port}` })).status).toBe(200);
    });
  });

  it('is announced without the key where standard output is no terminal', () => {
    expect(served.said).toContain(`Swagger UI      ${served.url}/docs\n`);
    expect(served.said).not.toContain(served.key());
  });
});

inBrowser(`the reference in a browser${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  const reference = new Reference();
  reference.perTest();
  const open = (url = `${served.url}/docs#key=${served.key()}`) => reference.open(url);
  const operation = (id: string) => reference.operation(id);

  it('comes with the keys of the demo by the link, which is gone from the address bar', async () => {
    const asked: string[] = [];
    reference.page.on('request', (request) =>
      asked.push(`${request.url()} ${JSON.stringify(request.headers().referer ?? '')}`),
    );
    await open(served.link());
    expect(reference.page.url()).toBe(`${served.url}/docs`);
    expect(asked.filter((each) => each.includes(served.key()))).toEqual([]);
    const credentials = served.credentials();
    for (const name of ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret', 'account_id']) {
      expect(await panel(reference.page, name).inputValue()).toBe(credentials[name]);
    }
    expect(await panel(reference.page, 'consumer_secret').getAttribute('type')).toBe('password');
    await reference.page.locator('#keys summary').click();
    await reference.page.locator('#show').check();
    expect(await panel(reference.page, 'access_token_secret').getAttribute('type')).toBe('text');

    await reference.page.locator('#clear').click();
    await reference.page.reload();
    expect(await panel(reference.page, 'consumer_key').inputValue()).toBe('');
    // In the same tab, which only changes what stands behind the #.
    await reference.page.goto(served.link());
    await reference.until(`document.querySelector('[name=consumer_key]').value !== ''`);
    expect(reference.page.url()).toBe(`${served.url}/docs`);
  });

  it('says without the link where it is, and is a reference all the same', async () => {
    await open(`${served.url}/docs`);
    expect(await panel(reference.page, 'consumer_key').inputValue()).toBe('');
    expect(await reference.page.locator('#standing').textContent()).toMatch(
      /open the link that “npx marquee docs” prints/,
    );
    expect(await (await operation('listAccounts')).execute()).toMatchObject({ status: '401' });
  });

  it('reports no error in the console, whoever opens it', async () => {
    const errors: string[] = [];
    reference.page.on('console', (message) => {
      // the browser ignores this header where the name is not localhost and the page is not HTTPS
      const isExpected = message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored');
      if (message.type() === 'error' && !isExpected) errors.push(message.text());
    });
    const refused: string[] = [];
    reference.page.on('response', (answer) => void (answer.status() >= 400 && refused.push(answer.url())));
    for (const url of [
      `${served.url}/docs`,
      `http://${FOREIGN_HOST}:${served.port}/docs`,
      `${production.url}/docs`,
      served.link(),
    ])
      await open(url);
    expect([errors, refused]).toEqual([[], []]);
  });

  it('says what Authorize is for', async () => {
    await open();
    const button = reference.page.getByRole('button', { name: 'Authorize', exact: true });
    const note = reference.page.locator(`#${await button.getAttribute('aria-describedby')}`);
    expect(await note.textContent()).toMatch(/webhooks only .* bearer token .* signed with the keys above/);
    expect(await note.isVisible()).toBe(true);
    await button.click();
    expect(await reference.page.locator('.dialog-ux').textContent()).toContain('The bearer token of an application');
    await reference.shot('docs-authorize');
  });

  it('says when no operation matches the filter', async () => {
    await open();
    const filter = reference.page.getByRole('searchbox', { name: 'Filter the operations' });
    const status = reference.page.locator('.filter [role=status]');
    expect(await status.textContent()).toBe('');
    await filter.fill('<b>nothing</b>');
    await reference.page.locator('.opblock-tag').first().waitFor({ state: 'detached' });
    expect(await status.textContent()).toBe('No operation matches “<b>nothing</b>”.');
    expect(await reference.page.locator('#ui').textContent()).not.toContain('No operations defined');
    await reference.shot('docs-no-match');
    await filter.fill('campaign');
    await reference.page.locator('.opblock-tag').first().waitFor();
    expect(await status.textContent()).toBe('');
  });

  it('has links to the groups, by keyboard and with the filter', async () => {
    await open();
    const { page } = reference;
    const links = page
      .getByRole('navigation', { name: 'Groups of operations' })
      .getByRole('listitem')
      .getByRole('link');
    const names = await links.allTextContents();
    const document = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as OpenAPIObject;
    expect(names).toEqual(document.tags!.map(({ name }) => name));
    const topOf = (name: string) =>
      page.locator(`.opblock-tag[data-tag="${name}"]`).evaluate((each) => each.getBoundingClientRect().top as number);
    const isFocused = (name: string) =>
      `document.activeElement?.closest('.opblock-tag')?.dataset.tag === ${JSON.stringify(name)}`;

    for (const name of ['Do-not-reach lists', 'Accounts', 'Webhooks']) {
      await page.getByRole('searchbox').focus();
      await page.keyboard.press('Tab');
      for (let place = names.indexOf(name); place > 0; place--) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await reference.until(isFocused(name));
      expect(Math.abs(await topOf(name))).toBeLessThan(5);
      expect(page.url()).toBe(`${served.url}/docs#/${encodeURIComponent(name)}`);
      await reference.shot(`docs-jump-${name}`);
    }

    const filter = page.getByRole('searchbox', { name: 'Filter the operations' });
    const before = await filter.boundingBox();
    const height = (await page.locator('.groups').boundingBox())!.height;
    await filter.fill('getCampaign');
    await links.and(page.locator('[aria-disabled=true]')).first().waitFor();
    expect((await page.locator('.groups').boundingBox())!.height).toBe(height);
    expect(before).not.toBeNull();
    expect(await page.locator('.groups a[href]').allTextContents()).toEqual(['Campaigns']);
    await page.locator('.groups a[href]').click();
    await reference.until(isFocused('Campaigns'));
  });

  it('signs a read', async () => {
    await open();
    const { status, text } = await (await operation('listAccounts')).execute();
    expect(status).toBe('200');
    expect(text).toContain('Northwind Coffee');
  });

  it('signs what is awkward to encode', async () => {
    await open();
    const create = await operation('createCampaign');
    await create.field('name').fill(NAME);
    await create.field('daily_budget_amount_local_micro').fill('5500000');
    const { status, text } = await create.execute();
    expect([status, text]).toEqual(['201', expect.stringContaining(NAME)]);
  });

  it('signs a batch, whose JSON is not signed', async () => {
    await open();
    const batch = await operation('batchCampaigns');
    const params = {
      funding_instrument_id: served.credentials().funding_instrument_id,
      name: `${NAME} again`,
      daily_budget_amount_local_micro: 5_500_000,
    };
    await batch.body().fill(JSON.stringify([{ operation_type: 'Create', params }]));
    expect(await batch.execute()).toMatchObject({ status: '200', text: expect.stringContaining(`${NAME} again`) });
  });

  it('signs with the time of the service when its own is off', async () => {
    await reference.page.addInitScript('const now = Date.now; Date.now = () => now() + 3_600_000;');
    await open();
    expect(await (await operation('listAccounts')).execute()).toMatchObject({ status: '200' });
    expect(await reference.page.locator('#standing').textContent()).toMatch(/\b3(59|60)\d s ahead/);
  });

  it('turns to the sandbox, with the account there', async () => {
    await open();
    const read = await operation('getAccount');
    expect(await read.field('account_id').inputValue()).toBe(served.credentials().account_id);
    await reference.page.locator('.servers select').first().selectOption('/sandbox');
    await expect(read.execute()).resolves.toMatchObject({
      status: '200',
      text: expect.stringContaining(served.credentials().sandbox_account_id),
    });
    const listed = await operation('listAccounts');
    expect(await listed.execute()).toMatchObject({ status: '200', text: expect.stringContaining('Sandbox account') });
  });

  it('fits a telephone', async () => {
    await reference.page.setViewportSize({ width: 375, height: 740 });
    await open();
    await (await operation('listAccounts')).execute();
    await operation('createCampaign');
    expect(await reference.page.evaluate('document.documentElement.scrollWidth')).toBe(375);
  });

  it.each([
    ['under another name', () => `http://${FOREIGN_HOST}:${served.port}/docs#key=${served.key()}`],
    ['in production mode', () => `${production.url}/docs#key=${served.key()}`],
  ])('comes without keys %s', async (_, url) => {
    await open(url());
    expect(await panel(reference.page, 'consumer_key').inputValue()).toBe('');
    expect(await panel(reference.page, 'account_id').inputValue()).toBe('');
    expect(await (await operation('listAccounts')).execute()).toMatchObject({ status: '401' });
  });
});
