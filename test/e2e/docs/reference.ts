import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core';
import { BROWSER_ARGS, CHROMIUM, SHOTS } from '../../support/browser.js';

/** A name that leads to this machine and is not loopback. */
export const FOREIGN_HOST = 'marquee.test';

const ARGS = [...BROWSER_ARGS, `--host-resolver-rules=MAP ${FOREIGN_HOST} 127.0.0.1`];

/** A field of the panel with the keys. */
export const panel = (page: Page, name: string) => page.locator(`#keys input[name="${name}"]`);

/** The API reference in a browser. Whatever the page does, it must not run into an error or its own policy. */
export class Reference {
  page!: Page;
  private browser!: Browser;
  private complaints: string[] = [];

  /** Has each test of a suite begin with a page of its own. */
  perTest(): void {
    this.launched();
    beforeEach(() => this.newPage());
    afterEach(() => this.closePage());
  }

  /** Has the tests of a suite share a page, which takes seconds to render. They leave values in its forms. */
  shared(url: () => string): void {
    this.launched();
    beforeAll(async () => {
      await this.newPage();
      await this.open(url());
    });
    afterEach(() => this.tidy());
    afterAll(() => this.closePage());
  }

  /** The browser of a suite. */
  private launched(): void {
    // A browser beside the service on a busy machine takes its time.
    jest.setTimeout(120_000);
    beforeAll(async () => {
      this.browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    });
    afterAll(() => this.browser?.close());
  }

  async newPage(options: BrowserContextOptions = {}) {
    this.page = await this.browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    this.complaints = [];
    this.page.on('pageerror', (error) => this.complaints.push(error.message));
    this.page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) this.complaints.push(message.text());
    });
  }

  async closePage() {
    await this.page.close();
    expect(this.complaints).toEqual([]);
  }

  /** Shows all operations again. Those that a test opened stay open. */
  private async tidy() {
    await this.page.locator('.operation-filter-input').fill('');
    expect(this.complaints).toEqual([]);
  }

  /** Opens the page, which must not report an error in the console, nor ask for anything that it does not get. */
  async open(url: string) {
    const { page } = this;
    const errors: string[] = [];
    const hear = (message: ConsoleMessage) => {
      // the browser ignores this header where the name is not localhost and the page is not HTTPS
      const isExpected = message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored');
      if (message.type() === 'error' && !isExpected) errors.push(message.text());
    };
    const receive = (answer: Response) => void (answer.status() >= 400 && errors.push(answer.url()));
    page.on('console', hear).on('response', receive);
    await this.load(url);
    page.off('console', hear).off('response', receive);
    expect(errors).toEqual([]);
  }

  /** Opens the page, which may ask for what it does not get. */
  async load(url: string) {
    await this.page.goto(url);
    await this.page.locator('.opblock').first().waitFor();
  }

  async shot(name: string) {
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  /** Waits for something to be so in the page, where nothing may be evaluated by the page's own policy. */
  async until(condition: string) {
    while (!(await this.page.evaluate(condition))) await pause(50);
  }

  /** Waits until something stays where it is: a click on what moves is tried again only after half a second. */
  private async settled(block: Locator) {
    for (let before = '', now = '-'; now !== before; await pause(30)) {
      before = now;
      now = JSON.stringify(await block.boundingBox());
    }
  }

  /** Opens an operation of the page, which is asked for in the filter: of so many only those in sight are in the page. */
  async operation(id: string) {
    const block = this.page.locator(`.opblock[id$="-${id}"]`);
    const filter = this.page.locator('.operation-filter-input');
    if ((await filter.inputValue()) === '' || (await block.count()) === 0) await filter.fill(id);
    await this.settled(block);
    const isOpen = (await block.getAttribute('class'))?.split(' ').includes('is-open');
    if (!isOpen) await block.locator('.opblock-summary-control').click();
    await block.locator('.execute').waitFor();
    return {
      block,
      field: (name: string) =>
        block
          .locator(`:is(tr[data-param-name="${name}"], tr[data-property-name="${name}"]) :is(input, select)`)
          .first(),
      body: () => block.locator('textarea'),
      /** Presses Execute, and answers what this request was answered. */
      execute: async () => {
        // What stands there from the last time is not what comes now.
        const clear = block.locator('.btn-clear');
        if ((await clear.count()) > 0) await clear.click();
        await block.locator('.execute').click();
        const live = block.locator('.live-responses-table');
        await live.waitFor();
        const status = (await live.locator('tbody .response-col_status').first().textContent())?.trim();
        return { status, text: (await live.textContent()) ?? '' };
      },
      /** The text of a snippet of the request that was executed. */
      snippet: async (name: string) => {
        await block.locator(`[data-snippet="${name}"]`).click();
        return (await block.locator('.snippets pre').textContent()) ?? '';
      },
      close: () => block.locator('.opblock-summary-control').click(),
    };
  }
}
