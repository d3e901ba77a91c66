import { DataSource } from 'typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { enqueue } from '../../../src/common/jobs/enqueue.js';
import { ScheduledPost } from '../../../src/creatives/entities/scheduled-post.entity.js';
import { ScheduledPostView } from '../../../src/creatives/scheduled-posts/scheduled-post.presenter.js';
import {
  PUBLISH_SCHEDULED_POSTS,
  ScheduledPostsJob,
} from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { ScheduledPostsService } from '../../../src/creatives/scheduled-posts/scheduled-posts.service.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';
import { refusal } from './refusal.js';

useApp();

const MINUTE = 60_000;

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id?: string, account = advertiser.account) =>
  `/12/accounts/${account.id}/scheduled_posts${id ? `/${id}` : ''}`;
/** A whole minute, so many of them ahead. */
const ahead = (minutes: number) =>
  `${new Date(Math.floor(world().clock.now().getTime() / MINUTE + minutes) * MINUTE).toISOString().slice(0, 19)}Z`;
const create = (params: Params, by = advertiser) =>
  by.api.post(path(undefined, by.account), {
    form: { as_user_id: by.account.userId, scheduled_at: ahead(60), ...params },
  });
const update = (id: string, params: Params, by = advertiser) => by.api.put(path(id, by.account), { form: params });
const made = async (params: Params = { text: 'Our new blend' }, by = advertiser): Promise<Json> => {
  const { status, body } = await create(params, by);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const read = async (id: string, by = advertiser): Promise<Json> => (await by.api.get(path(id, by.account))).body.data;
const publishDue = () => world().get(ScheduledPostsJob).publishDue();
const posts = async (query: Params = {}, by = advertiser): Promise<Json[]> =>
  (await by.api.get(`/12/accounts/${by.account.id}/posts`, { query: { post_type: 'PUBLISHED', ...query } })).body.data;
const history = (type: string, id: string) =>
  world().sql<{ type: string }>(
    `SELECT "changeType" AS type FROM account_changes c WHERE "entityType" = $1 AND "entityId" = $2
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
    type,
    id,
  );

describe('scheduled posts', () => {
  const names = ['Gamma', 'beta', null, 'alphabet', 'ALPHA', null, 'gamma', 'Beta', 'Alpine'];
  const minutes = [600, 300, 500, 900, 300, 800, 500, 700, 400];
  listConventions({
    path: (account) => `/12/accounts/${account.id}/scheduled_posts`,
    make: (account, n) => given.scheduledPost({ account, name: names[n], scheduled_at: ahead(minutes[n]) }),
    makeMany: async (account, count) => {
      for (let n = 0; n < count; n++) await given.scheduledPost({ account, scheduled_at: ahead(100 + n) });
    },
    remove: ({ account }, id) => world().get(ScheduledPostsService).delete(account, id),
    view: ScheduledPostView,
    entity: ScheduledPost,
    idsFilter: null,
    countDefault: 100,
    countMax: 200,
    sortable: ['created_at', 'updated_at', 'deleted', 'name', 'scheduled_at'],
  });

  it('are those of the FULL promotable user, or of one that is named', async () => {
    const other = await given.promotableUser(advertiser.account);
    const own = await made();
    // made while the user was a FULL one
    const theirs = { ...(await made({ text: 'Theirs' })), user_id: other.userId };
    await world().sql('UPDATE scheduled_posts SET "userId" = $2 WHERE id = $1', theirs.id, other.userId);
    const list = async (query: Params = {}) => (await advertiser.api.get(path(), { query })).body.data;
    expect(await list()).toEqual([own]);
    expect(await list({ user_id: other.userId })).toEqual([theirs]);
    expect(refusal(await advertiser.api.get(path(), { query: { user_id: decimalIds(0) } }))).toEqual({
      status: 400,
      errors: [['INVALID_USER_ID', 'user_id']],
    });
  });

  it('are shown among posts', async () => {
    const scheduled = await made({ text: 'Soon #latte', name: 'Soon' });
    const [shown] = await posts({ post_type: 'SCHEDULED' });
    expect(shown).toMatchObject({
      post_id: scheduled.id,
      post_type: 'SCHEDULED',
      scheduled_at: scheduled.scheduled_at,
      scheduled_status: 'SCHEDULED',
      name: 'Soon',
      full_text: 'Soon #latte',
    });
  });
});

describe('scheduling a post', () => {
  it('answers 201 with the whole minute at which it goes live', async () => {
    const at = ahead(90);
    const sent = at.replace(':00Z', ':42Z');
    const { status, body } = await create({ text: 'Soon', scheduled_at: sent, name: 'First' });
    expect(status).toBe(201);
    expect(body.request.params).toMatchObject({ scheduled_at: sent, text: 'Soon', name: 'First' });
    expect(unlike(ScheduledPostView, body.data)).toEqual([]);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[1-9][0-9]{15}$/),
      name: 'First',
      completed_at: null,
      text: 'Soon',
      user_id: advertiser.account.userId,
      scheduled_status: 'SCHEDULED',
      nullcast: true,
      scheduled_at: at,
      card_uri: null,
      post_id: null,
      media_keys: [],
      failure_reason: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.data.created_at,
      deleted: false,
    });
    expect(await read(body.data.id)).toEqual(body.data);
  });

  it.each([
    ['no time', { scheduled_at: undefined }, 'MISSING_PARAMETER'],
    ['what is no time', { scheduled_at: 'tomorrow' }, 'INVALID_PARAMETER'],
    ['the past', { scheduled_at: '2020-01-01T00:00:00Z' }, 'INVALID_TIME_WINDOW'],
    ['the present minute', { scheduled_at: 'now' }, 'INVALID_TIME_WINDOW'],
    ['what is more than a year ahead', { scheduled_at: 'later' }, 'INVALID_TIME_WINDOW'],
  ])('refuses %s', async (_, { scheduled_at }, code) => {
    const times: Record<string, string> = { now: world().clock.now().toISOString(), later: ahead(366 * 24 * 60) };
    const answer = await create({ text: 'x', scheduled_at: scheduled_at && (times[scheduled_at] ?? scheduled_at) });
    expect(refusal(answer)).toEqual({ status: 400, errors: [[code, 'scheduled_at']] });
  });

  it('names everything that is wrong in one answer', async () => {
    const answer = await create({ text: ' ', scheduled_at: '2020-01-01', card_uri: 'card://1', nullcast: '?' });
    expect(refusal(answer)).toEqual({
      status: 400,
      errors: [
        ['INVALID_PARAMETER', 'nullcast'],
        ['POST_CANNOT_BE_BLANK', 'text'],
        ['INVALID_PARAMETER', 'card_uri'],
        ['INVALID_TIME_WINDOW', 'scheduled_at'],
      ],
    });
  });

  it('is for promotable users, by POST_COMPOSERs, and organic by the FULL user alone', async () => {
    const stranger = await given.advertiser();
    const notAllowed = { status: 403, errors: [['ACTION_NOT_ALLOWED', 'as_user_id']] };
    expect(refusal(await create({ as_user_id: stranger.account.userId, text: 'x' }))).toEqual(notAllowed);
    const reposts = await given.promotableUser(advertiser.account);
    const forReposts = await create({ as_user_id: reposts.userId, text: 'x' });
    expect(refusal(forReposts)).toEqual(notAllowed);
    expect(forReposts.body.errors[0].details).toContain('RETWEETS_ONLY');
    const manager = await given.member(advertiser.account, 'AD_MANAGER');
    const as = { as_user_id: advertiser.account.userId, text: 'x' };
    expect((await create(as, manager)).status).toBe(201);
    expect(refusal(await create({ ...as, nullcast: false }, manager))).toEqual({
      status: 400,
      errors: [['INVALID_PARAMETER', 'nullcast']],
    });
    expect((await made({ text: 'y', nullcast: false })).nullcast).toBe(false);
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await create(as, analyst)).status).toBe(403);
  });

  it('has room for thirty in fifteen minutes, exactly, whoever asks at once and in whatever account', async () => {
    const sibling = { ...advertiser, account: await given.account({ userId: advertiser.user.id }) };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        create({ text: `${n}`, scheduled_at: ahead(100 + (n % 15)) }, n % 2 ? advertiser : sibling),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(10);
    for (const answer of refused)
      expect(refusal(answer)).toEqual({ status: 400, errors: [['SCHEDULED_POST_LIMIT_EXCEEDED', 'scheduled_at']] });
    // a window of its own
    const free = await made({ text: 'free', scheduled_at: ahead(130) });
    expect(refusal(await update(free.id, { scheduled_at: ahead(105) }))).toEqual({
      status: 400,
      errors: [['SCHEDULED_POST_LIMIT_EXCEEDED', 'scheduled_at']],
    });
    // beside what could not be read
    const both = [
      ['INVALID_PARAMETER', 'nullcast'],
      ['SCHEDULED_POST_LIMIT_EXCEEDED', 'scheduled_at'],
    ];
    const unread = { nullcast: '?', scheduled_at: ahead(105) };
    expect(refusal(await create({ text: 'x', ...unread }))).toEqual({ status: 400, errors: both });
    expect(refusal(await update(free.id, unread))).toEqual({ status: 400, errors: both });
    // where one goes another can come
    const [first] = answers.filter(({ status }) => status === 201).map(({ body }) => body.data);
    const own = (await advertiser.api.get(path(first.id))).status === 200 ? advertiser : sibling;
    await own.api.delete(path(first.id, own.account));
    expect((await update(free.id, { scheduled_at: first.scheduled_at })).status).toBe(200);
  }, 30_000);
});

describe('changing a scheduled post', () => {
  it('changes what is sent, and takes out what is sent empty', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const scheduled = await made({ text: 'One', media_keys: image.mediaKey, name: 'First' });
    const at = ahead(200);
    const { body } = await update(scheduled.id, { text: 'Two', media_keys: '', scheduled_at: at, nullcast: false });
    expect(body.data).toMatchObject({ text: 'Two', media_keys: [], scheduled_at: at, nullcast: false, name: 'First' });
    expect(await read(scheduled.id)).toEqual(body.data);
    expect(await history('SCHEDULED_POST', scheduled.id)).toEqual([{ type: 'CREATE' }, { type: 'UPDATE' }]);
  });

  it('takes back what was read, and then changes nothing', async () => {
    const scheduled = await made({ text: 'One' });
    const { status, body } = await update(scheduled.id, { ...scheduled, media_keys: '' });
    expect({ status, data: body.data }).toEqual({ status: 200, data: scheduled });
    expect(await history('SCHEDULED_POST', scheduled.id)).toEqual([{ type: 'CREATE' }]);
  });

  it('refuses a time that has passed, and names what else is wrong', async () => {
    const scheduled = await made();
    const answer = await update(scheduled.id, { scheduled_at: '2020-01-01', text: 'x'.repeat(281), nullcast: '?' });
    expect(refusal(answer)).toEqual({
      status: 400,
      errors: [
        ['INVALID_PARAMETER', 'nullcast'],
        ['INVALID_PARAMETER', 'text'],
        ['INVALID_TIME_WINDOW', 'scheduled_at'],
      ],
    });
  });
});

describe('deleting a scheduled post', () => {
  it('keeps it from going live, once', async () => {
    const scheduled = await made({ text: 'never', scheduled_at: ahead(2) });
    const { status, body } = await advertiser.api.delete(path(scheduled.id));
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { deleted: true, scheduled_status: 'DELETED' },
    });
    expect((await advertiser.api.delete(path(scheduled.id))).status).toBe(404);
    expect((await advertiser.api.get(path(scheduled.id))).status).toBe(404);
    world().clock.advance(3 * MINUTE);
    await publishDue();
    expect(await posts()).toEqual([]);
    const { data } = (await advertiser.api.get(path(scheduled.id), { query: { with_deleted: true } })).body;
    expect(data).toEqual(body.data);
  });
});

describe('going live', () => {
  it('makes a post of it at its minute, of its own accord', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const scheduled = await made({
      text: 'Live now #latte',
      media_keys: image.mediaKey,
      name: 'Launch',
      scheduled_at: ahead(2),
    });
    await publishDue();
    expect((await read(scheduled.id)).scheduled_status).toBe('SCHEDULED');
    world().clock.advance(2 * MINUTE);
    await enqueue(world().get(DataSource).manager, PUBLISH_SCHEDULED_POSTS, {});
    let live = await read(scheduled.id);
    for (let tries = 0; live.scheduled_status === 'SCHEDULED' && tries < 100; tries++) {
      await pause(100);
      live = await read(scheduled.id);
    }
    expect(live).toMatchObject({ scheduled_status: 'SUCCESS', completed_at: expect.any(String), failure_reason: null });
    const [post] = await posts();
    expect(post).toMatchObject({
      post_id: live.post_id,
      full_text: 'Live now #latte',
      name: 'Launch',
      nullcast: true,
      entities: { hashtags: [{ text: 'latte' }], media: [{ media_key: image.mediaKey }] },
    });
    expect(await history('POST', live.post_id)).toEqual([{ type: 'CREATE' }]);
    expect(await history('SCHEDULED_POST', scheduled.id)).toEqual([{ type: 'CREATE' }, { type: 'UPDATE' }]);
    expect(await world().sql('SELECT posted FROM library_media WHERE id = $1', image.id)).toEqual([{ posted: true }]);
    const told = await world().sql(
      `SELECT data FROM pgboss.job WHERE name = 'scheduled-post-published' AND data->>'scheduledPostId' = $1`,
      scheduled.id,
    );
    expect(told).toEqual([{ data: { scheduledPostId: scheduled.id, postId: live.post_id } }]);
    const [shown] = await posts({ post_type: 'SCHEDULED' });
    expect(shown).toMatchObject({ scheduled_status: 'SUCCESS' });
  });

  it('ends what can be done with it', async () => {
    const scheduled = await made({ text: 'Done', scheduled_at: ahead(2) });
    world().clock.advance(2 * MINUTE);
    const notAllowed = { status: 403, errors: [['ACTION_NOT_ALLOWED', 'scheduled_post_id']] };
    // about to go live
    expect(refusal(await update(scheduled.id, { text: 'Wait' }))).toEqual(notAllowed);
    await publishDue();
    expect(refusal(await update(scheduled.id, { text: 'Wait' }))).toEqual(notAllowed);
    expect(refusal(await update(scheduled.id, { nullcast: '?' }))).toMatchObject({
      errors: [
        ['INVALID_PARAMETER', 'nullcast'],
        ['ACTION_NOT_ALLOWED', 'scheduled_post_id'],
      ],
    });
    expect(refusal(await advertiser.api.delete(path(scheduled.id)))).toEqual(notAllowed);
  });

  it('happens once, however many look', async () => {
    for (let n = 0; n < 25; n++) await made({ text: `Once ${n}`, scheduled_at: ahead(2) });
    world().clock.advance(2 * MINUTE);
    await Promise.all([publishDue(), publishDue(), publishDue()]);
    await publishDue();
    const { data } = (await advertiser.api.get(path())).body as { data: Json[] };
    expect(data.filter(({ scheduled_status }) => scheduled_status === 'SUCCESS')).toHaveLength(25);
    const published = await posts();
    expect(published.map(({ post_id }) => post_id).sort()).toEqual(data.map(({ post_id }) => post_id).sort());
  });

  it('makes up for all minutes that nobody looked at', async () => {
    const first = await made({ text: 'first', scheduled_at: ahead(2) });
    const second = await made({ text: 'second', scheduled_at: ahead(60 * 24) });
    world().clock.advance(48 * 60 * MINUTE);
    await publishDue();
    expect(await read(first.id)).toMatchObject({ scheduled_status: 'SUCCESS' });
    expect(await read(second.id)).toMatchObject({ scheduled_status: 'SUCCESS' });
  });

  it('fails where something is gone, says why, and stops nothing else', async () => {
    const { account } = advertiser;
    const other = await given.promotableUser(account);
    const image = await given.libraryMedia(account);
    const cardId = decimalIds(777);
    await world().sql(
      `INSERT INTO cards (id, "createdAt", "updatedAt", "accountId", kind, "cardType", name, content, "mediaKeys")
        VALUES ($1, now(), now(), $2, 'COMPONENTS', 'IMAGE_WEBSITE', 'Card', '{}', '{}')`,
      cardId,
      account.id,
    );
    const at = { scheduled_at: ahead(2) };
    const media = await made({ ...at, media_keys: image.mediaKey });
    const card = await made({ ...at, text: 'card', card_uri: `card://${cardId}` });
    const user = await made({ ...at, text: 'user' });
    await world().sql('UPDATE scheduled_posts SET "userId" = $2 WHERE id = $1', user.id, other.userId);
    const twice = await made({ ...at, text: 'twice' });
    const fine = await made({ ...at, text: 'fine' });
    const sandbox = await given.advertiser({ environment: 'sandbox' });
    const gone = await made({ ...at, text: 'gone' }, sandbox);
    await world().sql('UPDATE library_media SET "deletedAt" = now() WHERE id = $1', image.id);
    await world().sql('UPDATE cards SET "deletedAt" = now() WHERE id = $1', cardId);
    await world().get(AdministrationService).removePromotableUser(account.id, other.userId);
    await given.deletedAccount('sandbox', sandbox.account.id, sandbox.account.userId);
    world().clock.advance(2 * MINUTE);
    await given.post({ account, text: 'twice' });
    await publishDue();

    const failures = {
      [media.id]: 'INVALID_MEDIA_ID',
      [card.id]: 'INVALID_PARAMETER',
      [user.id]: 'ACTION_NOT_ALLOWED',
      [twice.id]: 'DUPLICATE_POST',
    };
    for (const [id, code] of Object.entries(failures)) {
      expect(await read(id)).toMatchObject({
        scheduled_status: 'FAILED',
        post_id: null,
        completed_at: expect.any(String),
        failure_reason: expect.stringMatching(`^${code}: .{10,}`),
      });
    }
    expect(await read(fine.id)).toMatchObject({ scheduled_status: 'SUCCESS' });
    expect(await world().sql('SELECT "scheduledStatus" AS status FROM scheduled_posts WHERE id = $1', gone.id)).toEqual(
      [{ status: 'FAILED' }],
    );
    expect(refusal(await update(media.id, { text: 'x' }))).toEqual({
      status: 403,
      errors: [['ACTION_NOT_ALLOWED', 'scheduled_post_id']],
    });
    expect((await advertiser.api.delete(path(media.id))).status).toBe(200);
  });

  it('or being changed or deleted: one of them, and never both', async () => {
    const scheduled: Json[] = [];
    for (let n = 0; n < 10; n++) scheduled.push(await made({ text: `Race ${n}`, scheduled_at: ahead(2) }));
    world().clock.advance(2 * MINUTE);
    const [deleted] = await Promise.all([
      Promise.all(scheduled.map(({ id }) => advertiser.api.delete(path(id)))),
      publishDue(),
      publishDue(),
    ]);
    const published = (await posts()).map(({ full_text }) => full_text as string);
    for (const [n, { status }] of deleted.entries()) {
      expect([200, 403]).toContain(status);
      expect(published.includes(`Race ${n}`)).toBe(status === 403);
    }
  });
});
