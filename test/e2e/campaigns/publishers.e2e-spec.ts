import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { PublishersService } from '../../../src/campaigns/reference/publishers/publishers.service.js';
import { PublisherView } from '../../../src/campaigns/reference/publishers/publisher.presenter.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Client } from '../../support/given.js';
import { unlike } from '../../support/list-conventions.js';

useApp();

let client: Client;
beforeAll(async () => void (client = await given.client()));
const list = async (query: Params = {}): Promise<Json> => (await client.api.get('/12/publishers', { query })).body;
const idsOf = (body: Json): string[] => body.data.map(({ user_id }: Json) => user_id);

// every account sees all of them, so that these tests follow one another
it('are none in an empty store', async () => {
  expect(await list({ with_total_count: true })).toEqual({
    request: { params: { with_total_count: true } },
    next_cursor: null,
    total_count: 0,
    data: [],
  });
});

it('have their fields in the order of the documents', async () => {
  const made = await given.publisher({
    monetizable_country_codes: ['US', 'CA'],
    promotion_eligible_country_codes: ['US'],
    monetization_restricted: true,
    content_category_ids: ['se', 'sk'],
  });
  const body = await list();
  expect(Object.keys(body)).toEqual(['request', 'next_cursor', 'data']);
  expect(Object.entries(body.data[0])).toEqual([
    ['monetizable_country_codes', ['US', 'CA']],
    ['promotion_eligible_country_codes', ['US']],
    ['username', made.username],
    ['user_id', made.userId],
    ['monetization_restricted', true],
    ['content_category_ids', ['se', 'sk']],
  ]);
  const plain = await given.publisher();
  const [newest] = (await list()).data;
  expect(unlike(PublisherView, newest)).toEqual([]);
  expect(newest).toMatchObject({
    user_id: plain.userId,
    monetizable_country_codes: [],
    monetization_restricted: false,
  });
});

it('come newest first, page by page, each once', async () => {
  for (let i = 0; i < 5; i++) await given.publisher();
  const all = idsOf(await list());
  expect(all).toHaveLength(7);
  const walked: string[] = [];
  for (let cursor: string | undefined; ;) {
    const body = await list({ count: 3, cursor });
    walked.push(...idsOf(body));
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  expect(walked).toEqual(all);
  expect(idsOf(await list({ sort_by: 'created_at-asc' }))).toEqual([...all].reverse());
  expect((await list({ with_total_count: true, count: 2 })).total_count).toBe(7);
});

it('go away when they are deleted, and can come back', async () => {
  const made = await given.publisher();
  const publishers = world().get(PublishersService);
  expect(await publishers.delete(made.userId)).toMatchObject({ userId: made.userId });
  expect(idsOf(await list())).not.toContain(made.userId);
  expect(idsOf(await list({ with_deleted: true }))).toContain(made.userId);
  expect(await publishers.delete(made.userId)).toBeUndefined();
  await publishers.create([{ user_id: made.userId }]);
  expect(idsOf(await list())[0]).toBe(made.userId);
});

it('are made of users that exist, of content categories that exist, and once', async () => {
  const publishers = world().get(PublishersService);
  const { user } = await given.client();
  const make = (more: object) => publishers.create([{ user_id: user.id, ...more }]);
  await expect(make({ content_category_ids: ['se', 'zz'] })).rejects.toThrow(/content categories/);
  await expect(publishers.create([{ user_id: '1' }])).rejects.toThrow(/no user 1/);
  const at = await Promise.allSettled([make({}), make({}), make({})]);
  expect(at.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(make({})).rejects.toThrow(/publisher already/);
  // all of them or none
  const another = await world().get(CredentialsService).createUser('another_one');
  await expect(publishers.create([{ user_id: another.id }, { user_id: user.id }])).rejects.toThrow(/already/);
  expect(await publishers.of([another.id])).toEqual([]);
});

it.each([
  ['count', '0'],
  ['count', '1001'],
  ['cursor', 'x'],
  ['sort_by', 'username-asc'],
  ['with_deleted', 'perhaps'],
])('refuse %s=%s', async (name, value) => {
  expect(await list({ [name]: value })).toMatchObject({ errors: [{ code: 'INVALID_PARAMETER', parameter: name }] });
});
