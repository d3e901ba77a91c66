import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { pixelIdOf } from '../../../src/measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../../src/measurement/pixel-tokens/pixel-tokens.service.js';
import { useApp, world } from '../../support/app.js';
import { inBrowser, openBrowser, SITE, type OpenBrowser } from '../../support/browser.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Json } from '../../support/http.js';

jest.setTimeout(60_000);

useApp({ BASE_URL: SITE, RATE_LIMITS: 'faithful', RATE_LIMIT_PIXEL_EVENTS: '60/900' });

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the pixel', () => {
  let advertiser: Advertiser;
  let pixel: string;
  let tag: Json;
  let token: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    pixel = pixelIdOf(advertiser.account.id);
    const { id } = await given.webEventTag(advertiser);
    tag = (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/web_event_tags/${id}`)).body.data;
    ({ token } = await world().get(PixelTokensService).create(advertiser.account, 'Server'));
  });

  const stored = () =>
    world().sql<Record<string, Json>>(
      `SELECT "tagId", "valueMicro"::text AS value, currency, "numberItems", "conversionId", details,
        array(SELECT encode(i, 'hex') FROM unnest(identifiers) i) AS identifiers
      FROM conversions WHERE "accountId" = $1 ORDER BY id`,
      advertiser.account.id,
    );
  const fromBrowser = (fields: Record<string, string>, id = pixel) =>
    send(world().url, `/pixel/${id}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Mozilla/5.0' },
      body: new URLSearchParams(fields).toString(),
    });
  const fromServer = (conversion: object) =>
    send(world().url, `/12/measurement/conversions/${pixel}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pixel-token': token },
      body: JSON.stringify({
        conversions: [{ conversion_timestamp: world().clock.now().getTime(), event_id: tag.id, ...conversion }],
      }),
    });

  it('takes events without credentials, by the rules of conversions', async () => {
    const answer = await fromBrowser({
      event_id: `tw-${pixel}-${tag.id}`,
      value: '20.00',
      contents: '[{"content_id":7}]',
    });
    expect([answer.status, answer.text, answer.headers['access-control-allow-origin']]).toEqual([204, '', '*']);
    expect(await stored()).toMatchObject([
      { tagId: tag.id, value: '20000000', identifiers: [], details: { contents: [{ content_id: '7' }] } },
    ]);
    const wrong = await fromBrowser({ event_id: 'zzz', value: 'much', contents: '[', twclid: 'x'.repeat(600) });
    expect(wrong.status).toBe(400);
    for (const name of ['twclid', 'value', 'contents', 'event_id'])
      expect(
        wrong.body.errors.some(
          ({ message }: Json) => message.includes(`event.${name}`) || message.includes(`.${name}`),
        ),
      ).toBe(true);
    expect((await fromBrowser({ event_id: tag.id }, 'unheardof')).status).toBe(404);
    const json = await send(world().url, `/pixel/${pixel}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(json.status).toBe(415);
    expect(await stored()).toHaveLength(1);
  });

  it('names contents that cannot be converted to a text', async () => {
    const { status, body } = await fromBrowser({ event_id: tag.id, contents: '[{"content_price":{"toString":null}}]' });
    expect([status, body.errors.map(({ message }: Json) => message)]).toEqual([
      400,
      ['Expected a number from 0 to 9000000000, got {"toString":null} for event.contents[0].content_price'],
    ]);
  });

  it('names contents that are nested too deep', async () => {
    const nested = '['.repeat(30_000) + ']'.repeat(30_000);
    // brackets as they are: escaped ones would be longer than a body may be
    const { status, body } = await send(world().url, `/pixel/${pixel}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `event_id=${tag.id}&contents=[{"content_name":${nested}}]`,
    });
    expect([status, body.errors.map(({ message }: Json) => message)]).toEqual([
      400,
      ['Expected an array of at most 100 items for event.contents'],
    ]);
    expect(await stored()).toEqual([]);
  });

  it('and the server report a conversion once, whichever comes first', async () => {
    const identifiers = [{ twclid: 'abc' }];
    await fromBrowser({ event_id: tag.id, conversion_id: 'order-1', twclid: 'abc' });
    expect((await fromServer({ conversion_id: 'order-1', identifiers })).status).toBe(200);
    expect((await fromServer({ conversion_id: 'order-2', identifiers })).status).toBe(200);
    await fromBrowser({ event_id: tag.id, conversion_id: 'order-2' });
    expect((await stored()).map(({ conversionId }) => conversionId)).toEqual(['order-1', 'order-2']);
  });

  inBrowser('in a page of another origin', () => {
    let browser: OpenBrowser;
    let origin: string;
    let html = '';
    const site = createServer((_, response) => {
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><html><head>${html}</head><body></body></html>`);
    });
    beforeAll(async () => {
      await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      browser = await openBrowser({});
    });
    afterAll(async () => {
      await browser.close();
      site.close();
    });

    const arrived = async (count: number) => {
      for (let n = 0; n < 100 && (await stored()).length < count; n++) await pause(50);
      return stored();
    };

    it('reports events, keeps the click of the landing page, and is deduplicated against the server', async () => {
      const { page, context } = browser;
      html = tag.embed_code;
      await page.goto(`${origin}/landing?twclid=click-1&utm=x`);
      expect(await arrived(1)).toMatchObject([
        {
          tagId: tag.id,
          identifiers: [`02${sha256('click-1')}`],
          details: { event_source_url: `${origin}/landing` },
        },
      ]);
      const [cookie] = await context.cookies(origin);
      expect(cookie).toMatchObject({ name: '_twclid', value: 'click-1', sameSite: 'Lax' });
      expect(cookie.expires).toBeGreaterThan(Date.now() / 1000 + 380 * 86_400);

      // a later page without the parameter
      await page.goto(`${origin}/thanks`);
      await arrived(2);
      await page.evaluate(
        `twq('event', 'tw-${pixel}-${tag.id}', { value: '20.00', currency: 'EUR', conversion_id: 'order-4711',
          email_address: ' Ann@Example.com', phone_number: '+49 (30) 123', contents: [{ content_id: 'a', num_items: 2 }, { num_items: 1 }] })`,
      );
      const [, , order] = await arrived(3);
      expect(order).toMatchObject({ value: '20000000', currency: 'EUR', numberItems: 3, conversionId: 'order-4711' });
      expect(new Set(order.identifiers as string[])).toEqual(
        new Set([`02${sha256('click-1')}`, `00${sha256('ann@example.com')}`, `01${sha256('+4930123')}`]),
      );
      await fromServer({ conversion_id: 'order-4711', identifiers: [{ hashed_email: sha256('ann@example.com') }] });
      expect(await stored()).toHaveLength(3);
    });

    it('reports events whatever the landing page and the cookies of others have as the click', async () => {
      const { page, context } = browser;
      html = tag.embed_code;
      await context.clearCookies();
      await page.goto(`${origin}/landing?twclid=${'x'.repeat(600)}`);
      expect(await arrived(1)).toMatchObject([{ identifiers: [] }]);
      expect(await context.cookies(origin)).toEqual([]);
      for (const [n, cookie] of ['%zz', 'x'.repeat(600)].entries()) {
        await page.evaluate(`document.cookie = '_twclid=${cookie}; path=/'`);
        await page.goto(`${origin}/page`);
        expect((await arrived(n + 2)).at(-1)).toMatchObject({ identifiers: [] });
      }
    });
  });

  // the last test: the browser has the same address
  it('has a rate limit for each address', async () => {
    const answers = [];
    for (let n = 0; n < 70; n++) answers.push((await fromBrowser({ event_id: tag.id })).status);
    expect(answers.at(-1)).toBe(429);
  });
});
