import { DataSource } from 'typeorm';
import { CatalogsExport } from '../../../src/catalogs/catalogs-export.service.js';
import { exportText } from '../../../src/auth/user-export.js';
import { keysOfMatching } from '../../../src/catalogs/product-sets/product-sets.statements.js';
import { NoAnswer } from '../../../src/common/errors/unavailable.js';
import { useSharedApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Shop } from '../../support/given/catalogs.js';
import type { Answer, Json } from '../../support/http.js';

useSharedApp();

const refusal = ({ status, body }: Answer) => [
  status,
  body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
];

let shop: Shop;
/** Keys of the products by their ids. */
let keys: Record<string, string>;
const sets = () => `${shop.catalog}/product_sets`;

beforeEach(async () => {
  shop = await given.shop();
  const products = [
    given.product({ id: 'mug', price: '12.50 USD', product_type: 'Mugs', inventory: 5, custom_label_0: 'Gift' }),
    given.product({ id: 'kettle', price: '49.00 USD', sale_price: '39.00 USD', product_type: 'Coffee makers' }),
    given.product({
      id: 'press',
      price: '29.00 USD',
      google_product_category: 'Home > Kitchen',
      custom_label_4: '100%',
    }),
  ];
  const { body } = await shop.api.put(`${shop.catalog}/products`, { json: { products } });
  keys = Object.fromEntries(body.data.products_response.map(({ id, product_key }: Json) => [id, product_key]));
});

const create = (json: Json) => shop.api.post(sets(), { json });
const manual = (...ids: string[]) =>
  create({ name: 'Some', type: 'MANUAL', product_keys: ids.map((id) => keys[id] ?? id) });
const filtered = (...filters: Json[]) => create({ name: 'Matching', type: 'FILTERED', filters });
const read = async ({ id }: Json) => (await shop.api.get(`${sets()}/${id}`)).body.data;

describe('sets of type MANUAL', () => {
  it('are created, read, changed, listed and deleted', async () => {
    const created = await manual('mug', 'press', 'mug');
    expect([created.status, created.body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d{16}$/),
        name: 'Some',
        description: null,
        type: 'MANUAL',
        filters: [],
        product_ids: [keys.press, keys.mug],
        processing_status: 'DONE',
      },
    ]);
    const one = `${sets()}/${created.body.data.id}`;
    expect((await shop.api.get(one)).body.data).toEqual(created.body.data);
    const changes = { name: 'Others', description: 'For winter', product_keys: [keys.kettle] };
    const changed = (await shop.api.put(one, { json: changes })).body.data;
    expect(changed).toMatchObject({ name: 'Others', description: 'For winter', product_ids: [keys.kettle] });
    expect((await shop.api.put(one, { json: { description: null } })).body.data).toMatchObject({
      name: 'Others',
      description: null,
    });
    const { body } = await manual('mug');
    const listed = (await shop.api.get(sets())).body.data;
    expect(listed.map(({ id, product_ids }: Json) => [id, product_ids])).toEqual([
      [body.data.id, [keys.mug]],
      [changed.id, [keys.kettle]],
    ]);
    expect((await shop.api.delete(one)).body.data).toMatchObject({ id: changed.id });
    for (const answer of [await shop.api.delete(one), await shop.api.get(one), await shop.api.put(one, { json: {} })])
      expect(refusal(answer)).toEqual([404, [['NOT_FOUND', 'product_set_id']]]);
  });

  it('name products of the catalog, and lose those that are deleted', async () => {
    const other = await given.shop();
    const foreign = await other.api.put(`${other.catalog}/products`, { json: { products: [given.product()] } });
    const key = foreign.body.data.products_response[0].product_key;
    expect(refusal(await manual('mug', key))).toEqual([400, [['INVALID_PARAMETER', 'product_keys']]]);
    const { id } = (await manual('mug', 'press')).body.data;
    await shop.api.delete(`${shop.catalog}/products`, { json: { product_keys: [keys.mug] } });
    expect((await shop.api.get(`${sets()}/${id}`)).body.data.product_ids).toEqual([keys.press]);
    expect(refusal(await shop.api.put(`${sets()}/${id}`, { json: { product_keys: [keys.mug] } }))).toEqual([
      400,
      [['INVALID_PARAMETER', 'product_keys']],
    ]);
  });
});

describe('sets of type FILTERED', () => {
  const FILTERS: [string, string, string | number, string[]][] = [
    ['price', 'GREATER_THAN', '12.5', ['press', 'kettle']],
    ['price', 'LESS_THAN', 28.5, ['mug']],
    ['price', 'EQUAL_TO', '29.00', ['press']],
    ['sale_price', 'LESS_THAN', '100', ['kettle']],
    ['inventory', 'GREATER_THAN', 4, ['mug']],
    ['inventory', 'LESS_THAN', 2_147_483_647, ['mug']],
    ['product_type', 'MATCH', 'mugs', ['mug']],
    ['product_type', 'EQUAL_TO', 'Coffee', []],
    ['product_type', 'CONTAINS', 'COFFEE', ['kettle']],
    ['product_type', 'NOT_CONTAINS', 'coffee', ['press', 'mug']],
    ['google_product_category', 'CONTAINS', '> kit', ['press']],
    ['custom_label_0', 'MATCH', 'gift', ['mug']],
    ['custom_label_4', 'CONTAINS', '%', ['press']],
  ];

  it.each(FILTERS)('have the products whose %s is %s %s', async (attribute, operator, value, ids) => {
    const { status, body } = await filtered({ attribute, operator, value });
    expect([status, body.data.product_ids]).toEqual([201, null]);
    expect(await read(body.data)).toEqual({
      ...body.data,
      filters: [{ attribute, operator, value: String(value) }],
      product_ids: ids.map((id) => keys[id]),
    });
  });

  it('have the products that match all filters when they are read', async () => {
    const { body } = await filtered(
      { attribute: 'price', operator: 'LESS_THAN', value: '30' },
      { attribute: 'custom_label_0', operator: 'NOT_CONTAINS', value: 'gift' },
    );
    expect((await read(body.data)).product_ids).toEqual([keys.press]);
    const products = [given.product({ id: 'spoon', price: '3.00 USD' })];
    const added = await shop.api.put(`${shop.catalog}/products`, { json: { products } });
    const spoon = added.body.data.products_response[0].product_key;
    const one = `${sets()}/${body.data.id}`;
    expect((await shop.api.get(one)).body.data.product_ids).toEqual([spoon, keys.press]);
    expect((await shop.api.get(sets())).body.data).toMatchObject([{ id: body.data.id, product_ids: null }]);
    expect(refusal(await shop.api.put(one, { json: { name: 'Another' } }))).toEqual([
      400,
      [['INVALID_PARAMETER', 'product_set_id']],
    ]);
    const deleted = await shop.api.delete(one);
    expect([deleted.status, deleted.body.data.product_ids]).toEqual([200, null]);
  });

  it('look at all products in slices, within a time, and name at most 1,000', async () => {
    const catalogId = shop.catalog.split('/').at(-1)!;
    await world().sql(
      `INSERT INTO products ("catalogId", "productKey", "merchantId", "groupKey", attributes, bytes, "priceMicro", "productType", "createdAt", "updatedAt")
       SELECT "catalogId", 'a' || n, 'a' || n, 'p:a' || n, attributes, bytes, "priceMicro", 'Spoon', "createdAt", "updatedAt" FROM products, generate_series(1001, 3000) n WHERE "productKey" = $1`,
      keys.mug,
    );
    const mugs = [{ attribute: 'product_type', operator: 'MATCH', value: 'mugs' }] as const;
    const spoons = (await filtered({ attribute: 'product_type', operator: 'MATCH', value: 'SPOON' })).body.data;
    expect((await read((await filtered(...mugs)).body.data)).product_ids).toEqual([keys.mug]);
    expect((await read(spoons)).product_ids).toEqual(Array.from({ length: 1_000 }, (_, n) => `a${3_000 - n}`));
    const { manager } = world().get(DataSource);
    const late = keysOfMatching(manager, { catalogId, userId: shop.user.id }, mugs, { limit: 1_000, timeoutMs: 0 });
    await expect(late).rejects.toThrow(NoAnswer);
  });

  it.each([
    [{ attribute: 'custom_field_5', operator: 'MATCH', value: 'x' }, 'filters[0].attribute'],
    [{ attribute: 'price', operator: 'CONTAINS', value: '1' }, 'filters[0].operator'],
    [{ attribute: 'color', operator: 'MATCH', value: 'x' }, 'filters[0].attribute'],
    [{ attribute: 'product_type', operator: 'LESS_THAN', value: 'x' }, 'filters[0].operator'],
    [{ attribute: 'price', operator: 'LESS_THAN', value: 'cheap' }, 'filters[0].value'],
    [{ attribute: 'inventory', operator: 'EQUAL_TO', value: '1.5' }, 'filters[0].value'],
    [{ attribute: 'inventory', operator: 'LESS_THAN', value: '2147483648' }, 'filters[0].value'],
  ])('reject the filter %j', async (filter, parameter) => {
    expect(refusal(await filtered(filter))).toEqual([400, [['INVALID_PARAMETER', parameter]]]);
  });
});

describe('sets', () => {
  it('have products or filters, by their type', async () => {
    const filters = [{ attribute: 'inventory', operator: 'EQUAL_TO', value: 1 }];
    expect(refusal(await create({ name: 'A', type: 'MANUAL', filters }))).toEqual([
      400,
      [
        ['MISSING_PARAMETER', 'product_keys'],
        ['INVALID_PARAMETER', 'filters'],
      ],
    ]);
    expect(refusal(await create({ name: 'A', type: 'FILTERED' }))).toEqual([400, [['MISSING_PARAMETER', 'filters']]]);
    expect(refusal(await create({ type: 'OTHER' }))).toEqual([
      400,
      [
        ['MISSING_PARAMETER', 'name'],
        ['INVALID_PARAMETER', 'type'],
      ],
    ]);
    expect((await manual(...Array.from({ length: 51 }, (_, n) => `${n}`))).status).toBe(400);
    expect((await filtered(...Array.from({ length: 31 }, () => filters[0]))).status).toBe(400);
  });

  it('are of their user, end with the catalog, and are exported', async () => {
    const { id } = (await manual('mug')).body.data;
    const { api } = await given.client();
    const notFound = [404, [['NOT_FOUND', 'product_catalog_id']]];
    const json = { name: 'Mine', type: 'MANUAL', product_keys: [keys.mug] };
    for (const answer of [
      await api.get(sets()),
      await api.get(`${sets()}/${id}`),
      await api.post(sets(), { json }),
      await api.put(`${sets()}/${id}`, { json: { name: 'Mine' } }),
      await api.delete(`${sets()}/${id}`),
    ])
      expect(refusal(answer)).toEqual(notFound);
    let text = '';
    for await (const part of exportText(world().get(CatalogsExport).sections(shop.user.id))) text += part;
    expect(JSON.parse(text).product_sets).toMatchObject([{ id, product_keys: [keys.mug] }]);
    await shop.api.delete(shop.catalog);
    expect(await world().sql(`SELECT id FROM product_sets WHERE id = $1`, id)).toEqual([]);
  });

  it('are at most 100 in a catalog', async () => {
    const { id } = (await manual('mug')).body.data;
    await world().sql(
      `INSERT INTO product_sets SELECT id || n, "catalogId", name, description, type, "productKeys", filters, "createdAt", "updatedAt" FROM product_sets, generate_series(1, 98) n WHERE id = $1`,
      id,
    );
    const answers = await Promise.all([manual('mug'), manual('mug'), manual('mug')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(refusal(answers.find(({ status }) => status === 400)!)).toEqual([
      400,
      [['TOO_MANY_PRODUCT_SETS', undefined]],
    ]);
  });
});
