import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { world } from './app.js';

/** Where the browser is. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);
export const inBrowser = hasChromium ? describe : describe.skip;

/** Where screenshots go, for whoever wants to look at them. */
export const SHOTS = process.env.SCREENSHOTS;

/** A public URL that no name server knows: `openBrowser` tells the browser where it is. */
export const SITE = 'http://marquee.example';

/** Nothing that looks for the world outside. */
export const BROWSER_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * One browser for the tests of a `describe`, whose start takes about as long as a short test. The function opens a page with its own
 * cookies and storage, which exists until the test ends.
 */
export function useBrowser(): (options: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
  });
  afterAll(() => browser?.close());
  return async (options) => {
    browser ??= await chromium.launch({ executablePath: CHROMIUM, args: BROWSER_ARGS });
    const context = await browser.newContext(options);
    contexts.push(context);
    return context.newPage();
  };
}

/** A browser with a profile of its own, which it leaves nothing of. */
export interface OpenBrowser {
  context: BrowserContext;
  page: Page;
  close(): Promise<void>;
}

/** Starts a browser that finds the service of the test at SITE. */
export async function openBrowser(options: BrowserContextOptions): Promise<OpenBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'marquee-browser-'));
  const { hostname } = new URL(SITE);
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [...BROWSER_ARGS, `--host-resolver-rules=MAP ${hostname} ${new URL(world().url).host}`],
    ...options,
  });
  return {
    context,
    page: context.pages()[0] ?? (await context.newPage()),
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
