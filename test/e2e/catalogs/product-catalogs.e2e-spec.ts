import { CatalogsExport } from '../../../src/catalogs/catalogs-export.service.js';
import { exportText } from '../../../src/auth/user-export.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import type { Sending } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Shop } from '../../support/given/catalogs.js';
import type { Answer, Json } from '../../support/http.js';

useSharedApp();

const PATH = '/12/product_catalogs';
const refusal = ({ status, body }: Answer) => [
  status,
  body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
];

const put = async ({ api, catalog }: Shop, ...products: unknown[]): Promise<Json[]> => {
  const { status, body } = await api.put(`${catalog}/products`, { json: { products } });
  expect(status).toBe(200);
  return body.data.products_response;
};

const list = async ({ api, catalog }: Shop, query: Sending['query'] = {}): Promise<Json[]> => {
  const found: Json[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await api.get(`${catalog}/products`, { query: { ...query, cursor } });
    expect(status).toBe(200);
    found.push(...body.data);
    cursor = body.next_cursor ?? undefined;
  } while (cursor);
  return found;
};

const countOf = async (table: string, column: string, value: string): Promise<number> => {
  const [{ n }] = await world().sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE "${column}" = $1`,
    value,
  );
  return n;
};

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 100 && !(await isSo()); i++) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await isSo()).toBe(true);
}

describe('product catalogs', () => {
  it('are created, listed, renamed and deleted, one for each user', async () => {
    const { api, user } = await given.client();
    expect((await api.get(PATH)).body.data).toEqual([]);
    const created = await api.post(PATH, { form: { name: 'Autumn', user_id: user.id } });
    expect([created.status, created.body.data]).toEqual([
      201,
      { id: expect.stringMatching(/^\d{16}$/), name: 'Autumn' },
    ]);
    const { id } = created.body.data;
    expect(refusal(await api.post(PATH, { form: { name: 'Another' } }))).toEqual([
      400,
      [['PRODUCT_CATALOG_EXISTS', undefined]],
    ]);
    expect((await api.put(`${PATH}/${id}`, { form: { name: 'Winter' } })).body.data).toEqual({ id, name: 'Winter' });
    expect((await api.get(PATH)).body.data).toEqual([{ id, name: 'Winter' }]);
    expect((await api.delete(`${PATH}/${id}`)).body.data).toEqual({ id, name: 'Winter' });
    expect(refusal(await api.delete(`${PATH}/${id}`))).toEqual([404, [['NOT_FOUND', 'product_catalog_id']]]);
    expect((await api.post(PATH, { form: { name: 'Spring' } })).status).toBe(201);
  });

  it('exist once, however many requests create them', async () => {
    const { api } = await given.client();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => api.post(PATH, { form: { name: `Catalog ${n}` } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  it('need a name', async () => {
    const { api, catalog } = await given.shop();
    expect(refusal(await api.post(PATH))).toEqual([400, [['MISSING_PARAMETER', 'name']]]);
    expect(refusal(await api.put(catalog, { form: { name: ' ' } }))).toEqual([400, [['INVALID_PARAMETER', 'name']]]);
  });

  it('are of their user only', async () => {
    const shop = await given.shop();
    const { api } = await given.client();
    const notFound = [404, [['NOT_FOUND', 'product_catalog_id']]];
    const json = { products: [given.product()] };
    expect(refusal(await api.put(shop.catalog, { form: { name: 'Mine' } }))).toEqual(notFound);
    expect(refusal(await api.delete(shop.catalog))).toEqual(notFound);
    expect(refusal(await api.get(`${shop.catalog}/products`))).toEqual(notFound);
    expect(refusal(await api.put(`${shop.catalog}/products`, { json }))).toEqual(notFound);
    expect(refusal(await api.delete(`${shop.catalog}/products`, { json: { product_keys: ['1'] } }))).toEqual(notFound);
    const ofAnother = [404, [['NOT_FOUND', 'user_id']]];
    expect(refusal(await api.get(PATH, { query: { user_id: shop.user.id } }))).toEqual(ofAnother);
    expect(refusal(await api.post(PATH, { form: { name: 'Mine', user_id: shop.user.id } }))).toEqual(ofAnother);
  });

  it('lose their products with themselves, and both with their user, who can export them', async () => {
    const shop = await given.shop();
    const id = shop.catalog.split('/').at(-1)!;
    await put(shop, given.product({ title: 'Exported shoe' }), given.product());
    let text = '';
    for await (const part of exportText(world().get(CatalogsExport).sections(shop.user.id))) text += part;
    expect(JSON.parse(text)).toMatchObject({
      product_catalogs: [{ id }],
      products: [{ catalog_id: id, attributes: { title: 'Exported shoe' } }, {}],
    });
    await world().get(UserRemoval).delete(shop.user.id);
    await world().get(UserRemoval).finish(shop.user.id);
    expect(await countOf('product_catalogs', 'userId', shop.user.id)).toBe(0);
    await until(async () => (await countOf('products', 'catalogId', id)) === 0);

    const other = await given.shop();
    const otherId = other.catalog.split('/').at(-1)!;
    await put(other, given.product());
    expect((await other.api.delete(other.catalog)).status).toBe(200);
    await until(async () => (await countOf('products', 'catalogId', otherId)) === 0);
  });
});

describe('products', () => {
  it('are created, replaced and left as they are, each with its result', async () => {
    const shop = await given.shop();
    const [one, other] = [
      given.product({ inventory: 3, additional_image_link: 'https://a.example/1.png,https://a.example/2.png' }),
      given.product(),
    ];
    const created = await put(shop, one, other);
    expect(created).toEqual(
      [one, other].map(({ id }) => ({
        id,
        product_key: expect.stringMatching(/^\d{16}$/),
        status: 'CREATE_SUCCESS',
        errors: [],
        warnings: [],
      })),
    );
    const again = await put(shop, one, {
      ...other,
      product_key: created[1].product_key,
      price: '59.99 USD',
      colour: 'red',
    });
    expect(again).toMatchObject([
      { product_key: created[0].product_key, status: 'NO_CHANGE', warnings: [] },
      {
        product_key: created[1].product_key,
        status: 'UPDATE_SUCCESS',
        warnings: ['colour is not an attribute of products and was ignored'],
      },
    ]);
    const [second, first] = await list(shop);
    expect(first).toMatchObject({ ...one, product_key: created[0].product_key, gender: null, item_group_key: null });
    expect(second).toMatchObject({ id: other.id, price: '59.99 USD', inventory: null });
    // what was sent before and is absent now is gone
    const { inventory: _, ...without } = one;
    expect(await put(shop, without)).toMatchObject([{ status: 'UPDATE_SUCCESS' }]);
    expect((await list(shop))[1]).toMatchObject({ id: one.id, inventory: null });
  });

  const WRONG: [string, Record<string, unknown>, [string, string][]][] = [
    ['an id', { id: undefined }, [['MISSING_PARAMETER', 'id']]],
    ['a short title', { title: 'x'.repeat(151) }, [['INVALID_PARAMETER', 'title']]],
    ['a known availability', { availability: 'soon' }, [['INVALID_PARAMETER', 'availability']]],
    ['a price with a currency', { price: '60.00' }, [['INVALID_PARAMETER', 'price']]],
    ['a currency that exists', { price: '60.00 QQQ' }, [['INVALID_PARAMETER', 'price']]],
    ['an https page', { link: 'http://shop.example/' }, [['INVALID_PARAMETER', 'link']]],
    ['an identifier', { brand: '' }, [['MISSING_PARAMETER', 'brand']]],
    ['stock', { inventory: 0 }, [['INVALID_PARAMETER', 'inventory']]],
    ['a lower sale price', { sale_price: '60.00 USD' }, [['INVALID_PARAMETER', 'sale_price']]],
    ['one currency', { sale_price: '10.00 EUR' }, [['INVALID_PARAMETER', 'sale_price']]],
    [
      'a range of times',
      { sale_price_effective_date: '2026-12-01T00:00Z/2026-11-01T00:00Z' },
      [['INVALID_PARAMETER', 'sale_price_effective_date']],
    ],
    [
      'days of the calendar',
      { sale_price_effective_date: '2026-02-01T00:00Z/2026-02-30T00:00Z' },
      [['INVALID_PARAMETER', 'sale_price_effective_date']],
    ],
    [
      'few images',
      { additional_image_link: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) },
      [['INVALID_PARAMETER', 'additional_image_link']],
    ],
    [
      'all that is required',
      { title: undefined, price: undefined },
      [
        ['MISSING_PARAMETER', 'title'],
        ['MISSING_PARAMETER', 'price'],
      ],
    ],
  ];

  it.each(WRONG)('need %s, and do not affect the others', async (_, wrong, problems) => {
    const shop = await given.shop();
    const [bad, good] = await put(shop, given.product(wrong), given.product());
    expect(bad).toMatchObject({ product_key: null, status: 'ERROR' });
    expect(bad.errors.map(({ code, parameter }: Json) => [code, parameter])).toEqual(problems);
    expect(bad.errors[0].message).not.toBe('');
    expect(good.status).toBe('CREATE_SUCCESS');
    expect(await list(shop)).toHaveLength(1);
  });

  it('take words of feeds, sales and prices without decimals', async () => {
    const shop = await given.shop();
    const sale = { sale_price: '7 JPY', sale_price_effective_date: '2026-11-01T00:00-0800/2026-12-01T00:00-0800' };
    const sent = given.product({
      availability: 'Out_of_Stock',
      price: '10 JPY',
      inventory: 0,
      gtin: 4_006_381_333_931,
      ...sale,
    });
    expect(await put(shop, sent)).toMatchObject([{ status: 'CREATE_SUCCESS' }]);
    expect(await list(shop)).toMatchObject([
      { availability: 'out of stock', inventory: 0, gtin: '4006381333931', ...sale },
    ]);
  });

  it('take images as a text or as an array, whose elements may have commas', async () => {
    const shop = await given.shop();
    const [a, b] = ['https://a.example/w_1,h_2/1.png', 'https://a.example/2.png'];
    const images = [[a, b], [], ` ${b}, ${b}`, ''];
    await put(shop, ...images.map((additional_image_link) => given.product({ additional_image_link })));
    const found = (await list(shop)).map(({ additional_image_link: links }) => links).reverse();
    expect(found).toEqual([`https://a.example/w_1%2Ch_2/1.png,${b}`, null, b, null]);
  });

  it('are all ignored if their id repeats in a batch', async () => {
    const shop = await given.shop();
    const twice = given.product();
    const results = await put(shop, twice, given.product(), { ...twice, title: 'Another' });
    expect(results.map(({ status, errors }) => [status, errors.map(({ parameter }: Json) => parameter)])).toEqual([
      ['ERROR', ['id']],
      ['CREATE_SUCCESS', []],
      ['ERROR', ['id']],
    ]);
    expect(await list(shop)).toHaveLength(1);
  });

  it('come in batches of 1 to 25', async () => {
    const { api, catalog } = await given.shop();
    for (const products of [[], Array.from({ length: 26 }, () => given.product()), 'text', undefined])
      expect((await api.put(`${catalog}/products`, { json: { products } })).status).toBe(400);
    const { status } = await api.put(`${catalog}/products`, {
      json: { products: Array.from({ length: 25 }, () => given.product()) },
    });
    expect(status).toBe(200);
  });

  it('have a result each, even if one is no object', async () => {
    const shop = await given.shop();
    const results = await put(shop, given.product(), 'text', null, [given.product()]);
    expect(results.map(({ id, status, errors }) => [id !== null, status, errors[0]?.parameter])).toEqual([
      [true, 'CREATE_SUCCESS', undefined],
      ...[1, 2, 3].map((n) => [false, 'ERROR', `products[${n}]`]),
    ]);
    expect(await list(shop)).toHaveLength(1);
  });

  it('are created once by batches at the same time', async () => {
    const shop = await given.shop();
    const products = Array.from({ length: 5 }, () => given.product());
    const results = await Promise.all(
      [1, 2, 3, 4].map((n) => put(shop, ...products.map((each) => ({ ...each, title: `Shoe ${n}` })))),
    );
    for (const i of products.keys()) {
      expect(results.filter((each) => each[i].status === 'CREATE_SUCCESS')).toHaveLength(1);
      expect(new Set(results.map((each) => each[i].product_key)).size).toBe(1);
    }
    expect(await list(shop)).toHaveLength(5);
  });

  it('are listed once for each group, in pages, and all of a group by its key', async () => {
    const shop = await given.shop();
    const alone = Array.from({ length: 3 }, () => given.product());
    const variants = Array.from({ length: 4 }, (_, n) => given.product({ item_group_id: 'shoe', color: `color ${n}` }));
    const others = Array.from({ length: 2 }, () => given.product({ item_group_key: '4711' }));
    const stored = await put(shop, ...variants, ...alone, ...others);
    const keyOf = ({ id }: Json) => stored.find((each) => each.id === id)!.product_key;
    for (const count of [1, 2, 100]) {
      const found = await list(shop, { count });
      expect(found.map(({ id }) => id).sort()).toEqual([...alone, variants[0], others[0]].map(({ id }) => id).sort());
      expect(found.slice(0, 3).map(({ id }) => id)).toEqual([...alone].reverse().map(({ id }) => id));
    }
    const group = (await list(shop)).find(({ item_group_id }) => item_group_id === 'shoe')!.item_group_key;
    expect(group).toMatch(/^\d+$/);
    const ofGroup = await list(shop, { item_group_key: group, count: 3 });
    expect(ofGroup.map(({ product_key }) => product_key)).toEqual(variants.map(keyOf).reverse());
    expect(await list(shop, { item_group_key: '4711' })).toHaveLength(2);
    expect(await list(shop, { item_group_key: '1' })).toEqual([]);
    for (const query of [{ count: 0 }, { count: 101 }, { cursor: 'abc' }])
      expect((await shop.api.get(`${shop.catalog}/products`, { query })).status).toBe(400);
  });

  it('are deleted by their keys', async () => {
    const shop = await given.shop();
    const [one, other] = await put(shop, given.product(), given.product());
    const product_keys = [one.product_key, '12', one.product_key];
    const { status, body } = await shop.api.delete(`${shop.catalog}/products`, { json: { product_keys } });
    expect([status, body.data.delete_products]).toEqual([
      200,
      [
        { product_key: one.product_key, failed_product_key: null, message: 'The product was deleted' },
        { product_key: null, failed_product_key: '12', message: 'Product 12 was not found' },
      ],
    ]);
    expect((await list(shop)).map(({ id }) => id)).toEqual([other.id]);
    const wrong = await shop.api.delete(`${shop.catalog}/products`, { json: { product_keys: ['x'] } });
    expect(refusal(wrong)).toEqual([400, [['INVALID_PARAMETER', 'product_keys[0]']]]);
  });

  it('are counted, with their bytes, and have a limit', async () => {
    const shop = await given.shop();
    const id = shop.catalog.split('/').at(-1)!;
    const counts = async () => {
      const [found] = await world().sql<Json>(
        `SELECT "productCount"::int AS n, "productBytes"::int = (SELECT COALESCE(sum(bytes), 0)::int FROM products WHERE "catalogId" = c.id) AS agrees FROM product_catalogs c WHERE id = $1`,
        id,
      );
      return found;
    };
    const sent = [given.product(), given.product()];
    const [one] = await put(shop, ...sent);
    await put(shop, { ...sent[0], description: 'Longer than before, by some words.' });
    expect(await counts()).toEqual({ n: 2, agrees: true });
    await shop.api.delete(`${shop.catalog}/products`, { json: { product_keys: [one.product_key] } });
    expect(await counts()).toEqual({ n: 1, agrees: true });
    await world().sql(`UPDATE product_catalogs SET "productCount" = 999999 WHERE id = $1`, id);
    const full = await shop.api.put(`${shop.catalog}/products`, {
      json: { products: [given.product(), given.product()] },
    });
    expect(refusal(full)).toEqual([403, [['STORAGE_QUOTA_EXCEEDED', undefined]]]);
    const last = given.product();
    const [{ product_key: key, status }] = await put(shop, last);
    expect(status).toBe('CREATE_SUCCESS');
    const [{ bytes }] = await world().sql<Json>(`SELECT bytes FROM products WHERE "productKey" = $1`, key);
    await shop.api.delete(`${shop.catalog}/products`, { json: { product_keys: [key] } });
    const putWhere = async (left: number) => {
      await world().sql(
        `UPDATE product_catalogs SET "productBytes" = 2::bigint * 1024 * 1024 * 1024 - $2::int, "productCount" = 1 WHERE id = $1`,
        id,
        left,
      );
      return shop.api.put(`${shop.catalog}/products`, { json: { products: [last] } });
    };
    expect(refusal(await putWhere(bytes - 1))).toEqual([403, [['STORAGE_QUOTA_EXCEEDED', undefined]]]);
    expect((await putWhere(bytes)).status).toBe(200);
  });
});
