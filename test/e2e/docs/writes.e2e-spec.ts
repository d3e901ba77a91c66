import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { hasChromium, inBrowser } from '../../support/browser.js';
import { Reference } from './reference.js';
import { Served } from './served.js';

let served: Served;
beforeAll(async () => void (served = await Served.start()), 180_000);
afterAll(() => Promise.all(Served.all.map((each) => each.stop())), 30_000);

inBrowser(`Swagger UI${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  const reference = new Reference();
  reference.perTest();

  const open = () => reference.open(`${served.url}/docs#key=${served.key()}`);
  const operation = (id: string) => reference.operation(id);
  const shot = (name: string) => reference.shot(name);
  const width = () => reference.page.evaluate('document.documentElement.scrollWidth');

  // One for each way in which a write is filled in, signed and sent; docs.e2e-spec carries all of them out over HTTP.
  it.each([
    ['createCampaign', 'a form'],
    ['batchCampaigns', 'JSON, which is not signed'],
    ['uploadMediaUpload', 'several parts'],
    ['createWebhook', 'with a bearer token'],
    ['accessToken', 'signed by an application that is half way through a flow'],
  ])('executes %s as it stands: %s', async (id) => {
    await open();
    const opened = await operation(id);
    const { status, text } = await opened.execute();
    expect({ status, text }).toEqual({ status: expect.stringMatching(/^2/), text });
    await opened.block.scrollIntoViewIfNeeded();
    await shot(`${id}, carried out`);
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
      `document.querySelector('tr[data-property-name="funding_instrument_id"] input')?.value === ''`,
    );
    expect(await create.field('name').inputValue()).toBe('Winter menu');
  });

  it('has a name for every field', async () => {
    await open();
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
    await open();
    const filter = reference.page.getByLabel('Filter the operations');
    await filter.fill('post batch campaigns');
    const shown = () => reference.page.locator('.opblock:visible .opblock-summary-path').allInnerTexts();
    const visible = `[...document.querySelectorAll('.opblock')].filter((each) => each.checkVisibility()).length`;
    await reference.until(`${visible} < 4`);
    expect((await shown()).every((path) => path.includes('campaigns'))).toBe(true);
    await filter.fill('no such thing');
    await reference.until(`${visible} === 0`);
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
});
