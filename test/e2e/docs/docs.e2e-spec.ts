import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { documentParametersOf } from '../../../src/operations/docs/parameters.js';
import { hasChromium, inBrowser } from '../../support/browser.js';
import { carriedOut, ENDS_ITS_TOKEN, handedOut, NEEDS_APPROVAL, ONLY_ONCE } from './carried-out.js';
import { FOREIGN_HOST, panel, Reference } from './reference.js';
import { freshDir, Served } from './served.js';

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

/** The page with the keys of the demo. */
const withKeys = () => served.link();

/** How wide the page is, scrolled or not. */
const widthOf = ({ page }: Reference) => page.evaluate('document.documentElement.scrollWidth');

/** Endpoints are in sight before anything is scrolled, and the page is not wider than the window. */
async function expectEndpointsInFirstFold(reference: Reference, place: string, min: number): Promise<void> {
  await reference.shot(`first fold ${place}`);
  const seen = `[...document.querySelectorAll('.opblock')].filter((each) => each.getBoundingClientRect().bottom < innerHeight).length`;
  expect(await reference.page.evaluate(seen)).toBeGreaterThanOrEqual(min);
  expect(await widthOf(reference)).toBe(reference.page.viewportSize()!.width);
}

/** Deletes the webhook of the example, which an application can register once: here over HTTP and then in a browser. */
async function forgetExample(): Promise<void> {
  const headers = { authorization: `Bearer ${(await handedOut(served)).bearer_token}` };
  const webhooks = `${served.url}/2/webhooks`;
  const { data } = (await (await fetch(webhooks, { headers })).json()) as { data: { id: string; url: string }[] };
  for (const { id } of data.filter(({ url }) => url.endsWith('?example')))
    await fetch(`${webhooks}/${id}`, { method: 'DELETE', headers });
}

/** Writes to an upload that another request has to begin. */
const NEEDS_AN_UPLOAD = ['appendMediaV2', 'finalizeMediaV2'];

describe('docs', () => {
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
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    });

    it('is the document that is checked in, with the servers of the service', async () => {
      const text = readFileSync('openapi.json', 'utf8').replaceAll('http://localhost:3000', production.url);
      expect(await (await fetch(`${production.url}/docs/openapi.json`)).json()).toEqual(JSON.parse(text));
    });

    it("is also the document with X's names that is checked in", async () => {
      const text = readFileSync('openapi.x.json', 'utf8').replaceAll('http://localhost:3000', production.url);
      const answer = await fetch(`${production.url}/docs/openapi.json?names=x`);
      expect(answer.headers.get('x-marquee-names')).toBe('x');
      expect(await answer.json()).toEqual(JSON.parse(text));
      const other = await fetch(`${production.url}/docs/openapi.json?names=twitter`);
      expect([other.status, await other.text()]).toEqual([
        400,
        expect.stringContaining('Expected a value in marquee, x, got \\"twitter\\" for names'),
      ]);
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
        const writes = operationsOf(document).filter(
          ({ method, operation }) =>
            method !== 'get' && !operation['x-once-per-user'] && !NEEDS_APPROVAL.includes(operation.operationId!),
        );
        const ids = writes.map(({ operation }) => operation.operationId);
        expect(ids).toEqual(expect.arrayContaining([...ENDS_ITS_TOKEN, ...NEEDS_AN_UPLOAD]));
        // what is deleted is of no use to those that come after
        const deletesLast = (one: { method: string }, other: { method: string }) =>
          Number(one.method === 'delete') - Number(other.method === 'delete');
        for (const write of writes.sort(deletesLast)) {
          const isSpare = documentParametersOf(write.operation).some((parameter) => 'x-spare' in parameter);
          if (NEEDS_AN_UPLOAD.includes(write.operation.operationId!)) continue;
          const isOver = isSpare || ONLY_ONCE.includes(write.operation.operationId!);
          if (round === 2 && (isOver || !write.path.startsWith('/12/'))) continue;
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
        if (what === 'keys')
          expect(JSON.parse(text)).toMatchObject({ consumer_secret, access_token_secret, account_id });
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
    const open = (url = withKeys()) => reference.open(url);
    const operation = (id: string) => reference.operation(id);

    it('comes with the keys of the demo by the link, which is gone from the address bar', async () => {
      const asked: string[] = [];
      reference.page.on('request', (request) =>
        asked.push(`${request.url()} ${JSON.stringify(request.headers().referer ?? '')}`),
      );
      await open();
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
      await reference.page.goto(withKeys());
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

    it('signs with the time of the service when its own is off', async () => {
      await reference.page.addInitScript('const now = Date.now; Date.now = () => now() + 3_600_000;');
      await open();
      expect(await (await operation('listAccounts')).execute()).toMatchObject({ status: '200' });
      expect(await reference.page.locator('#standing').textContent()).toMatch(/\b3(59|60)\d s ahead/);
    });

    it('reports no error in the console under another name and in production mode', async () => {
      for (const url of [`http://${FOREIGN_HOST}:${served.port}/docs`, `${production.url}/docs`]) await open(url);
    });

    it.each([
      ['under another name', () => `http://${FOREIGN_HOST}:${served.port}/docs#key=${served.key()}`],
      ['in production mode', () => `${production.url}/docs#key=${served.key()}`],
    ])('comes without keys %s', async (_, url) => {
      await reference.load(url());
      expect(await panel(reference.page, 'consumer_key').inputValue()).toBe('');
      expect(await panel(reference.page, 'account_id').inputValue()).toBe('');
      expect(await (await operation('listAccounts')).execute()).toMatchObject({ status: '401' });
    });

    it('gives what may stand only once a new name in a batch, too', async () => {
      const document = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as OpenAPIObject;
      const { operation: batched } = operationsOf(document).find(
        (each) => each.operation.operationId === 'batchCampaigns',
      )!;
      const { content } = batched.requestBody as {
        content: Record<string, { example: { params: { name?: string } }[] }>;
      };
      const media = content['application/json'];
      Object.assign(media, { 'x-unique': ['name'] });
      media.example[0].params.name = 'Winter menu mi9x0000';
      await reference.page.route('**/docs/openapi.json', (route) => route.fulfill({ json: document }));
      await open();
      const batch = await operation('batchCampaigns');
      expect(await batch.execute()).toMatchObject({
        status: '200',
        text: expect.stringContaining('Winter menu mi9x0000'),
      });
      await reference.until(`!document.querySelector('textarea').value.includes('mi9x0000')`);
      expect(JSON.parse(await batch.body().inputValue())).toMatchObject([
        { operation_type: 'Create', params: { name: expect.stringMatching(/^Winter menu [0-9a-z]{8}$/) } },
        { operation_type: 'Update' },
      ]);
      expect(await batch.execute()).toMatchObject({ status: '200' });
    });

    it('fits a telephone: endpoints before anything is scrolled, and a read, a write and a batch carried out', async () => {
      await reference.page.setViewportSize({ width: 390, height: 844 });
      await open();
      await expectEndpointsInFirstFold(reference, 'on a telephone', 3);
      await reference.page.setViewportSize({ width: 375, height: 740 });
      for (const id of ['listAccounts', 'createCampaign', 'batchCampaigns']) {
        const opened = await operation(id);
        const box = await opened.block.locator('.execute').boundingBox();
        expect(box!.x >= 0 && box!.x + box!.width <= 375).toBe(true);
        expect((await opened.execute()).status).toMatch(/^2/);
        expect(await widthOf(reference)).toBe(375);
        await reference.shot(`${id} on a telephone`);
        await opened.block.locator('.snippets').scrollIntoViewIfNeeded();
        await reference.shot(`${id} on a telephone, carried out`);
        await opened.close();
      }
    });

    it('is dark where the system is, until the reader wants it otherwise', async () => {
      await reference.closePage();
      await reference.newPage({ colorScheme: 'dark' });
      await open();
      const isDark = () => reference.page.evaluate(`document.documentElement.classList.contains('dark-mode')`);
      expect(await isDark()).toBe(true);
      await (await operation('createCampaign')).execute();
      await reference.shot('write, dark');
      const toggle = reference.page.locator('#theme');
      expect(await toggle.innerText()).toBe('Light');
      await toggle.focus();
      await reference.page.keyboard.press('Enter');
      expect([await isDark(), await toggle.innerText()]).toEqual([false, 'Dark']);
      await reference.page.reload();
      expect(await isDark()).toBe(false);
      await toggle.click();
      expect(await isDark()).toBe(true);
      // What the system has was chosen, so it is followed again.
      await reference.page.emulateMedia({ colorScheme: 'light' });
      await reference.until(`!document.documentElement.classList.contains('dark-mode')`);
    });
  });

  // Loading a page takes seconds, so these tests share one. The first needs it as it is loaded, and the last leaves it.
  inBrowser(`a page of the reference${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
    const reference = new Reference();
    beforeAll(forgetExample);
    reference.shared(withKeys);
    const operation = (id: string) => reference.operation(id);

    it('shows endpoints before anything is scrolled, on a desk', () =>
      expectEndpointsInFirstFold(reference, 'on a desk', 5));

    it('says what Authorize is for', async () => {
      const button = reference.page.getByRole('button', { name: 'Authorize', exact: true });
      const note = reference.page.locator(`#${await button.getAttribute('aria-describedby')}`);
      expect(await note.textContent()).toMatch(/signs requests with the keys above .* webhooks only .* bearer token/);
      expect(await note.isVisible()).toBe(true);
      await button.click();
      expect(await reference.page.locator('.dialog-ux').textContent()).toContain('The bearer token of an application');
      await reference.shot('docs-authorize');
      await reference.page.locator('.dialog-ux .close-modal').click();
    });

    it('says when no operation matches the filter', async () => {
      const filter = reference.page.getByRole('searchbox', { name: 'Filter the operations' });
      const status = reference.page.locator('.filter [role=status]');
      expect(await status.textContent()).toBe('');
      await filter.fill('<b>nothing</b>');
      await reference.page.locator('.opblock-tag').first().waitFor({ state: 'detached' });
      expect(await status.textContent()).toBe('No operation matches “<b>nothing</b>”. Look in X’s names.');
      expect(await status.getByRole('link').getAttribute('href')).toBe('docs?names=x');
      expect(await reference.page.locator('#ui').textContent()).not.toContain('No operations defined');
      await reference.shot('docs-no-match');
      await filter.fill('campaign');
      await reference.page.locator('.opblock-tag').first().waitFor();
      expect(await status.textContent()).toBe('');
    });

    it('has links to the groups, by keyboard and with the filter', async () => {
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
      await filter.fill('listCampaigns');
      await links.and(page.locator('[aria-disabled=true]')).first().waitFor();
      expect((await page.locator('.groups').boundingBox())!.height).toBe(height);
      expect(before).not.toBeNull();
      expect(await page.locator('.groups a[href]').allTextContents()).toEqual(['Campaigns']);
      await page.locator('.groups a[href]').click();
      await reference.until(isFocused('Campaigns'));
    });

    // One for each way in which a write is filled in, signed and sent; a test above carries all of them out over HTTP.
    it.each([
      ['createCampaign', 'a form'],
      ['batchCampaigns', 'JSON, which is not signed'],
      ['uploadMediaUpload', 'several parts'],
      ['createWebhook', 'with a bearer token'],
      ['accessToken', 'signed by an application that is half way through a flow'],
    ])('executes %s as it stands: %s', async (id) => {
      const opened = await operation(id);
      const { status, text } = await opened.execute();
      expect({ status, text }).toEqual({ status: expect.stringMatching(/^2/), text });
      await opened.block.scrollIntoViewIfNeeded();
      await reference.shot(`${id}, carried out`);
    });

    it('gives what may stand only once a new name each time, and leaves a name that was typed', async () => {
      const create = await operation('createCustomAudience');
      const names = [];
      for (let time = 0; time < 3; time++) {
        names.push(await create.field('name').inputValue());
        expect(await create.execute()).toMatchObject({ status: '201' });
        await reference.until(
          `document.querySelector('.opblock[id$="-createCustomAudience"] tr[data-property-name="name"] input').value !== ${JSON.stringify(names.at(-1))}`,
        );
      }
      expect(new Set(names).size).toBe(3);
      await create.field('name').fill('Mine');
      expect(await create.execute()).toMatchObject({ status: '201' });
      expect(await create.field('name').inputValue()).toBe('Mine');
    });

    describe('snippets', () => {
      /** What runs Python snippets as they stand; elsewhere they are only compiled. */
      const PYTHON = ['python3', '/usr/bin/python3'].find(
        (each) => spawnSync(each, ['-c', 'import requests_oauthlib']).status === 0,
      );
      const NAME = `Été's "50 %" + $HOME \`two\` * & \\ “more”=1 {x}`;

      const folder = mkdtempSync(join(tmpdir(), 'marquee-snippets-'));
      afterAll(() => rmSync(folder, { recursive: true, force: true }));

      const run = (command: string, args: string[]) => {
        const { PATH = '', HOME = '' } = process.env;
        const env = { PATH, HOME, DATA_DIR: served.dataDir, npm_config_update_notifier: 'false' };
        return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      };
      /** Runs the three as they stand, and answers what the first two print; the third prints what the second does. */
      const fromElsewhere = async (opened: Awaited<ReturnType<typeof operation>>) => {
        const marquee = await opened.snippet('marquee');
        const node = await opened.snippet('node');
        const python = await opened.snippet('python');
        const { consumer_key, consumer_secret, access_token, access_token_secret } = served.credentials();
        for (const secret of [consumer_key, consumer_secret, access_token, access_token_secret])
          expect(`${marquee}${node}${python}`).not.toContain(secret);
        writeFileSync(join(folder, 'request.mjs'), node);
        writeFileSync(join(folder, 'request.py'), python);
        if (PYTHON) expect(run(PYTHON, [join(folder, 'request.py')])).toMatch(/^2\d\d /);
        else run('python3', ['-m', 'py_compile', join(folder, 'request.py')]);
        return { marquee: run('sh', ['-c', marquee]), node: run(process.execPath, [join(folder, 'request.mjs')]) };
      };

      it('a read, with its query', async () => {
        const list = await operation('listCampaigns');
        await list.field('q').fill('Wint');
        await list.execute();
        const { marquee, node } = await fromElsewhere(list);
        expect(JSON.parse(marquee)).toMatchObject({ request: { params: { q: 'Wint' } } });
        expect(node).toMatch(/^200 .*"q":"Wint"/);
      });

      it('a form, with what is awkward to quote', async () => {
        const create = await operation('createCampaign');
        await create.field('name').fill(NAME);
        expect(await create.execute()).toMatchObject({ status: '201' });
        const { marquee, node } = await fromElsewhere(create);
        expect(JSON.parse(marquee)).toMatchObject({ data: { name: NAME } });
        expect(node).toMatch(/^201 /);
        expect(JSON.parse(node.slice(4))).toMatchObject({ data: { name: NAME } });
      });

      it('a batch, whose JSON is not signed', async () => {
        const batch = await operation('batchCampaigns');
        await batch.body().fill((await batch.body().inputValue()).replace('Winter menu', `It's “true”, null`));
        expect(await batch.execute()).toMatchObject({ status: '200' });
        const { marquee, node } = await fromElsewhere(batch);
        expect(JSON.parse(marquee)).toMatchObject({ data: [{ name: `It's “true”, null` }, {}] });
        expect(node).toMatch(/^200 .*It's “true”, null/);
        expect(await batch.snippet('python')).not.toMatch(/\btrue\b(?!”)|: null/);
      });

      it('what an application signs, or sends with its password', async () => {
        for (const id of ['requestToken', 'tokenOAuth2']) {
          const begun = await operation(id);
          expect(await begun.execute()).toMatchObject({ status: '200' });
          const { marquee, node } = await fromElsewhere(begun);
          expect([marquee, node]).toEqual([expect.stringMatching(/token/), expect.stringMatching(/^200 .*token/)]);
        }
      });

      it('to the clipboard, and no curl, which would be a replay', async () => {
        await reference.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        const list = await operation('listAccounts');
        await list.execute();
        const text = await list.snippet('marquee');
        await list.block.locator('.snippets .copy').click();
        await list.block.getByRole('button', { name: 'Copied' }).waitFor();
        expect(await reference.page.evaluate('navigator.clipboard.readText()')).toBe(text);
        expect(await list.block.textContent()).not.toMatch(/curl -X|oauth_signature/);
      });
    });

    it('has a name for every field', async () => {
      const nameless = `[...document.querySelectorAll('#ui :is(input, select, textarea)')]
      .filter((field) => !field.ariaLabel && !field.title && !field.placeholder && !field.labels?.length)
      .map((field) => field.outerHTML)`;
      for (const id of ['batchCampaigns', 'addFeatures', 'listCampaigns', 'createCampaign']) {
        await operation(id);
        expect(await reference.page.evaluate(nameless)).toEqual([]);
      }
      await reference.page.getByLabel('budget_optimization').first().selectOption('LINE_ITEM');
    });

    it('finds operations by any of their words', async () => {
      const filter = reference.page.getByLabel('Filter the operations');
      await filter.fill('post batch campaigns');
      const shown = () => reference.page.locator('.opblock:visible .opblock-summary-path').allInnerTexts();
      const visible = `[...document.querySelectorAll('.opblock')].filter((each) => each.checkVisibility()).length`;
      await reference.until(`${visible} < 4`);
      expect((await shown()).every((path) => path.includes('campaigns'))).toBe(true);
      await filter.fill('no such thing');
      await reference.until(`${visible} === 0`);
    });

    it('turns to the sandbox, with the account there, and fills forms in again', async () => {
      const server = reference.page.locator('.servers select').first();
      const read = await operation('getAccount');
      expect(await read.field('account_id').inputValue()).toBe(served.credentials().account_id);
      await server.selectOption('/sandbox');
      await expect(read.execute()).resolves.toMatchObject({
        status: '200',
        text: expect.stringContaining(served.credentials().sandbox_account_id),
      });
      const listed = await operation('listAccounts');
      expect(await listed.execute()).toMatchObject({ status: '200', text: expect.stringContaining('Sandbox account') });

      await server.selectOption({ index: 0 });
      const create = await operation('createCampaign');
      const funding = `document.querySelector('tr[data-property-name="funding_instrument_id"] input')?.value`;
      await reference.until(`${funding} === ${JSON.stringify(served.credentials().funding_instrument_id)}`);
      await server.selectOption('/sandbox');
      await reference.until(`${funding} === ''`);
      expect(await create.field('name').inputValue()).toBe('Winter menu');
      await server.selectOption({ index: 0 });
    });

    it('shows snippets with the names of the environment where the keys are not the demo’s', async () => {
      await reference.page.locator('#keys summary').click();
      await reference.page.locator('#keys input[name="access_token"]').fill('another');
      await reference.page.keyboard.press('Tab');
      const list = await operation('listAccounts');
      await list.execute();
      expect(await list.snippet('marquee')).toContain('MARQUEE_CONSUMER_KEY');
      expect(await list.snippet('node')).toContain('process.env.MARQUEE_ACCESS_TOKEN');
      expect(await list.snippet('python')).toContain('MARQUEE_');
      // the tests below need the demo's keys
      await reference.page.goto(withKeys());
      await reference.until(
        `document.querySelector('[name=access_token]').value === ${JSON.stringify(served.credentials().access_token)}`,
      );
    });

    it('signs in by OAuth 2.0 with PKCE, in a window of its own', async () => {
      const { page } = reference;
      const { username, password, client_id } = served.credentials();
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      const form = page.locator('.auth-container', { has: page.locator('input[type=checkbox]') }).first();
      expect(await form.locator('input[id^=client_id]').first().inputValue()).toBe(client_id);
      await form.locator('label[for^="ads.read"], label[for*="ads.read"]').first().click();
      const opened = page.waitForEvent('popup');
      await form.locator('.btn.authorize').click();
      const popup = await opened;
      await popup.getByLabel('Username').fill(username);
      expect(decodeURIComponent(popup.url())).toContain('code_challenge_method=S256');
      await popup.getByLabel('Password').fill(password);
      await popup.getByRole('button', { name: 'Sign in' }).click();
      const exchanged = page.waitForRequest((request) => request.url().endsWith('/2/oauth2/token'));
      await popup.getByRole('button', { name: 'Authorize app' }).click();
      const sent = new URLSearchParams((await exchanged).postData()!);
      expect(sent.get('grant_type')).toBe('authorization_code');
      expect(sent.get('code_verifier')!.length).toBeGreaterThanOrEqual(43);
      await page.locator('.auth-container .btn', { hasText: 'Logout' }).first().waitFor();
      expect(popup.isClosed()).toBe(true);
      await page.locator('.dialog-ux .close-modal').click();
    });

    it("turns to X's names, which the requests and their snippets then have", async () => {
      await reference.page.locator('.names a', { hasText: 'X’s names' }).click();
      await reference.page.locator('.names a[href$="=x"][aria-current]').waitFor({ state: 'attached' });
      const list = await operation('listPosts');
      expect(await list.execute()).toMatchObject({ status: '200', text: expect.stringContaining('"tweet_type"') });
      expect(await list.snippet('marquee')).toMatch(/accounts\/\w+\/tweets\?.*-H 'x-marquee-names: x'/);
      await reference.shot('names-of-x');
    });
  });
});
