import { DraftPost } from '../../../src/creatives/entities/draft-post.entity.js';
import { DraftPostView } from '../../../src/creatives/draft-posts/draft-post.presenter.js';
import { DraftPostsService } from '../../../src/creatives/draft-posts/draft-posts.service.js';
import { MediaLibraryService } from '../../../src/creatives/media-library/media-library.service.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';
import { refusal } from './refusal.js';

useApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (id?: string, account = advertiser.account) =>
  `/12/accounts/${account.id}/draft_posts${id ? `/${id}` : ''}`;
const create = (params: Params, by = advertiser) =>
  by.api.post(path(undefined, by.account), { form: { as_user_id: by.account.userId, ...params } });
const update = (id: string, params: Params, by = advertiser) => by.api.put(path(id, by.account), { form: params });
const made = async (params: Params = { text: 'Our new blend' }, by = advertiser): Promise<Json> => {
  const { status, body } = await create(params, by);
  expect({ status, errors: body.errors }).toEqual({ status: 201 });
  return body.data;
};
const history = (id: string) =>
  world().sql<{ type: string }>(
    `SELECT "changeType" AS type FROM account_changes c WHERE "entityType" = 'DRAFT_POST' AND "entityId" = $1
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
    id,
  );

describe('draft posts', () => {
  listConventions({
    path: (account) => `/12/accounts/${account.id}/draft_posts`,
    make: (account, n) =>
      given.draftPost({
        account,
        name: ['Gamma', 'beta', null, 'alphabet', 'ALPHA', null, 'gamma', 'Beta', 'Alpine'][n],
      }),
    makeMany: async (account, count) => {
      for (let n = 0; n < count; n++) await given.draftPost({ account });
    },
    remove: ({ account }, id) => world().get(DraftPostsService).delete(account, id),
    view: DraftPostView,
    entity: DraftPost,
    idsFilter: null,
    countDefault: 100,
    countMax: 200,
    sortable: ['created_at', 'updated_at', 'deleted', 'name'],
  });

  it('are those of the FULL promotable user, or of one that is named', async () => {
    const other = await given.promotableUser(advertiser.account);
    const own = await made();
    // made while the user was a FULL one
    const theirs = { ...(await made({ text: 'Theirs' })), user_id: other.userId };
    await world().sql('UPDATE draft_posts SET "userId" = $2 WHERE id = $1', theirs.id, other.userId);
    const list = async (query: Params = {}) => (await advertiser.api.get(path(), { query })).body;
    expect((await list()).data.map(({ id }: Json) => id)).toEqual([own.id]);
    expect((await list({ user_id: other.userId })).data).toEqual([theirs]);
    expect(refusal(await advertiser.api.get(path(), { query: { user_id: decimalIds(0) } }))).toEqual({
      status: 400,
      errors: [['INVALID_USER_ID', 'user_id']],
    });
    expect(refusal(await advertiser.api.get(path(), { query: { user_id: 'me' } }))).toEqual({
      status: 400,
      errors: [['INVALID_PARAMETER', 'user_id']],
    });
  });
});

describe('creating a draft post', () => {
  it('answers 201 with the draft', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const { status, body } = await create({ text: ' Our new blend ', name: 'First', media_keys: image.mediaKey });
    expect(status).toBe(201);
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      as_user_id: advertiser.account.userId,
      text: 'Our new blend',
      name: 'First',
      media_keys: [image.mediaKey],
    });
    expect(unlike(DraftPostView, body.data)).toEqual([]);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[1-9][0-9]{15}$/),
      name: 'First',
      text: 'Our new blend',
      user_id: advertiser.account.userId,
      nullcast: true,
      card_uri: null,
      media_keys: [image.mediaKey],
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.data.created_at,
      deleted: false,
    });
    expect((await advertiser.api.get(path(body.data.id))).body.data).toEqual(body.data);
    expect(await history(body.data.id)).toEqual([{ type: 'CREATE' }]);
  });

  it('needs no text where there are media', async () => {
    const image = await given.libraryMedia(advertiser.account);
    expect(await made({ media_keys: image.mediaKey })).toMatchObject({ text: '', media_keys: [image.mediaKey] });
  });

  it.each([
    ['neither text nor media', {}, 'MISSING_PARAMETER', 'text'],
    ['a text of nothing but spaces', { text: '  \n ' }, 'POST_CANNOT_BE_BLANK', 'text'],
    ['a text of 281', { text: 'x'.repeat(281) }, 'INVALID_PARAMETER', 'text'],
    ['a name of 81', { text: 'x', name: 'x'.repeat(81) }, 'INVALID_PARAMETER', 'name'],
    ['a key of no medium', { text: 'x', media_keys: '3_1' }, 'INVALID_MEDIA_ID', 'media_keys'],
    ['what is no key', { text: 'x', media_keys: 'photo.jpg' }, 'INVALID_PARAMETER', 'media_keys'],
    ['a card of nobody', { text: 'x', card_uri: `card://${decimalIds(0)}` }, 'INVALID_PARAMETER', 'card_uri'],
    ['what is no card', { text: 'x', card_uri: 'https://example.com' }, 'INVALID_PARAMETER', 'card_uri'],
    ['what is no boolean', { text: 'x', nullcast: 'perhaps' }, 'INVALID_PARAMETER', 'nullcast'],
  ])('refuses %s', async (_, params, code, parameter) => {
    expect(refusal(await create(params))).toEqual({ status: 400, errors: [[code, parameter]] });
  });

  it('names everything that is wrong in one answer', async () => {
    const answer = await create({ text: 'x'.repeat(281), media_keys: '3_1,3_1', card_uri: 'card://1', nullcast: '?' });
    expect(refusal(answer)).toEqual({
      status: 400,
      errors: [
        ['INVALID_PARAMETER', 'nullcast'],
        ['INVALID_PARAMETER', 'text'],
        ['INVALID_MEDIA_ID', 'media_keys'],
        ['INVALID_MEDIA', 'media_keys'],
        ['INVALID_PARAMETER', 'card_uri'],
      ],
    });
  });

  it('takes up to four images, or one GIF, or one video', async () => {
    const { account } = advertiser;
    const images: string[] = [];
    for (let n = 0; n < 5; n++) images.push((await given.libraryMedia(account)).mediaKey);
    const gif = (await given.libraryMedia(account, { category: 'POST_GIF' })).mediaKey;
    const video = (await given.libraryMedia(account, { category: 'POST_VIDEO' })).mediaKey;
    const inStream = (await given.libraryMedia(account, { category: 'AMPLIFY_VIDEO' })).mediaKey;
    for (const keys of [images.slice(0, 4), [gif], [video], [inStream]]) {
      expect(await made({ media_keys: keys.join(',') })).toMatchObject({ media_keys: keys });
    }
    expect(await made({ media_keys: images.slice(0, 2) })).toMatchObject({ media_keys: images.slice(0, 2) });
    for (const keys of [images, [gif, images[0]], [video, images[0]], [gif, video], [video, inStream], [gif, gif]]) {
      expect(refusal(await create({ media_keys: keys.join(',') }))).toMatchObject({
        status: 400,
        errors: [['INVALID_MEDIA', 'media_keys']],
      });
    }
  });

  it('takes only media that belong to its user', async () => {
    const composer = await given.member(advertiser.account, 'AD_MANAGER');
    const { userId } = advertiser.account;
    const own = await given.libraryMedia(composer.account);
    const shared = await given.libraryMedia(composer.account, { additionalOwners: [userId] });
    expect(refusal(await create({ as_user_id: userId, media_keys: own.mediaKey }, composer))).toEqual({
      status: 400,
      errors: [['INVALID_MEDIA', 'media_keys']],
    });
    await made({ as_user_id: userId, media_keys: shared.mediaKey }, composer);
  });

  it("takes nothing from another account's library", async () => {
    const stranger = await given.advertiser();
    const theirs = await given.libraryMedia(stranger.account, { additionalOwners: [advertiser.account.userId] });
    expect(refusal(await create({ media_keys: theirs.mediaKey }))).toEqual({
      status: 400,
      errors: [['INVALID_MEDIA_ID', 'media_keys']],
    });
  });
});

describe('on behalf of whom', () => {
  it('a draft is made: promotable users of the account alone', async () => {
    const stranger = await given.advertiser();
    expect(refusal(await create({ as_user_id: stranger.account.userId, text: 'x' }))).toEqual({
      status: 403,
      errors: [['ACTION_NOT_ALLOWED', 'as_user_id']],
    });
    expect(refusal(await advertiser.api.post(path(), { form: { text: 'x' } }))).toEqual({
      status: 400,
      errors: [['MISSING_PARAMETER', 'as_user_id']],
    });
  });

  it('others make promoted-only ones, with POST_COMPOSER', async () => {
    const composer = await given.member(advertiser.account, 'CREATIVE_MANAGER');
    const as = { as_user_id: advertiser.account.userId, text: 'x' };
    await made(as, composer);
    expect(refusal(await create({ ...as, nullcast: false }, composer))).toEqual({
      status: 400,
      errors: [['INVALID_PARAMETER', 'nullcast']],
    });
    const plain = await given.advertiser({ postComposer: false });
    await made({ text: 'my own' }, plain);
  });

  it('the FULL promotable user makes organic ones', async () => {
    expect(await made({ text: 'x', nullcast: false })).toMatchObject({ nullcast: false });
  });

  it('nobody makes any for a RETWEETS_ONLY user', async () => {
    const other = await given.promotableUser(advertiser.account);
    for (const nullcast of [true, false]) {
      const answer = await create({ as_user_id: other.userId, text: 'x', nullcast });
      expect(refusal(answer)).toEqual({ status: 403, errors: [['ACTION_NOT_ALLOWED', 'as_user_id']] });
      expect(answer.body.errors[0].details).toContain('FULL');
    }
    const beside = await create({ as_user_id: other.userId, text: 'x', nullcast: 'maybe' });
    expect(refusal(beside).errors).toContainEqual(['ACTION_NOT_ALLOWED', 'as_user_id']);
  });

  it('analysts read only', async () => {
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await create({ as_user_id: advertiser.account.userId, text: 'x' }, analyst)).status).toBe(403);
    expect((await analyst.api.get(path())).status).toBe(200);
  });
});

describe('changing a draft post', () => {
  it('changes what is sent, and takes out what is sent empty', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const draft = await made({ text: 'One', media_keys: image.mediaKey, name: 'First' });
    expect((await update(draft.id, { text: 'Two' })).body.data).toMatchObject({ text: 'Two', name: 'First' });
    const { status, body } = await update(draft.id, { media_keys: '', name: '', nullcast: false });
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { text: 'Two', media_keys: [], name: null, nullcast: false },
    });
    expect((await update(draft.id, { nullcast: '' })).body.data).toMatchObject({ nullcast: true });
    expect((await advertiser.api.get(path(draft.id))).body.data.media_keys).toEqual([]);
  });

  it('takes back what was read, and then changes nothing', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const draft = await made({ text: 'Two\nlines', media_keys: image.mediaKey, name: 'First' });
    const { status, body } = await update(draft.id, { ...draft, media_keys: draft.media_keys.join(',') });
    expect({ status, data: body.data }).toEqual({ status: 200, data: draft });
    expect(await history(draft.id)).toEqual([{ type: 'CREATE' }]);
  });

  it('never refuses what is as it was, though the media have gone since', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const draft = await made({ text: 'One', media_keys: image.mediaKey });
    await world().sql(`UPDATE library_media SET "deletedAt" = now() WHERE id = $1`, image.id);
    expect((await update(draft.id, { text: 'Two', media_keys: image.mediaKey })).status).toBe(200);
  });

  it('leaves nothing blank', async () => {
    const image = await given.libraryMedia(advertiser.account);
    const draft = await made({ media_keys: image.mediaKey });
    for (const params of [{ media_keys: '' }, { media_keys: '', text: ' ' }]) {
      expect(refusal(await update(draft.id, params))).toEqual({
        status: 400,
        errors: [['POST_CANNOT_BE_BLANK', 'text']],
      });
    }
    expect((await update(draft.id, { media_keys: '', text: 'Words' })).status).toBe(200);
  });

  it('names everything that is wrong, also beside what could not be read', async () => {
    const draft = await made();
    const answer = await update(draft.id, { text: 'x'.repeat(281), nullcast: '?', media_keys: '3_1' });
    expect(refusal(answer)).toEqual({
      status: 400,
      errors: [
        ['INVALID_PARAMETER', 'nullcast'],
        ['INVALID_PARAMETER', 'text'],
        ['INVALID_MEDIA_ID', 'media_keys'],
      ],
    });
    expect(refusal(await update(decimalIds(0), { text: 'x' }))).toEqual({
      status: 404,
      errors: [['NOT_FOUND', 'draft_post_id']],
    });
  });

  it('of an organic draft is for its user alone, but for its name', async () => {
    const draft = await made({ text: 'x', nullcast: false });
    const composer = await given.member(advertiser.account, 'AD_MANAGER');
    expect(refusal(await update(draft.id, { text: 'y' }, composer))).toEqual({
      status: 400,
      errors: [['INVALID_PARAMETER', 'nullcast']],
    });
    expect((await update(draft.id, { text: 'x', name: 'Theirs' }, composer)).status).toBe(200);
    expect((await update(draft.id, { text: 'y', nullcast: true }, composer)).status).toBe(200);
  });
});

describe('deleting a draft post', () => {
  it('answers it as deleted, once', async () => {
    const draft = await made();
    const { status, body } = await advertiser.api.delete(path(draft.id));
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { deleted: true, status: 'DELETED' } });
    expect((await advertiser.api.delete(path(draft.id))).status).toBe(404);
    expect((await advertiser.api.get(path(draft.id))).status).toBe(404);
    expect((await update(draft.id, { text: 'x' })).status).toBe(404);
    const { data } = (await advertiser.api.get(path(draft.id), { query: { with_deleted: true } })).body;
    expect(data).toEqual(body.data);
  });
});

describe('previewing a draft post', () => {
  const preview = (id: string, by = advertiser) => by.api.post(path(`preview/${id}`, by.account));

  it('puts it among the notifications of whoever asks', async () => {
    const draft = await made();
    const { status, body } = await preview(draft.id);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        request: { params: { account_id: advertiser.account.id, draft_post_id: draft.id } },
        message: expect.stringMatching(
          new RegExp(
            `^See @${advertiser.user.username}'s notifications to preview your draft post: https?://[^/]+/notifications$`,
          ),
        ),
      },
    });
    const stored = await world().sql(
      `SELECT "userId", "accountId", "draftPostId", seen FROM preview_notifications WHERE "draftPostId" = $1`,
      draft.id,
    );
    expect(stored).toEqual([
      { userId: advertiser.user.id, accountId: advertiser.account.id, draftPostId: draft.id, seen: false },
    ]);
  });

  it('finds no draft that is deleted, or of another account', async () => {
    const draft = await made();
    const stranger = await given.advertiser();
    expect((await preview(draft.id, stranger)).status).toBe(404);
    await advertiser.api.delete(path(draft.id));
    expect(refusal(await preview(draft.id))).toEqual({ status: 404, errors: [['NOT_FOUND', 'draft_post_id']] });
  });
});

describe('races', () => {
  it('no draft is stored with a medium that was gone by then', async () => {
    const { account } = advertiser;
    for (let round = 0; round < 5; round++) {
      const image = await given.libraryMedia(account);
      await Promise.all([
        ...Array.from({ length: 6 }, () => create({ media_keys: image.mediaKey })),
        world().sql(
          `UPDATE library_media SET "deletedAt" = clock_timestamp(), "updatedAt" = clock_timestamp() WHERE id = $1`,
          image.id,
        ),
        ...Array.from({ length: 6 }, () => create({ media_keys: image.mediaKey })),
      ]);
      expect((await world().get(MediaLibraryService).byKey(account, [image.mediaKey])).size).toBe(0);
      expect(refusal(await create({ media_keys: image.mediaKey }))).toMatchObject({ status: 400 });
    }
  });
});
