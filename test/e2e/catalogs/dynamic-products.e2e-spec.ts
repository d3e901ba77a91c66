import { useSharedApp, world } from '../../support/app.js';
import { anonymously, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';

useSharedApp();

const refusal = ({ status, body }: Answer) => [
  status,
  body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
];

let advertiser: Advertiser;
let set: Awaited<ReturnType<typeof given.productSet>>;
let tag: string;
let campaign: { id: string };

beforeEach(async () => {
  advertiser = await given.advertiser();
  set = await given.productSet(advertiser.account);
  tag = (await given.webEventTag({ account: advertiser.account })).id;
  campaign = await given.campaign({ account: advertiser.account });
});

const base = () => `/12/accounts/${advertiser.account.id}`;
const params = (more: Params = {}): Params => ({
  campaign_id: campaign.id,
  objective: 'WEBSITE_CLICKS',
  goal: 'WEBSITE_CONVERSIONS',
  product_type: 'PROMOTED_POSTS',
  placements: 'ALL_ON_PLATFORM',
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2036-01-01T00:00:00Z',
  primary_web_event_tag: tag,
  creative_source: 'DYNAMIC_PRODUCT_CREATIVE',
  catalog_id: set.catalog_id,
  product_set_id: set.product_set_id,
  ...more,
});
const create = (more: Params = {}, { api } = advertiser) => api.post(`${base()}/line_items`, { query: params(more) });
const update = (id: string, query: Params, { api } = advertiser) => api.put(`${base()}/line_items/${id}`, { query });
const item = async (more: Params = {}): Promise<Json> => {
  const { status, body } = await create(more);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};

describe('line items that advertise products', () => {
  it('name a catalog and a set of the user', async () => {
    const { id, ...created } = await item();
    const shown = {
      creative_source: 'DYNAMIC_PRODUCT_CREATIVE',
      catalog_id: set.catalog_id,
      product_set_id: set.product_set_id,
    };
    expect(created).toMatchObject(shown);
    expect((await advertiser.api.get(`${base()}/line_items/${id}`)).body.data).toMatchObject(shown);
    const { body } = await advertiser.api.get(`${base()}/account_history`, {
      query: {
        entity_type: 'LINE_ITEM',
        entity_id: id,
        start_time: '2026-09-01T00:00:00Z',
        end_time: '2027-09-01T00:00:00Z',
      },
    });
    expect(JSON.stringify(body.data)).toContain(`"product_set_id":"${set.product_set_id}"`);
    const others = await item({
      ...{ creative_source: undefined, catalog_id: undefined, product_set_id: undefined },
      ...{ goal: 'LINK_CLICKS', primary_web_event_tag: undefined },
    });
    expect(others).toMatchObject({ creative_source: 'MANUAL', catalog_id: null, product_set_id: null });
  });

  it('have the objective, goal and product that X requires, and a set only with them', async () => {
    const cases: [more: Params, errors: string[][], status?: number][] = [
      [{ goal: 'LINK_CLICKS' }, [['INVALID_PARAMETER', 'goal']]],
      [{ goal: undefined }, [['MISSING_PARAMETER', 'goal']]],
      [{ product_type: 'MEDIA', placements: 'TAP_FULL' }, [['INVALID_PARAMETER', 'product_type']]],
      [{ primary_web_event_tag: undefined }, [['MISSING_PARAMETER', 'primary_web_event_tag']]],
      [{ catalog_id: undefined }, [['MISSING_PARAMETER', 'catalog_id']]],
      [{ product_set_id: '' }, [['MISSING_PARAMETER', 'product_set_id']]],
      [{ catalog_id: 'shop' }, [['INVALID_PARAMETER', 'catalog_id']]],
      [{ creative_source: 'AUTOMATIC' }, [['INVALID_PARAMETER', 'creative_source']]],
      [
        { creative_source: 'MANUAL' },
        [
          ['INVALID_PARAMETER', 'catalog_id'],
          ['INVALID_PARAMETER', 'product_set_id'],
        ],
      ],
      [{ product_set_id: '1' }, [['NOT_FOUND', 'product_set_id']], 404],
      [{ catalog_id: '1' }, [['NOT_FOUND', 'catalog_id']], 404],
    ];
    for (const [more, errors, status = 400] of cases)
      expect([more, ...refusal(await create(more))]).toEqual([more, status, errors]);
    const { body } = await create({ objective: 'ENGAGEMENTS', goal: undefined });
    expect(body.errors[0].message).toBe('Expected a value in WEBSITE_CLICKS, got "ENGAGEMENTS" for objective');
  });

  it('do not name those of other users, who get the same errors as for unknown ones', async () => {
    const stranger = await given.advertiser();
    const theirs = await given.productSet(stranger.account);
    const answer = (more: Params) => create(more).then(refusal);
    expect(await answer({ catalog_id: theirs.catalog_id, product_set_id: theirs.product_set_id })).toEqual(
      await answer({ catalog_id: '1', product_set_id: '2' }),
    );
    expect(await answer({ product_set_id: theirs.product_set_id })).toEqual(await answer({ product_set_id: '2' }));
    const { id } = await item();
    expect(refusal(await update(id, { catalog_id: theirs.catalog_id, product_set_id: theirs.product_set_id }))).toEqual(
      [404, [['NOT_FOUND', 'catalog_id']]],
    );
    // a colleague changes everything else, and sends back what they read
    const colleague = await given.member(advertiser.account, 'AD_MANAGER');
    const same = { catalog_id: set.catalog_id, product_set_id: set.product_set_id };
    expect((await update(id, { name: 'Ours', ...same }, colleague)).body.data).toMatchObject({ name: 'Ours', ...same });
    expect(refusal(await create({}, colleague))).toEqual([404, [['NOT_FOUND', 'catalog_id']]]);
    expect(refusal(await update(id, { product_set_id: '1' }, colleague))).toEqual([
      404,
      [['NOT_FOUND', 'product_set_id']],
    ]);
  });

  it('change their set, and keep their source', async () => {
    const { id } = await item();
    const json = { name: 'Other', type: 'MANUAL', product_keys: set.keys };
    const other = (await advertiser.api.post(`${set.catalog}/product_sets`, { json })).body.data.id as string;
    expect((await update(id, { product_set_id: other })).body.data).toMatchObject({
      catalog_id: set.catalog_id,
      product_set_id: other,
    });
    expect(refusal(await update(id, { creative_source: 'MANUAL' }))).toEqual([
      400,
      [['INVALID_PARAMETER', 'creative_source']],
    ]);
    expect(refusal(await update(id, { product_set_id: '' }))).toEqual([400, [['MISSING_PARAMETER', 'product_set_id']]]);
    expect(refusal(await update(id, { goal: 'LINK_CLICKS' }))).toEqual([400, [['INVALID_PARAMETER', 'goal']]]);
  });

  it('keep the ids of what is deleted', async () => {
    const { id } = await item();
    await advertiser.api.delete(`${set.catalog}/product_sets/${set.product_set_id}`);
    expect((await update(id, { name: 'Still there' })).body.data).toMatchObject({
      name: 'Still there',
      product_set_id: set.product_set_id,
    });
    await advertiser.api.delete(set.catalog);
    const again = await given.productSet(advertiser.account);
    expect(refusal(await update(id, { catalog_id: again.catalog_id }))).toEqual([
      404,
      [['NOT_FOUND', 'product_set_id']],
    ]);
    const both = { catalog_id: again.catalog_id, product_set_id: again.product_set_id };
    expect((await update(id, both)).body.data).toMatchObject(both);
  });

  it('are created and changed in batches, with one error for each wrong set', async () => {
    const batch = (json: Json[]) =>
      advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/line_items`, { json });
    const operation = (more: Params = {}) => ({
      operation_type: 'Create',
      params: { ...params(more), placements: ['ALL_ON_PLATFORM'] },
    });
    const { status, body } = await batch([operation(), operation({ name: 'Second' })]);
    expect([status, body.data.map((each: Json) => each.product_set_id)]).toEqual([
      200,
      [set.product_set_id, set.product_set_id],
    ]);
    const wrong = await batch([operation(), operation({ product_set_id: '1' })]);
    expect([wrong.status, wrong.body.operation_errors]).toEqual([
      expect.any(Number),
      [[], [expect.objectContaining({ code: 'NOT_FOUND', parameter: 'product_set_id' })]],
    ]);
    expect(await world().sql(`SELECT 1 FROM line_items WHERE "productSetId" = '1'`)).toEqual([]);
  });
});

describe('dynamic product cards', () => {
  const cards = (id = '') => `${base()}/dynamic_product_cards${id && `/${id}`}`;
  const url = 'https://twitter.com?utm_source=%7B%7Bsite_source%7D%7D';
  const card = async (json: Json = { url }) => (await advertiser.api.post(cards(), { json })).body.data;

  it('are created from a URL of the platform and a type, read, changed and deleted', async () => {
    const created = await card();
    expect(created).toMatchObject({
      card_uri: `card://${created.id}`,
      card_type: 'DYNAMIC_PRODUCTS',
      name: 'Dynamic products',
      url,
      creative_type: 'CAROUSEL',
    });
    expect((await advertiser.api.get(cards(created.id))).body.data).toEqual(created);
    const changed = await advertiser.api.put(cards(created.id), { json: { creative_type: 'SINGLE', name: 'Shoes' } });
    expect(changed.body.data).toMatchObject({ url, creative_type: 'SINGLE', name: 'Shoes' });
    const all = await advertiser.api.get(`${base()}/cards/all`, { query: { card_uris: created.card_uri } });
    expect(all.body.data).toEqual([changed.body.data]);
    expect((await advertiser.api.delete(cards(created.id))).body.data).toMatchObject({ deleted: true });
    expect(refusal(await advertiser.api.get(cards(created.id)))).toEqual([404, [['NOT_FOUND', 'card_id']]]);
  });

  it.each([
    [{}, 'MISSING_PARAMETER', 'url'],
    [{ url: 'https://shop.example' }, 'INVALID_PARAMETER', 'url'],
    [{ url: 'https://twitter.com.shop.example' }, 'INVALID_PARAMETER', 'url'],
    [{ url: 'https://twitter.com@shop.example' }, 'INVALID_PARAMETER', 'url'],
    [{ url: 'http://twitter.com' }, 'INVALID_PARAMETER', 'url'],
    [{ url, creative_type: 'GRID' }, 'INVALID_PARAMETER', 'creative_type'],
  ])('are rejected with %j', async (json, code, parameter) => {
    expect(refusal(await advertiser.api.post(cards(), { json }))).toEqual([400, [[code, parameter]]]);
  });

  it('are those of posts with dynamic_product_ad, which line items with products promote, and no others', async () => {
    const { card_uri } = await card();
    const website = `card://${(await given.card(advertiser.account)).id}`;
    const post = (more: Params) =>
      advertiser.api.post(`${base()}/post`, {
        query: { as_user_id: advertiser.account.userId, text: 'Shoes', name: 'Ad', ...more },
      });
    const cases: [Params, string[][]][] = [
      [{ card_uri }, [['INVALID_PARAMETER', 'card_uri']]],
      [{ card_uri, dynamic_product_ad: 'maybe' }, [['INVALID_PARAMETER', 'dynamic_product_ad']]],
      [{ dynamic_product_ad: true }, [['MISSING_PARAMETER', 'card_uri']]],
      [{ dynamic_product_ad: true, card_uri: website }, [['INVALID_PARAMETER', 'card_uri']]],
      [{ dynamic_product_ad: true, card_uri, nullcast: false }, [['INVALID_PARAMETER', 'nullcast']]],
    ];
    for (const [more, errors] of cases) expect([more, ...refusal(await post(more))]).toEqual([more, 400, errors]);
    for (const path of ['draft_posts', 'scheduled_posts'])
      expect(
        refusal(
          await advertiser.api.post(`${base()}/${path}`, {
            query: {
              as_user_id: advertiser.account.userId,
              text: 'Shoes',
              card_uri,
              ...(path === 'scheduled_posts' && {
                scheduled_at: new Date(world().clock.now().getTime() + 86_400_000).toISOString(),
              }),
            },
          }),
        ),
      ).toEqual([400, [['INVALID_PARAMETER', 'card_uri']]]);
    const { status, body } = await post({ dynamic_product_ad: true, card_uri });
    expect([status, body.data]).toMatchObject([201, { card_uri, dynamic_product_ad: true }]);
    const dynamic: string = body.data.id_str;
    const plain: string = (await post({ card_uri: website })).body.data.id_str;
    const listed = await advertiser.api.get(`${base()}/posts`, {
      query: { post_type: 'PUBLISHED', post_ids: `${dynamic},${plain}` },
    });
    expect(
      listed.body.data.map(({ post_id, dynamic_product_ad }: Json) => [post_id, dynamic_product_ad]).toSorted(),
    ).toEqual([
      [dynamic, true],
      [plain, undefined],
    ]);
    const promote = (line_item_id: string, post_ids: string) =>
      advertiser.api.post(`${base()}/promoted_posts`, { query: { line_item_id, post_ids } });
    const { id: products } = await item();
    const { id: clicks } = await item({
      ...{ creative_source: undefined, catalog_id: undefined, product_set_id: undefined },
      ...{ goal: 'LINK_CLICKS', primary_web_event_tag: undefined },
    });
    expect((await promote(products, dynamic)).status).toBe(201);
    expect((await promote(clicks, plain)).status).toBe(201);
    const wrong = [400, [['INVALID_PARAMETER', 'post_ids']]];
    expect([refusal(await promote(products, plain)), refusal(await promote(clicks, dynamic))]).toEqual([wrong, wrong]);
    // it serves like any other
    expect((await advertiser.api.get(`${base()}/line_items/${products}`)).body.data).toMatchObject({ servable: true });
  });

  it('show the available products of the set on the page of a preview, to the user of the catalog alone', async () => {
    const stored = await advertiser.api.put(`${set.catalog}/products`, {
      json: {
        products: [
          given.product({ title: 'Boots & laces', price: '80.00 USD', link: 'https://shop.example/boots?size=9' }),
          given.product({ title: 'Sold clogs', availability: 'out of stock' }),
        ],
      },
    });
    const keys = stored.body.data.products_response.map(({ product_key }: Json) => product_key);
    const json = { name: 'Shown', type: 'MANUAL', product_keys: [...set.keys, ...keys] };
    const shown = (await advertiser.api.post(`${set.catalog}/product_sets`, { json })).body.data.id;
    const { id: line_item_id } = await item({ product_set_id: shown });
    const { card_uri } = await card();
    const query = { as_user_id: advertiser.account.userId, text: 'Shoes', card_uri, dynamic_product_ad: true };
    const { id_str: post_ids } = (await advertiser.api.post(`${base()}/post`, { query })).body.data;
    const preview = async ({ api } = advertiser) => {
      const { body } = await api.get(`${base()}/post_previews`, { query: { post_type: 'PUBLISHED', post_ids } });
      const [, url] = /src='([^']+)'/.exec(String(body.data[0].preview))!;
      const path = new URL(url.replaceAll('&amp;', '&')).pathname;
      return (await anonymously('GET', path)).text;
    };
    expect(await preview()).toContain('as soon as a line item promotes the post');
    await advertiser.api.post(`${base()}/promoted_posts`, { query: { line_item_id, post_ids } });
    const page = await preview();
    expect(page).toContain('Boots &amp; laces');
    expect(page).toContain('80.00 USD');
    expect(page).toContain('https://shop.example/boots?size=9&amp;utm_source=%7B%7Bsite_source%7D%7D');
    expect(page).toContain('Trail shoe');
    expect(page).not.toContain('Sold clogs');
    const colleague = await given.member(advertiser.account, 'AD_MANAGER');
    const theirs = await preview(colleague);
    expect(theirs).toContain('only the user of its catalog');
    expect(theirs).not.toMatch(/Boots|shop\.example/);
    await advertiser.api.delete(`${set.catalog}/product_sets/${shown}`);
    expect(await preview()).not.toContain('Boots');
  });
});
