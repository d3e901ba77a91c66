import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { world } from '../../support/app.js';
import { COLOR_RULES, violationsOf } from '../../support/axe.js';
import { SHOTS } from '../../support/browser.js';
import { PASSWORD } from '../auth/visitor.js';

/** A text that runs as a script where a page does not escape it. */
export const HOSTILE = '<script>document.title="owned"</script><img src=x onerror=\'document.title="owned"\'>';

export const DEVICES: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 720 } },
};

/** Signs in on the service, at the list of applications. */
export async function signIn(page: Page, { username }: { username: string }): Promise<void> {
  await page.goto(`${world().url}/workbench`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Workbench' }).waitFor();
}

/** What a page complains about: its scripts, and its content security policy. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => void problems.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security/i.test(message.text())) problems.push(message.text());
  });
  return problems;
}

/** Checks a page, light and dark: nothing is wider than the window, axe finds nothing, no script of others ran. */
export async function checkPage(page: Page, shot: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  const outside = `[...document.querySelectorAll('main nav a')].filter((link) => link.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right).length`;
  expect(await page.evaluate(outside)).toBe(0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page, colorScheme === 'dark' ? COLOR_RULES : undefined)).toEqual([]);
    if (!SHOTS) continue;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${shot}-${colorScheme}.png`), fullPage: true });
  }
  expect(await page.title()).not.toBe('owned');
}
