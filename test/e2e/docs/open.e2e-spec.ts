import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { BROWSER_ARGS, CHROMIUM, inBrowser } from '../../support/browser.js';
import { checkPage, problemsOf } from '../workbench/visited-page.js';
import { Served } from './served.js';

jest.setTimeout(300_000);

inBrowser('the link of `marquee open`', () => {
  let served: Served;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    served = await Served.start();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: BROWSER_ARGS });
  }, 180_000);
  beforeEach(async () => void (page = await browser.newPage({ viewport: { width: 390, height: 800 } })));
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
    await served.stop();
  }, 30_000);

  const marquee = (...args: string[]) =>
    execFileSync(process.execPath, ['bin/marquee.mjs', ...args], {
      env: { PATH: process.env.PATH, DATA_DIR: served.dataDir, PORT: String(served.port) },
      encoding: 'utf8',
    }).trim();

  it('signs the user of the demo in, once, and leaves nothing behind', async () => {
    const { url } = JSON.parse(marquee('open', '--json')) as { url: string };
    expect(url).toMatch(new RegExp(`^${served.url}/demo/open#[\\w-]+$`));
    const problems = problemsOf(page);
    await page.goto(url);
    // the page that signs in has a heading of this name, too
    await page.waitForURL(`${served.url}/workbench`);
    await page.getByRole('heading', { name: 'Workbench' }).waitFor();
    expect(await page.locator('footer').textContent()).toContain(`@${served.credentials().username}`);
    expect(problems).toEqual([]);

    const second = await (await browser.newContext()).newPage();
    await second.goto(url);
    await second.getByText('The link was used before').waitFor();
    expect(second.url()).toBe(`${served.url}/demo/open`);
    expect(await second.context().cookies()).toEqual([]);
    await checkPage(second, 'open-used');
    await second.getByRole('link', { name: 'open the workbench' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    await second.context().close();

    const authorization = Buffer.from(url.split('#')[1], 'base64url').toString();
    const [, signature] = /oauth_signature="([^"]+)"/.exec(authorization)!;
    const journal = marquee('request', 'GET', '/workbench/requests');
    for (const text of [served.said, journal])
      for (const secret of [authorization, signature, decodeURIComponent(signature)])
        expect(text).not.toContain(secret);
  });

  it('opens pages whose forms create faults, and that show what the receiver of the demo got', async () => {
    await page.goto(marquee('open', '--no-browser'));
    await page.waitForURL(`${served.url}/workbench`);
    await page.getByRole('heading', { name: 'Workbench' }).waitFor();
    await page.getByRole('heading', { level: 2 }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Faults' }).first().click();
    await page.getByText('Add a fault of requests').click();
    await page.getByText('Add a fault of deliveries').click();
    expect(await page.locator('#operations option[value="createCampaign"]').count()).toBe(1);
    await checkPage(page, 'phone-faults');
    const form = page.getByRole('form', { name: 'Add a fault of requests' });
    await form.getByLabel('Operation').fill('createCampain');
    await form.getByLabel('Error status').fill('503');
    await form.getByRole('button', { name: 'Add the fault' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('createCampain');
    await form.getByLabel('Operation').fill('createCampaign');
    await form.getByLabel('Times').fill('2');
    await form.getByRole('button', { name: 'Add the fault' }).click();
    await page.getByText(/The fault \w+ is created/).waitFor();
    const [newest] = JSON.parse(marquee('faults', 'list', '--json')) as object[];
    expect(newest).toMatchObject({ operation: 'createCampaign', error_status: 503, times: 2 });
    await page.getByText('Add a fault of deliveries').click();
    const deliveries = page.getByRole('form', { name: 'Add a fault of deliveries' });
    await deliveries.getByLabel('What happens').selectOption('DROP');
    await deliveries.getByLabel('Event').fill('post.*');
    await deliveries.getByRole('button', { name: 'Add the fault' }).click();
    await page.getByText('post.* to all webhooks').waitFor();
    await page.getByRole('button', { name: 'Delete all faults' }).click();
    await page.getByText('There are no faults.').waitFor();

    for (let i = 0; i < 50 && (await (await fetch(`${served.url}/demo/webhook/events`)).text()).includes(':[]'); i++)
      await pause(200);
    await page.goto(`${served.url}/demo/webhook`);
    expect(await page.locator('pre').first().textContent()).toContain('\n  "event_id": ');
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
    await checkPage(page, 'phone-receiver');
    await page.setViewportSize({ width: 1280, height: 800 });
    await checkPage(page, 'desktop-receiver');
    await page.getByRole('link', { name: 'The events as JSON' }).click();
    expect(await page.locator('body').textContent()).toContain('"result_count"');
  });
});
