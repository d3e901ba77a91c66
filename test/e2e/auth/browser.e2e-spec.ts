import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useApp, world } from '../../support/app.js';
import { Api } from '../../support/api.js';
import { inBrowser, openBrowser, SHOTS, type OpenBrowser } from '../../support/browser.js';
import { given } from '../../support/given.js';
import { accessToken, application, pairOf, PASSWORD, person, requestToken, signedPost } from './visitor.js';

useApp();

const DEVICES: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  'desktop-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 375, height: 720 } },
};

/** The web site of a client: its callback sends the browser on to another site of the client, as many do. */
async function clientSite(): Promise<{ server: Server; callback: string }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://client');
    if (url.pathname === '/back') {
      response.writeHead(302, { location: `http://localhost:${port}/home${url.search}` }).end();
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Client</title><h1>Welcome back</h1>`);
  });
  await new Promise<void>((listening) => server.listen(0, listening));
  const { port } = server.address() as AddressInfo;
  return { server, callback: `http://127.0.0.1:${port}/back` };
}

inBrowser.each(Object.entries(DEVICES))('in a browser, %s', (device, options) => {
  let browser: OpenBrowser;
  let page: Page;
  let site: Awaited<ReturnType<typeof clientSite>>;
  const refused: string[] = [];

  beforeAll(async () => {
    site = await clientSite();
    browser = await openBrowser({ ...options, javaScriptEnabled: false });
    page = browser.page;
    page.on('console', (message) => void (/Content.Security/i.test(message.text()) && refused.push(message.text())));
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    site.server.close();
  });

  const shot = async (name: string) => {
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${device}-${name}.png`), fullPage: true });
  };
  /** The field that a person would type into; a busy browser focuses it only some time after the page is there. */
  const focused = () => page.locator('input:focus').waitFor();
  const open = (token: string, way = 'authorize', rest = '') =>
    page.goto(`${world().url}/oauth/${way}?oauth_token=${token}${rest}`);

  it('signs in by keyboard, reads the PIN, and the token creates a campaign until it is invalidated', async () => {
    const { consumer } = await application({ name: 'Campaign Desk' });
    const user = await person();
    const account = await given.account({ userId: user.id });
    const funding = await given.fundingInstrument({ account });
    const token = pairOf(await requestToken(consumer));

    await open(token.key);
    await shot('sign-in');
    await focused();
    await page.keyboard.type(user.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toContain('did not match');
    await shot('sign-in-wrong');
    expect(await page.getByLabel('Username').inputValue()).toBe(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: 'Let Campaign Desk use your account?' }).waitFor();
    expect(await page.locator('.facts').innerText()).toMatch(/Owner\s+@owner_\w+\s+Afterwards\s+you get a PIN/);
    await shot('approve');
    await page.getByRole('button', { name: 'Authorize app' }).click();
    await shot('pin');
    const pin = (await page.locator('#pin').innerText()).trim();
    expect(pin).toMatch(/^\d{7}$/);

    const access = pairOf(await accessToken(consumer, token, pin));
    const api = new Api({ consumer, token: access });
    const campaign = () =>
      api.post(`/12/accounts/${account.id}/campaigns`, {
        query: { name: 'From a flow', funding_instrument_id: funding.id, daily_budget_amount_local_micro: 5_500_000 },
      });
    expect((await campaign()).status).toBe(201);
    expect((await signedPost('/1.1/oauth/invalidate_token', { consumer, token: access })).status).toBe(200);
    await world().caughtUp();
    expect(await campaign()).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });

    const again = pairOf(await requestToken(consumer));
    await open(again.key);
    await page.getByRole('button', { name: 'Authorize app' }).click();
    const other = pairOf(await accessToken(consumer, again, (await page.locator('#pin').innerText()).trim()));
    expect(other.key).not.toBe(access.key);
  }, 60_000);

  it('comes back to the callback, and wherever the client sends it from there', async () => {
    const { consumer } = await application({ name: 'Web Shop', callbacks: [site.callback], signIn: true });
    const user = await person();
    const token = pairOf(await requestToken(consumer, `${site.callback}?state=7`));
    await open(token.key, 'authenticate', `&force_login=true&screen_name=${user.username}`);
    await focused();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    expect(await page.locator('#destination').innerText()).toBe(new URL(site.callback).host);
    await shot('approve-callback');
    await page.getByRole('button', { name: 'Authorize app' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const { state, oauth_verifier } = Object.fromEntries(new URL(page.url()).searchParams);
    expect(state).toBe('7');
    expect((await accessToken(consumer, token, oauth_verifier)).status).toBe(200);

    // Known by now: signing in itself leads back, through a form and three redirects.
    const second = pairOf(await requestToken(consumer, site.callback));
    await open(second.key, 'authenticate', `&force_login=true&screen_name=${user.username}`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(page.url()).toContain('oauth_verifier=');
    expect(refused).toEqual([]);
  }, 60_000);

  it('sees a page after cancelling, with the way back', async () => {
    const { consumer } = await application({ name: 'Web Shop', callbacks: [site.callback] });
    const token = pairOf(await requestToken(consumer, site.callback));
    await open(token.key);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await shot('cancelled');
    await page.getByRole('link', { name: 'Return to Web Shop' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(page.url()).toContain(`denied=${token.key}`);
    await open(token.key);
    await shot('over');
    await page.getByRole('heading', { name: 'This request is no longer valid' }).waitFor();
  });

  it('lists connected apps, says which was not picked up yet, revokes after asking, signs out', async () => {
    const { consumer } = await application({ name: 'Slow Starter' });
    const token = pairOf(await requestToken(consumer));
    await open(token.key);
    await page.getByRole('button', { name: 'Authorize app' }).click();

    await page.goto(`${world().url}/oauth/applications`);
    await shot('applications');
    const slow = page.locator('section').filter({ hasText: 'Slow Starter' });
    expect(await slow.innerText()).toMatch(
      /Approved to read and change, but not connected yet: .* until \d\d:\d\d UTC/,
    );
    await slow.getByRole('link', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'Take back' }).click();

    const shop = page.locator('section').filter({ hasText: 'Web Shop' });
    await shop.getByRole('link', { name: 'Revoke access' }).click();
    await page.getByRole('heading', { name: 'Revoke the access of Web Shop?' }).waitFor();
    await shot('revoke');
    await page.getByRole('link', { name: 'Keep it' }).click();
    await shop.getByRole('link', { name: 'Revoke access' }).click();
    await page.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByRole('heading', { name: 'Connected apps' }).waitFor();
    expect(await page.getByText(/Web Shop|Slow Starter/).count()).toBe(0);
    await shot('applications-none');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await shot('signed-out');
    await page.goto(`${world().url}/oauth/applications`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('is told when it has to wait, and shows where the demo ends', async () => {
    await page.goto(`${world().url}/demo/callback`);
    await shot('demo-callback-empty');
    await page.goto(`${world().url}/demo/callback?oauth_token=${'a1'.repeat(16)}&oauth_verifier=${'b2'.repeat(16)}`);
    await shot('demo-callback');
    await page.getByRole('heading', { name: 'The flow came back' }).waitFor();
    expect(await page.locator('#command').innerText()).toContain(`oauth_verifier=${'b2'.repeat(16)} --token`);
    expect(refused).toEqual([]);
  });

  it('lets no page of another site frame ours', async () => {
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.setContent(`<iframe src="${world().url}/oauth/sign_in"></iframe>`);
    await page.waitForTimeout(500);
    const [, frame] = page.frames();
    expect(frame === undefined || !(await frame.content()).includes('Password')).toBe(true);
  });
});
