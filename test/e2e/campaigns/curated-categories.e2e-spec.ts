import { COUNTRIES } from '../../../src/audiences/locations/countries.js';
import { CuratedCategoriesService } from '../../../src/campaigns/reference/curated-categories/curated-categories.service.js';
import { CuratedCategory } from '../../../src/campaigns/entities/curated-category.entity.js';
import { CuratedCategoryView } from '../../../src/campaigns/reference/curated-categories/curated-category.presenter.js';
import { PublishersService } from '../../../src/campaigns/reference/publishers/publishers.service.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { base36Ids, listConventions } from '../../support/list-conventions.js';

useApp();

let used = 0;
/** A country in which nothing can be targeted yet: every account sees the same categories, and so keeps them apart. */
const country = (): string => COUNTRIES[++used].code;
const NOWHERE = COUNTRIES[0].code;

describe('curated categories', () => {
  const names = ['bears', 'Apes', 'bees', 'cats', 'BEARS', 'ants', 'dogs', 'apes', 'cows'];
  listConventions({
    path: (account) => `/12/accounts/${account.id}/curated_categories`,
    parent: { make: async () => ({ id: country() }), nobodys: NOWHERE },
    required: ({ id }) => ({ country_codes: [id] }),
    make: (_, n, { id }) => given.curatedCategory({ name: names[n], country_codes: [id] }),
    makeMany: (_, count, { id }) =>
      world()
        .get(CuratedCategoriesService)
        .create(Array.from({ length: count }, (__, i) => ({ name: `n${i}`, description: 'x', country_codes: [id] }))),
    remove: (_, id) => world().get(CuratedCategoriesService).delete(id),
    view: CuratedCategoryView,
    entity: CuratedCategory,
    idsFilter: null,
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
    hidden: { deleted: (n) => [1, 4].includes(n) },
    alwaysCounts: true,
  });

  it('have their fields in the order of the documents, and say how many there are', async () => {
    const { account, api } = await given.advertiser();
    const publishers = [await given.publisher(), await given.publisher()];
    const codes = [country(), country()];
    const made = await given.curatedCategory({
      name: 'Basketball',
      description: 'Games and plays',
      country_codes: codes,
      publisher_user_ids: publishers.map(({ userId }) => userId),
      videos_monetized_in_last_thirty_days: 12,
    });
    const path = `/12/accounts/${account.id}/curated_categories`;
    const { status, body } = await api.get(path, { query: { country_codes: codes[1] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      request: { params: { account_id: account.id, country_codes: [codes[1]] } },
      next_cursor: null,
      total_count: 1,
    });
    expect(Object.entries(body.data[0])).toEqual([
      ['name', 'Basketball'],
      ['description', 'Games and plays'],
      ['country_codes', codes],
      ['publisher_user_ids', publishers.map(({ userId }) => userId)],
      ['id', made.id],
      ['created_at', expect.stringMatching(/^20\d\d-.*Z$/)],
      ['updated_at', body.data[0].created_at],
      ['videos_monetized_in_last_thirty_days', 12],
    ]);
    expect((await api.get(`${path}/${made.id}`)).body).toEqual({
      request: { params: { account_id: account.id, curated_category_id: made.id } },
      data: body.data[0],
    });
  });

  it('are found by any of several countries, once each, and counted on every page', async () => {
    const { account, api } = await given.advertiser();
    const [one, other, third] = [country(), country(), country()];
    const both = await given.curatedCategory({ country_codes: [one, other] });
    const single = await given.curatedCategory({ country_codes: [other] });
    await given.curatedCategory({ country_codes: [third] });
    const path = `/12/accounts/${account.id}/curated_categories`;
    const query = { country_codes: `${one},${other}` };
    const { body } = await api.get(path, { query });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([single.id, both.id]);
    const first = await api.get(path, { query: { ...query, count: 1 } });
    // the order of a filter is no part of it
    const cursor = first.body.next_cursor as string;
    const second = await api.get(path, { query: { country_codes: `${other},${one}`, count: 1, cursor } });
    expect([first, second].map((each) => each.body.total_count)).toEqual([2, 2]);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([both.id]);
    expect((await api.get(path, { query: { country_codes: one, cursor } })).status).toBe(400);
  });

  it('are the same for every account, in the sandbox too', async () => {
    const code = country();
    const made = await given.curatedCategory({ country_codes: [code] });
    for (const environment of ['production', 'sandbox'] as const) {
      const { account, api } = await given.advertiser({ environment });
      const { body } = await api.get(`/12/accounts/${account.id}/curated_categories`, {
        query: { country_codes: code },
      });
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made.id]);
    }
  });

  it.each([
    ['what is no country', 'XX', /country code of ISO 3166-1 alpha-2/],
    ['small letters, with what was meant', 'us', /country code/],
    ['an empty element', 'US,', /without empty elements/],
    ['an empty list', '', /without empty elements/],
    [
      'more than 200',
      COUNTRIES.slice(0, 201)
        .map(({ code }) => code)
        .join(','),
      /A maximum of 200 items/,
    ],
  ])('refuse %s', async (_, country_codes, message) => {
    const { account, api } = await given.advertiser();
    const { status, body } = await api.get(`/12/accounts/${account.id}/curated_categories`, {
      query: { country_codes },
    });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { code: 'INVALID_PARAMETER', parameter: 'country_codes', message: expect.stringMatching(message) },
    ]);
  });

  it('are not found once they are deleted, unless with_deleted says so', async () => {
    const { account, api } = await given.advertiser();
    const made = await given.curatedCategory();
    const path = `/12/accounts/${account.id}/curated_categories/${made.id}`;
    expect((await api.get(path)).status).toBe(200);
    await world().get(CuratedCategoriesService).delete(made.id);
    expect(await api.get(path)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'NOT_FOUND', parameter: 'curated_category_id', value: made.id }] },
    });
    expect(await api.get(path, { query: { with_deleted: true } })).toMatchObject({
      status: 200,
      body: { data: { id: made.id } },
    });
    const unknown = `/12/accounts/${account.id}/curated_categories/${base36Ids(0)}`;
    expect((await api.get(unknown, { query: { with_deleted: true } })).status).toBe(404);
    expect(await world().get(CuratedCategoriesService).get(made.id)).toBeUndefined();
  });

  it('lose a publisher who is none any more, and name nobody who is none', async () => {
    const [gone, stays] = [await given.publisher(), await given.publisher()];
    const { account, api } = await given.advertiser();
    const made = await given.curatedCategory({ publisher_user_ids: [gone.userId, stays.userId] });
    await world().get(PublishersService).delete(gone.userId);
    const { body } = await api.get(`/12/accounts/${account.id}/curated_categories/${made.id}`);
    expect(body.data.publisher_user_ids).toEqual([stays.userId]);
    await expect(given.curatedCategory({ publisher_user_ids: [gone.userId] })).rejects.toThrow(/no publisher/);
  });

  it('never name a publisher who goes at the same moment', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 8; round++) {
      const publisher = await given.publisher();
      const [made] = await Promise.allSettled([
        given.curatedCategory({ publisher_user_ids: [publisher.userId] }),
        world().get(PublishersService).delete(publisher.userId),
      ]);
      if (made.status === 'fulfilled') ids.push(made.value.id);
    }
    const orphans = await world().sql(
      `SELECT 1 FROM curated_categories c, unnest(c."publisherUserIds") AS named
        WHERE c.id = ANY($1) AND NOT EXISTS (SELECT FROM publishers p WHERE p."userId" = named AND p."deletedAt" IS NULL)`,
      ids,
    );
    expect(orphans).toEqual([]);
  });
});
