import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { hasChromium, inBrowser, Reference } from './reference.js';
import { Served } from './served.js';

/** Each ends the token that everything is signed with, so it is the last on a service of its own. */
const LAST = ['invalidateOAuth1', 'invalidateOAuth1Json'];
const ORDER = ['post', 'put', 'delete'];
/** Where screenshots go, for whoever wants to look at them. */
const SHOTS = process.env.SCREENSHOTS;
/** What runs Python snippets as they stand; elsewhere they are only compiled. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import requests_oauthlib']).status === 0,
);
const NAME = `Été's "50 %" + $HOME \`two\` * & \\ “more”=1 {x}`;

let served: Served;
beforeAll(async () => void (served = await Served.start()), 180_000);
afterAll(() => Promise.all(Served.all.map((each) => each.stop())), 30_000);

inBrowser(`Swagger UI${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  const reference = new Reference();
  reference.perTest();
  const folder = mkdtempSync(join(tmpdir(), 'marquee-snippets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = () => reference.open(`${served.url}/docs#key=${served.key()}`);
  const operation = (id: string) => reference.operation(id);
  const shot = async (name: string) => {
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    await reference.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  };
  const width = () => reference.page.evaluate('document.documentElement.scrollWidth');

  describe('offers for copying', () => {
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
      await open();
      const list = await operation('listCampaigns');
      await list.field('q').fill('Wint');
      await list.execute();
      const { marquee, node } = await fromElsewhere(list);
      expect(JSON.parse(marquee)).toMatchObject({ request: { params: { q: 'Wint' } } });
      expect(node).toMatch(/^200 .*"q":"Wint"/);
    });

    it('a form, with what is awkward to quote', async () => {
      await open();
      const create = await operation('createCampaign');
      await create.field('name').fill(NAME);
      expect(await create.execute()).toMatchObject({ status: '201' });
      const { marquee, node } = await fromElsewhere(create);
      expect(JSON.parse(marquee)).toMatchObject({ data: { name: NAME } });
      expect(node).toMatch(/^201 /);
      expect(JSON.parse(node.slice(4))).toMatchObject({ data: { name: NAME } });
    });

    it('a batch, whose JSON is not signed', async () => {
      await open();
      const batch = await operation('batchCampaigns');
      await batch.body().fill((await batch.body().inputValue()).replace('Winter menu', `It's “true”, null`));
      expect(await batch.execute()).toMatchObject({ status: '200' });
      const { marquee, node } = await fromElsewhere(batch);
      expect(JSON.parse(marquee)).toMatchObject({ data: [{ name: `It's “true”, null` }, {}] });
      expect(node).toMatch(/^200 .*It's “true”, null/);
      expect(await batch.snippet('python')).not.toMatch(/\btrue\b(?!”)|: null/);
    });

    it('what an application signs, or sends with its password', async () => {
      await open();
      for (const id of ['requestToken', 'tokenOAuth2']) {
        const begun = await operation(id);
        expect(await begun.execute()).toMatchObject({ status: '200' });
        const { marquee, node } = await fromElsewhere(begun);
        expect([marquee, node]).toEqual([expect.stringMatching(/token/), expect.stringMatching(/^200 .*token/)]);
      }
    });

    it('with the names of the environment where the keys are not the demo’s', async () => {
      await open();
      await reference.page.locator('#keys summary').click();
      await reference.page.locator('#keys input[name="access_token"]').fill('another');
      await reference.page.keyboard.press('Tab');
      const list = await operation('listAccounts');
      await list.execute();
      expect(await list.snippet('marquee')).toContain('MARQUEE_CONSUMER_KEY');
      expect(await list.snippet('node')).toContain('process.env.MARQUEE_ACCESS_TOKEN');
      expect(await list.snippet('python')).toContain('MARQUEE_');
    });

    it('to the clipboard, and no curl, which would be a replay', async () => {
      await open();
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

  it('gives what may stand only once a new name each time, and leaves a name that was typed', async () => {
    await open();
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

  it('fills forms in again where the sandbox is chosen', async () => {
    await open();
    const create = await operation('createCampaign');
    expect(await create.field('funding_instrument_id').inputValue()).toBe(served.credentials().funding_instrument_id);
    await reference.page.locator('.servers select').first().selectOption('/sandbox');
    await reference.until(
      `document.querySelector('tr[data-property-name="funding_instrument_id"] input').value === ''`,
    );
    expect(await create.field('name').inputValue()).toBe('Winter menu');
  });

  it('has a name for every field', async () => {
    await open();
    for (const id of ['createCampaign', 'batchCampaigns', 'addFeatures', 'listCampaigns']) await operation(id);
    const nameless = `[...document.querySelectorAll('#ui :is(input, select, textarea)')]
      .filter((field) => !field.ariaLabel && !field.title && !field.placeholder && !field.labels?.length)
      .map((field) => field.outerHTML)`;
    expect(await reference.page.evaluate(nameless)).toEqual([]);
    await reference.page.getByLabel('budget_optimization').first().selectOption('LINE_ITEM');
  });

  it('finds operations by any of their words', async () => {
    await open();
    const filter = reference.page.getByLabel('Filter the operations');
    await filter.fill('post campaign');
    const shown = () => reference.page.locator('.opblock .opblock-summary-path').allInnerTexts();
    await reference.until(`document.querySelectorAll('.opblock').length < 4`);
    expect((await shown()).every((path) => path.includes('campaigns'))).toBe(true);
    await filter.fill('no such thing');
    await reference.until(`document.querySelectorAll('.opblock').length === 0`);
  });

  it.each([
    ['on a desk', { width: 1280, height: 900 }, 5],
    ['on a telephone', { width: 390, height: 844 }, 3],
  ])('shows endpoints before anything is scrolled, %s', async (place, viewport, least) => {
    await reference.page.setViewportSize(viewport);
    await open();
    await shot(`first fold ${place}`);
    const seen = `[...document.querySelectorAll('.opblock')].filter((each) => each.getBoundingClientRect().bottom < innerHeight).length`;
    expect(await reference.page.evaluate(seen)).toBeGreaterThanOrEqual(least);
    expect(await width()).toBe(viewport.width);
  });

  it('fits a telephone, with a write and a batch carried out', async () => {
    await reference.page.setViewportSize({ width: 390, height: 844 });
    await open();
    for (const id of ['createCampaign', 'batchCampaigns']) {
      const opened = await operation(id);
      const box = await opened.block.locator('.execute').boundingBox();
      expect(box!.x >= 0 && box!.x + box!.width <= 390).toBe(true);
      expect((await opened.execute()).status).toMatch(/^2/);
      expect(await width()).toBe(390);
      await opened.block.locator('.opblock-section-request-body').scrollIntoViewIfNeeded();
      await shot(`${id} on a telephone`);
      await opened.block.locator('.snippets').scrollIntoViewIfNeeded();
      await shot(`${id} on a telephone, carried out`);
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
    await shot('write, dark');
    const toggle = reference.page.getByRole('button', { name: 'Dark' });
    await toggle.focus();
    await reference.page.keyboard.press('Enter');
    expect([await isDark(), await toggle.getAttribute('aria-pressed')]).toEqual([false, 'false']);
    await reference.page.reload();
    expect(await isDark()).toBe(false);
    await toggle.click();
    expect(await isDark()).toBe(true);
    // What the system has was chosen, so it is followed again.
    await reference.page.emulateMedia({ colorScheme: 'light' });
    await reference.until(`!document.documentElement.classList.contains('dark-mode')`);
  });

  it('executes every write as it stands', async () => {
    await open();
    const document = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as OpenAPIObject;
    const writes = operationsOf(document)
      .filter(({ method }) => method !== 'get')
      .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method))
      .map(({ operation: { operationId } }) => operationId!);
    expect(writes).toEqual(expect.arrayContaining(LAST));
    const answers = [];
    for (const id of [...writes.filter((each) => !LAST.includes(each)), ...LAST]) {
      if (id === LAST[1]) {
        const another = await Served.start();
        await reference.open(`${another.url}/docs#key=${another.key()}`);
      }
      const opened = await operation(id);
      answers.push({ id, status: (await opened.execute()).status });
      if (['createCampaign', 'batchCampaigns'].includes(id)) {
        await opened.block.scrollIntoViewIfNeeded();
        await shot(id);
        await opened.block.locator('.snippets').scrollIntoViewIfNeeded();
        await shot(`${id}, carried out`);
      }
      await opened.close();
    }
    expect(answers.filter(({ status }) => !status?.startsWith('2'))).toEqual([]);
    expect(answers.length).toBe(writes.length);
  }, 240_000);
});
