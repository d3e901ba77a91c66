import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exportText } from '../../../src/auth/user-export.js';
import { CatalogsExport } from '../../../src/catalogs/catalogs-export.service.js';
import { FeedFetches } from '../../../src/catalogs/scheduled-feeds/feed-fetches.service.js';
import { LongFetches } from '../../../src/catalogs/scheduled-feeds/long-fetches.js';
import { FetchFeedsJob } from '../../../src/catalogs/scheduled-feeds/fetch-feeds.job.js';
import { ProductCatalogsService } from '../../../src/catalogs/product-catalogs/product-catalogs.service.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Shop } from '../../support/given/catalogs.js';
import type { Answer, Json } from '../../support/http.js';

useSharedApp();

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown;

let serve: Serve;
let host: string;
const server = createServer((request, response) => void serve(request, response));

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const serving = (content: string | Buffer, headers: Record<string, string> = {}): Serve => {
  return (_, response) => response.writeHead(200, headers).end(content);
};

const refusal = ({ status, body }: Answer) => [
  status,
  body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
];

let shop: Shop;
const feeds = () => `${shop.catalog}/scheduled_feeds`;
const DAILY = { feed_format: 'CSV', frequency: 'DAILY', start_time: '06:30', time_zone: 'Europe/Berlin' };
const create = (form: Json = {}) =>
  shop.api.post(feeds(), { form: { feed_url: `${host}/products.csv`, ...DAILY, ...form } });

/** Creates a feed, fetches it now, and returns its fetch. */
async function fetched(form: Json = {}): Promise<Json> {
  const created = await create(form);
  expect(created.status).toBe(201);
  return fetchedAgain(created.body.data.id);
}

async function fetchedAgain(id: string): Promise<Json> {
  const asked = await shop.api.post(`${feeds()}/${id}/fetch`);
  expect([asked.status, asked.body.data.status]).toEqual([200, 'WAITING']);
  await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
  // another replica may have been first
  for (;;) {
    const { body } = await shop.api.get(`${feeds()}/${id}/fetch`);
    if (!['WAITING', 'RUNNING'].includes(body.data.status)) return body.data;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const products = async (): Promise<Json[]> => (await shop.api.get(`${shop.catalog}/products`)).body.data;

const COLUMNS = ['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link', 'brand'];
const quoted = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
const csvOf = (...rows: Json[]) =>
  [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => quoted(row[name])))].map((row) => row.join(',')).join('\n');

beforeEach(async () => {
  shop = await given.shop();
});

describe('scheduled feeds', () => {
  it('are created, listed, changed and deleted', async () => {
    const created = await create();
    const feed = {
      id: expect.stringMatching(/^\d{16}$/),
      product_catalog_id: shop.catalog.split('/').at(-1),
      feed_url: `${host}/products.csv`,
      ...DAILY,
      repeat: null,
      created_at: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    expect([created.status, created.body.data]).toEqual([201, feed]);
    const { id } = created.body.data;
    expect((await shop.api.get(feeds())).body.data).toEqual([created.body.data]);
    expect(refusal(await create())).toEqual([400, [['SCHEDULED_FEED_EXISTS', undefined]]]);
    const one = `${feeds()}/${id}`;
    const change = async (form: Json) => (await shop.api.put(one, { form })).body.data;
    expect(await change({ frequency: 'WEEKLY', repeat: 'monday' })).toMatchObject({
      frequency: 'WEEKLY',
      repeat: 'MONDAY',
    });
    expect(await change({ start_time: '23:59' })).toMatchObject({ repeat: 'MONDAY', start_time: '23:59' });
    expect(refusal(await shop.api.put(one, { form: { repeat: '6' } }))).toEqual([
      400,
      [['INVALID_PARAMETER', 'repeat']],
    ]);
    expect(await change({ frequency: 'HOURLY' })).toMatchObject({ frequency: 'HOURLY', repeat: '1' });
    expect(await change({ repeat: 12 })).toMatchObject({ repeat: '12' });
    expect(await change({ frequency: 'DAILY' })).toMatchObject({ frequency: 'DAILY', repeat: null });
    expect((await shop.api.delete(one)).body.data).toMatchObject({ id });
    for (const answer of [
      await shop.api.delete(one),
      await shop.api.put(one, { form: {} }),
      await shop.api.get(`${one}/fetch`),
      await shop.api.post(`${one}/fetch`),
    ])
      expect(refusal(answer)).toEqual([404, [['NOT_FOUND', 'scheduled_feed_id']]]);
    expect((await shop.api.get(feeds())).body.data).toEqual([]);
  });

  it.each([
    [{ feed_url: 'ftp://shop.example/a.csv' }, 'feed_url'],
    [{ feed_url: 'http://169.254.169.254/latest' }, 'feed_url'],
    [{ feed_url: 'https://user:secret@shop.example/a.csv' }, 'feed_url'],
    [{ feed_format: 'JSON' }, 'feed_format'],
    [{ frequency: 'MONTHLY' }, 'frequency'],
    [{ repeat: 'MONDAY' }, 'repeat'],
    [{ frequency: 'HOURLY', repeat: '5' }, 'repeat'],
    [{ start_time: '24:00' }, 'start_time'],
    [{ start_time: '6:30' }, 'start_time'],
    [{ time_zone: 'Europe/Atlantis' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
  ])('reject %j', async (form, parameter) => {
    expect(refusal(await create(form))).toEqual([400, [['INVALID_PARAMETER', parameter]]]);
  });

  it('need a weekday for WEEKLY', async () => {
    expect(refusal(await create({ frequency: 'WEEKLY' }))).toEqual([400, [['MISSING_PARAMETER', 'repeat']]]);
  });

  it('are of their user, end with the catalog, and are exported', async () => {
    const { id } = (await create()).body.data;
    const { api } = await given.client();
    for (const answer of [
      await api.get(feeds()),
      await api.post(feeds(), { form: { feed_url: host, ...DAILY } }),
      await api.put(`${feeds()}/${id}`, { form: {} }),
      await api.delete(`${feeds()}/${id}`),
      await api.get(`${feeds()}/${id}/fetch`),
      await api.post(`${feeds()}/${id}/fetch`),
    ])
      expect(refusal(answer)).toEqual([404, [['NOT_FOUND', 'product_catalog_id']]]);
    let text = '';
    for await (const part of exportText(world().get(CatalogsExport).sections(shop.user.id))) text += part;
    expect(JSON.parse(text).scheduled_feeds).toMatchObject([{ id, feed_url: `${host}/products.csv` }]);
    await world().get(ProductCatalogsService).deleteOf(shop.user.id);
    expect(await world().sql('SELECT id FROM scheduled_feeds WHERE id = $1', id)).toEqual([]);
  });
});

describe('a fetch', () => {
  it('creates and replaces products, and tells of rejected rows', async () => {
    serve = serving(
      csvOf(
        given.product({ id: 'mug', title: 'Mug, "large"\nand blue' }),
        given.product({ id: 'kettle', price: 'cheap', availability: 'sometimes' }),
        given.product({ id: 'press', price: '1.00' }),
        given.product({ id: 'mug', title: 'Mug' }),
      ),
    );
    const first = await fetched();
    expect(first).toMatchObject({
      status: 'DONE',
      error: null,
      row_count: 4,
      created_count: 1,
      updated_count: 1,
      unchanged_count: 0,
      rejected_count: 2,
      ignored_columns: [],
      rejections: [
        { code: 'INVALID_PARAMETER', parameter: 'price', count: 2 },
        { code: 'INVALID_PARAMETER', parameter: 'availability', count: 1 },
      ],
      rejected_rows: [
        { row: 3, id: 'kettle', errors: [{ parameter: 'availability' }, { parameter: 'price' }] },
        { row: 4, id: 'press', errors: [{ parameter: 'price', message: expect.stringContaining('60.00 USD') }] },
      ],
    });
    expect(Date.parse(first.next_fetch_at)).toBeGreaterThan(Date.parse(first.ended_at));
    expect(await products()).toMatchObject([{ id: 'mug', title: 'Mug' }]);
    serve = serving(csvOf(given.product({ id: 'mug', title: 'Mug' }), given.product({ id: 'spoon' })));
    expect(await fetchedAgain(first.scheduled_feed_id)).toMatchObject({
      row_count: 2,
      created_count: 1,
      unchanged_count: 1,
      rejected_rows: [],
    });
    serve = serving(csvOf(given.product({ id: 'spoon', title: 'Spoon' })));
    expect(await fetchedAgain(first.scheduled_feed_id)).toMatchObject({ row_count: 1, updated_count: 1 });
    // absent ones stay
    expect((await products()).map(({ id }) => id)).toEqual(['spoon', 'mug']);
  });

  it('stores more rows than fit into a batch', async () => {
    const rows = Array.from({ length: 1_200 }, (_, n) => given.product({ id: `shoe-${n % 1_100}` }));
    serve = serving(csvOf(...rows));
    expect(await fetched()).toMatchObject({
      status: 'DONE',
      row_count: 1_200,
      created_count: 1_100,
      unchanged_count: 100,
    });
    const [{ count }] = await world().sql<{ count: number }>(
      'SELECT "productCount" AS count FROM product_catalogs WHERE "userId" = $1',
      shop.user.id,
    );
    expect(count).toBe(1_100);
  });

  it.each([
    ['with a byte order mark, packed with gzip', (text: string) => gzipSync(`\ufeff${text}`), {}],
    ['with Content-Encoding', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
    ['with lines of Windows', (text: string) => text.replaceAll('\n', '\r\n'), {}],
  ])('reads CSV %s', async (_, pack, headers) => {
    serve = serving(pack(csvOf(given.product({ id: 'mug', title: 'Crème brûlée' }))), headers);
    expect(await fetched()).toMatchObject({ status: 'DONE', created_count: 1 });
    expect(await products()).toMatchObject([{ id: 'mug', title: 'Crème brûlée' }]);
  });

  it('reads TSV with columns as Google calls them, and rejects rows of another length', async () => {
    const { title, description, price, link, image_link } = given.product();
    const header = ['ID', 'Title', 'g:description', 'availability', 'condition', 'price', 'link', 'image link', 'gtin'];
    const row = ['mug', 'Screen 5" wide', description, 'in_stock', 'NEW', price, link, image_link, '12345'];
    const more = ['additional_image_link', 'adult'];
    const images = 'https://shop.example/1.jpg,https://shop.example/2.jpg';
    serve = serving(
      [[...header, ...more], [...row, images, 'no'], ['short', title], []].map((each) => each.join('\t')).join('\n'),
    );
    expect(await fetched({ feed_format: 'TSV' })).toMatchObject({
      row_count: 2,
      created_count: 1,
      rejected_count: 1,
      ignored_columns: ['adult'],
      rejected_rows: [
        {
          row: 3,
          id: 'short',
          errors: [{ message: 'Expected 11 columns as in the first row, got 2', parameter: null }],
        },
      ],
    });
    expect(await products()).toMatchObject([
      { id: 'mug', title: 'Screen 5" wide', availability: 'in stock', gtin: '12345', additional_image_link: images },
    ]);
  });

  it('reads XML in RSS 2.0', async () => {
    serve = serving(`<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>
      <title>Shop</title><link>https://shop.example</link>
      <item><g:id>mug</g:id><title>Plain</title><g:title>Mug &amp; spoon</g:title><description><![CDATA[For <b>tea</b>]]></description>
        <link>https://shop.example/mug</link><g:image_link>https://shop.example/mug.jpg</g:image_link>
        <g:additional_image_link>https://shop.example/1.jpg</g:additional_image_link>
        <g:additional_image_link>https://shop.example/2.jpg</g:additional_image_link>
        <g:availability>in stock</g:availability><g:condition>new</g:condition><g:price>12.00 USD</g:price><g:brand>Northwind</g:brand>
        <g:shipping><g:country>US</g:country><g:price>9.00 USD</g:price></g:shipping></item>
      <item><g:id>kettle</g:id></item></channel></rss>`);
    const fetch = await fetched({ feed_format: 'XML' });
    expect(fetch).toMatchObject({ row_count: 2, created_count: 1, rejected_count: 1, ignored_columns: ['g:shipping'] });
    expect(fetch.rejected_rows).toMatchObject([{ row: 2, id: 'kettle' }]);
    expect(await products()).toMatchObject([
      {
        id: 'mug',
        title: 'Mug & spoon',
        description: 'For <b>tea</b>',
        price: '12.00 USD',
        additional_image_link: 'https://shop.example/1.jpg,https://shop.example/2.jpg',
      },
    ]);
  });

  it('reads XML in Atom, with another prefix', async () => {
    serve =
      serving(`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:p="http://base.google.com/ns/1.0"><title>Shop</title>
      <entry><id>tag:shop,2026:1</id><p:id>mug</p:id><title>Mug</title><summary>For tea</summary>
        <link rel="self" href="https://shop.example/self"/><link href="https://shop.example/mug"/>
        <p:image_link>https://shop.example/mug.jpg</p:image_link><p:availability>in stock</p:availability>
        <p:condition>new</p:condition><p:price>12.00 USD</p:price><p:mpn>M-1</p:mpn></entry></feed>`);
    expect(await fetched({ feed_format: 'XML' })).toMatchObject({ created_count: 1, rejected_rows: [] });
    expect(await products()).toMatchObject([{ id: 'mug', description: 'For tea', link: 'https://shop.example/mug' }]);
  });

  const FAILURES: [string, Serve, Json, string][] = [
    ['a status', (_, response) => response.writeHead(404).end(), {}, 'The host answered with the status 404.'],
    ['no header', serving('<html></html>'), {}, 'has no column id'],
    ['an empty file', serving(''), {}, 'The file is empty.'],
    ['no UTF-8', serving(Buffer.from(csvOf(given.product({ title: 'Café' })), 'latin1')), {}, 'not in UTF-8'],
    ['no XML', serving('<rss><item></rss>'), { feed_format: 'XML' }, 'not well-formed XML: see line 1'],
    ['no items', serving('<rss></rss>'), { feed_format: 'XML' }, 'no item elements'],
    [
      'entities',
      serving('<!DOCTYPE r [<!ENTITY a "b">]><rss><item><title>&a;</title></item></rss>'),
      { feed_format: 'XML' },
      'not well-formed XML',
    ],
    ['an open quote', serving(`${csvOf()}\n"mug`), {}, 'A quotation mark lacks its end'],
    ['broken gzip', serving(gzipSync(csvOf(given.product())).subarray(0, 60)), {}, 'not complete, or no gzip'],
    [
      'redirects without an end',
      (_, response) => response.writeHead(302, { location: '/again' }).end(),
      {},
      'redirected more than 5 times',
    ],
    [
      'a redirect to the addresses of clouds',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      {},
      'redirected to an address that is not allowed',
    ],
  ];

  it.each(FAILURES)('fails for %s', async (_, answers, form, error) => {
    serve = answers;
    expect(await fetched(form)).toMatchObject({ status: 'FAILED', error: expect.stringContaining(error) });
  });

  it('closes the connection of a file that it does not read to its end', async () => {
    let closed = false;
    serve = (_, response) => response.on('close', () => (closed = true)).write(Buffer.from([0x69, 0x64, 0xff, 0xff]));
    expect((await fetched()).error).toBe('The file is not in UTF-8.');
    for (let tries = 0; tries < 40 && !closed; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(closed).toBe(true);
  });

  it('follows redirects', async () => {
    serve = (request, response) =>
      request.url === '/new'
        ? response.end(csvOf(given.product({ id: 'mug' })))
        : response.writeHead(301, { location: `${host}/new#fragment` }).end();
    expect(await fetched()).toMatchObject({ status: 'DONE', created_count: 1 });
  });

  it('is repeated soon if another one may succeed, and keeps what was stored', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => given.product({ id: `shoe-${n}` }));
    serve = async (_, response) => {
      response.writeHead(200, { 'content-length': '10000000' });
      response.write(csvOf(...rows));
      while ((await products()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
    };
    const failed = await fetched();
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('The connection to the host failed'),
    });
    const pause = Date.parse(failed.next_fetch_at) - Date.parse(failed.ended_at);
    expect(pause).toBeLessThanOrEqual(5 * 60_000);
    expect(failed.created_count).toBeGreaterThan(0);
    serve = serving(csvOf(...rows));
    const whole = await fetchedAgain(failed.scheduled_feed_id);
    expect(whole).toMatchObject({ status: 'DONE', row_count: 600, unchanged_count: failed.created_count });
  });

  it('is repeated three times, each time after twice as long, and then as it is scheduled', async () => {
    world().clock.set(new Date('2026-12-01T12:00:00Z'));
    serve = (_, response) => response.destroy();
    const fetches = [await fetched()];
    while (fetches.length < 5) fetches.push(await fetchedAgain(fetches[0].scheduled_feed_id));
    const minutes = fetches.map(
      ({ next_fetch_at: next, ended_at: end }) => (Date.parse(next) - Date.parse(end)) / 60_000,
    );
    // to half past six in Berlin
    expect(minutes.map(Math.round)).toEqual([5, 10, 20, 17.5 * 60, 5]);
  });

  it('stores what fits into the quotas', async () => {
    await world().sql(`UPDATE product_catalogs SET "productCount" = 999999 WHERE "userId" = $1`, shop.user.id);
    serve = serving(csvOf(given.product({ id: 'mug' }), given.product({ id: 'kettle' }), given.product({ id: 'mug' })));
    expect(await fetched()).toMatchObject({
      status: 'DONE',
      created_count: 1,
      rejections: [{ code: 'STORAGE_QUOTA_EXCEEDED', parameter: null, count: 1 }],
    });
  });

  it('stores nothing more after a change, a deletion or another claim', async () => {
    const { id } = (await create()).body.data;
    let change = () => shop.api.put(`${feeds()}/${id}`, { form: { start_time: '07:00' } }) as Promise<unknown>;
    serve = async (_, response) => {
      await change();
      response.end(csvOf(given.product({ id: 'mug' })));
    };
    const due = () => world().sql(`UPDATE scheduled_feeds SET "dueAt" = '2020-01-01' WHERE id = $1`, id);
    const fetches = world().get(FeedFetches);
    await due();
    expect(await fetches.fetchNext(new AbortController().signal)).toBe(true);
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data).toMatchObject({
      status: 'FAILED',
      error: 'The feed was changed while it was fetched.',
    });
    change = () => world().sql(`UPDATE scheduled_feeds SET claim = 'another' WHERE id = $1`, id);
    await due();
    await fetches.fetchNext(new AbortController().signal);
    await world().sql(`UPDATE scheduled_feeds SET claim = NULL, "claimedUntil" = NULL WHERE id = $1`, id);
    change = () => shop.api.delete(`${feeds()}/${id}`);
    await due();
    await fetches.fetchNext(new AbortController().signal);
    expect(await products()).toEqual([]);
  });

  it('is not fetched any more when a replica of the previous release has deleted its catalog', async () => {
    const { id } = (await create()).body.data;
    let requests = 0;
    serve = (_, response) => {
      requests++;
      response.writeHead(503).end();
    };
    await world().sql('DELETE FROM product_catalogs WHERE "userId" = $1', shop.user.id);
    await world().sql(`UPDATE scheduled_feeds SET "dueAt" = '2020-01-01' WHERE id = $1`, id);
    await world().get(FeedFetches).fetchNext(new AbortController().signal);
    expect(await world().sql('SELECT id FROM scheduled_feeds WHERE id = $1', id)).toEqual([]);
    expect(requests).toBe(0);
  });

  it('begins again when its process has ended, and not for ever', async () => {
    const { id } = (await create()).body.data;
    serve = serving(csvOf(given.product({ id: 'mug' })));
    const abandon = (failures: number) =>
      world().sql(
        `UPDATE scheduled_feeds SET "dueAt" = '2020-01-01', claim = 'ended', "claimedUntil" = '2020-01-01', failures = $2 WHERE id = $1`,
        id,
        failures,
      );
    await abandon(0);
    await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data).toMatchObject({
      status: 'DONE',
      created_count: 1,
    });
    await abandon(3);
    await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data).toMatchObject({
      status: 'FAILED',
      error: 'The service ended several times while it fetched the file.',
    });
  });

  it('waits until it begins, also after an earlier one', async () => {
    serve = serving(csvOf(given.product({ id: 'mug' })));
    const { scheduled_feed_id: id } = await fetched();
    await world().sql(
      `UPDATE scheduled_feeds SET "dueAt" = '2020-01-01', claim = 'begins', "claimedUntil" = '2099-01-01' WHERE id = $1`,
      id,
    );
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data).toMatchObject({
      status: 'WAITING',
      next_fetch_at: null,
    });
  });

  it('ends when it takes long while others do, so that feeds of other users have their turn', async () => {
    const { id } = (await create()).body.data;
    const long = world().get(LongFetches);
    const before = { longAfterMs: long.longAfterMs, places: long.places };
    const due = () => world().sql(`UPDATE scheduled_feeds SET "dueAt" = '2020-01-01' WHERE id = $1`, id);
    const state = async () => (await shop.api.get(`${feeds()}/${id}/fetch`)).body.data;
    let ending = Infinity;
    serve = (_, response) => {
      response.write(csvOf(given.product({ id: 'mug' })));
      if (ending < Infinity) setTimeout(() => response.end(), ending);
    };
    try {
      Object.assign(long, { longAfterMs: 100, places: 0 });
      await due();
      await world().get(FeedFetches).fetchNext(new AbortController().signal);
      expect(await state()).toMatchObject({ status: 'FAILED', error: expect.stringContaining('takes long') });
      Object.assign(long, { places: 1 });
      ending = 500;
      for (let fetch = 0; fetch < 2; fetch++) {
        await due();
        await world().get(FeedFetches).fetchNext(new AbortController().signal);
        expect(await state()).toMatchObject({ status: 'DONE' });
      }
    } finally {
      Object.assign(long, before);
    }
  });

  it('is given back when the process stops', async () => {
    const { id } = (await create()).body.data;
    const stop = new AbortController();
    serve = (_, response) => {
      response.write(csvOf(given.product({ id: 'mug' })));
      stop.abort();
    };
    await world().sql(`UPDATE scheduled_feeds SET "dueAt" = '2020-01-01' WHERE id = $1`, id);
    await world().get(FetchFeedsJob).fetchDue(stop.signal);
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data.status).toBe('WAITING');
    serve = serving(csvOf(given.product({ id: 'mug' })));
    await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
    expect((await shop.api.get(`${feeds()}/${id}/fetch`)).body.data.status).toBe('DONE');
  });
});

describe('a schedule', () => {
  it('has one fetch after several missed times', async () => {
    let requests = 0;
    serve = (_, response) => {
      requests++;
      response.end(csvOf(given.product({ id: 'mug' })));
    };
    const { id } = (await create({ frequency: 'HOURLY', repeat: '1' })).body.data;
    const state = async () => (await shop.api.get(`${feeds()}/${id}/fetch`)).body.data;
    expect(await state()).toMatchObject({ status: 'WAITING', started_at: null });
    await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
    expect(requests).toBe(0);
    await world().sql(`UPDATE scheduled_feeds SET "dueAt" = "dueAt" - interval '5 hours' WHERE id = $1`, id);
    await world().get(FetchFeedsJob).fetchDue(new AbortController().signal);
    expect(requests).toBe(1);
    const { next_fetch_at, ended_at } = await state();
    const pause = Date.parse(next_fetch_at) - Date.parse(ended_at);
    expect(pause).toBeGreaterThan(0);
    expect(pause).toBeLessThanOrEqual(3_600_000);
  });
});
