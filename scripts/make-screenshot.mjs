#!/usr/bin/env node
/**
 * Writes docs/images/swagger-ui.png: a campaign of the demo in Swagger UI, with its answer. Start the service first (`npm start`).
 * It needs Chromium (`CHROMIUM`, /usr/bin/chromium unless given).
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OPERATION = '/12/accounts/{account_id}/campaigns/{campaign_id}';
const SIZE = { width: 1120, height: 1240 };

const { url } = JSON.parse(
  execFileSync('node', [join(root, 'bin/marquee.mjs'), 'docs', '--json'], { encoding: 'utf8' }),
);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: SIZE });
await page.goto(url);
const operation = page.locator('.opblock-get', { has: page.locator(`[data-path="${OPERATION}"]`) });
await operation.locator('.opblock-summary-control').click();
await operation.locator('.execute').click();
await operation.locator('.live-responses-table .highlight-code').waitFor();
await operation.evaluate((element) => element.scrollIntoView());
await page.screenshot({ path: join(root, 'docs/images/swagger-ui.png') });
await browser.close();
