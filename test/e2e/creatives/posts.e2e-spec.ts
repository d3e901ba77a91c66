import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { removedName } from '../../../src/common/entity/removed-person.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { CreatedPostView, PostView } from '../../../src/creatives/posts/post.presenter.js';
import { Post } from '../../../src/creatives/entities/post.entity.js';
import { type Json, send } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { SERVER } from '../../support/environment.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';
import { refusal } from './refusal.js';
import { DraftPost } from '../../../src/creatives/entities/draft-post.entity.js';
import { DraftPostView } from '../../../src/creatives/draft-posts/draft-post.presenter.js';
import { DraftPostsService } from '../../../src/creatives/draft-posts/draft-posts.service.js';
import { LibraryMediaQueries } from '../../../src/creatives/media-library/library-media.queries.js';
import { enqueue } from '../../../src/common/jobs/enqueue.js';
import { ScheduledPost } from '../../../src/creatives/entities/scheduled-post.entity.js';
import { ScheduledPostView } from '../../../src/creatives/scheduled-posts/scheduled-post.presenter.js';
import {
  PUBLISH_SCHEDULED_POSTS,
  ScheduledPostsJob,
} from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { ScheduledPostsService } from '../../../src/creatives/scheduled-posts/scheduled-posts.service.js';

useSharedApp();

describe('posts', () => {
  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const MAY_BE_EMPTY = ['user.location', 'user.description'];
  const posts = (account = advertiser.account) => `/12/accounts/${account.id}/posts`;
  const create = (params: Params, by = advertiser) =>
    by.api.post(`/12/accounts/${by.account.id}/post`, { form: { as_user_id: by.account.userId, ...params } });
  const made = async (params: Params = { text: 'Our new blend' }, by = advertiser): Promise<Json> => {
    const { status, body } = await create(params, by);
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const list = async (query: Params = {}, by = advertiser): Promise<Json[]> => {
    const { status, body } = await by.api.get(posts(by.account), { query: { post_type: 'PUBLISHED', ...query } });
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data;
  };
  const ids = async (query: Params = {}, by = advertiser) => (await list(query, by)).map(({ post_id }) => post_id);
  const rename = (id: string, params: Params, by = advertiser) =>
    by.api.put(`${posts(by.account)}/${id}/name`, { form: params });
  const history = (id: string) =>
    world().sql<{ type: string; changes: Json }>(
      `SELECT "changeType" AS type, changes FROM account_changes c WHERE "entityType" = 'POST' AND "entityId" = $1
        AND "transactionId" IS NOT NULL ORDER BY id`,
      id,
    );

  describe('posts', () => {
    listConventions({
      path: (account) => posts(account as Advertiser['account']),
      make: (account, n) => given.post({ account, text: `Post ${n}` }),
      makeMany: async (account, count) => {
        for (let n = 0; n < count; n++) await given.post({ account });
      },
      remove: 'never',
      view: PostView,
      entity: Post,
      idsFilter: 'post_ids',
      unknownIds: decimalIds,
      idOf: (item) => item.post_id,
      sortable: ['created_at', 'updated_at'],
      // when the suite says that each was changed
      hidden: { updated_at: (n) => [5, 2, 8, 2, 0, 7, 2][n] },
      mayBeEmpty: MAY_BE_EMPTY,
      required: () => ({ post_type: 'PUBLISHED' }),
    });

    it('need a post_type', async () => {
      expect(refusal(await advertiser.api.get(posts()))).toEqual({
        status: 400,
        errors: [['MISSING_PARAMETER', 'post_type']],
      });
      const { status, errors } = refusal(await advertiser.api.get(posts(), { query: { post_type: 'ALL' } }));
      expect({ status, errors }).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'post_type']] });
    });

    it('are promoted only unless the timeline is another', async () => {
      const promoted = (await made({ text: 'promoted' })).id_str;
      const organic = (await made({ text: 'organic', nullcast: false })).id_str;
      expect(await ids()).toEqual([promoted]);
      expect(await ids({ timeline_type: 'NULLCAST' })).toEqual([promoted]);
      expect(await ids({ timeline_type: 'ORGANIC' })).toEqual([organic]);
      expect(await ids({ timeline_type: 'ALL' })).toEqual([organic, promoted]);
    });

    it('leave out what begins with a mention, and replies, unless they are asked', async () => {
      const { user } = advertiser;
      const other = await given.client();
      const plain = (await made({ text: `thanks @${other.user.username}` })).id_str;
      const mention = (await made({ text: `@${other.user.username} thanks` })).id_str;
      const reply = (await given.platformPost(user.id, { nullcast: true, inReplyToUserId: other.user.id })).id;
      expect(await ids()).toEqual([plain]);
      expect(await ids({ include_mentions_and_replies: true })).toEqual([reply, mention, plain]);
      const [shown] = await list({ post_ids: reply, include_mentions_and_replies: true });
      expect(shown).toMatchObject({
        in_reply_to_user_id_str: other.user.id,
        in_reply_to_user_id: Number(other.user.id),
        in_reply_to_screen_name: other.user.username,
      });
    });

    it('reply to whom they begin by mentioning, as the default filter has it', async () => {
      const other = await given.client();
      const mention = (await made({ text: `@${other.user.username} thanks` })).id_str;
      const [shown] = await list({ post_ids: mention });
      expect(shown).toMatchObject({
        in_reply_to_user_id_str: other.user.id,
        in_reply_to_screen_name: other.user.username,
        entities: { user_mentions: [{ id_str: other.user.id, indices: [0, expect.any(Number)] }] },
      });
    });

    it('are found by their ids, whatever the default filter says', async () => {
      const other = await given.client();
      const organic = (await made({ text: 'organic', nullcast: false })).id_str;
      const mention = (await made({ text: `@${other.user.username} thanks` })).id_str;
      const named = { post_ids: `${organic},${mention}` };
      expect((await ids(named)).sort()).toEqual([organic, mention].sort());
      expect(await ids({ ...named, timeline_type: 'ORGANIC' })).toEqual([organic]);
      expect(await ids({ ...named, include_mentions_and_replies: false })).toEqual([organic]);
      const draft = await given.draftPost({ account: advertiser.account, nullcast: false });
      expect(await ids({ post_type: 'DRAFT', post_ids: draft.id })).toEqual([draft.id]);
    });

    it('say that they are deleted', async () => {
      const { account } = advertiser;
      const post = (await made({ text: 'gone' })).id_str;
      const draft = await given.draftPost({ account });
      const scheduled = await given.scheduledPost({ account });
      expect((await list({ post_ids: post }))[0].deleted).toBe(false);
      await world().sql(`UPDATE posts SET "deletedAt" = now() WHERE id = $1`, post);
      await advertiser.api.delete(`/12/accounts/${account.id}/draft_posts/${draft.id}`);
      await advertiser.api.delete(`/12/accounts/${account.id}/scheduled_posts/${scheduled.id}`);
      for (const [post_type, id] of [
        ['PUBLISHED', post],
        ['DRAFT', draft.id],
        ['SCHEDULED', scheduled.id],
      ]) {
        const found = await list({ post_type, post_ids: id, with_deleted: true });
        expect([post_type, found.map(({ deleted }) => deleted)]).toEqual([post_type, [true]]);
      }
    });

    it('are found by the names that this account gave them', async () => {
      const { account, user } = advertiser;
      const post = (await made({ text: 'one', name: 'Spring Menu' })).id_str;
      await made({ text: 'two', name: 'Winter' });
      const sibling = { ...advertiser, account: await given.account({ userId: user.id }) };
      expect(await ids({ name: 'sPRING' })).toEqual([post]);
      expect(await ids({ name: 'spring menu and more' })).toEqual([]);
      expect(await ids({ name: '%' })).toEqual([]);
      // the other account has the same user, but no names
      expect(await ids({ name: 'spring' }, sibling)).toEqual([]);
      expect((await list({ post_ids: post }, sibling))[0].name).toBeNull();
      expect((await list({ post_ids: post }))[0].name).toBe('Spring Menu');
      expect(
        refusal(await advertiser.api.get(posts(account), { query: { post_type: 'DRAFT', name: 'x'.repeat(81) } })),
      ).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'name']] });
    });

    it('of a RETWEETS_ONLY user: what is organic, and of what is promoted only that which was made here', async () => {
      const { account } = advertiser;
      const other = await given.promotableUser(account);
      const elsewhere = await given.advertiser();
      const organic = (await given.platformPost(other.userId)).id;
      await given.platformPost(other.userId, { nullcast: true, accountId: elsewhere.account.id });
      // made while the user was a FULL one
      const here = (await given.platformPost(other.userId, { nullcast: true, accountId: account.id })).id;
      const refused = await create({ as_user_id: other.userId, text: 'here' });
      expect(refusal(refused)).toEqual({ status: 403, errors: [['ACTION_NOT_ALLOWED', 'as_user_id']] });
      expect(refused.body.errors[0].details).toContain('promotable_user_type must be FULL');
      const of = (query: Params) => ids({ user_id: other.userId, ...query });
      expect(await of({})).toEqual([here]);
      expect(await of({ timeline_type: 'ALL' })).toEqual([here, organic]);
      expect(await of({ timeline_type: 'ORGANIC' })).toEqual([organic]);
    });

    it('of somebody who is no promotable user are refused', async () => {
      const stranger = await given.advertiser();
      expect(
        refusal(
          await advertiser.api.get(posts(), { query: { post_type: 'PUBLISHED', user_id: stranger.account.userId } }),
        ),
      ).toEqual({ status: 400, errors: [['INVALID_USER_ID', 'user_id']] });
    });

    it('show drafts in the same shape', async () => {
      const { account } = advertiser;
      const image = await given.libraryMedia(account);
      const draft = await given.draftPost({
        account,
        text: `Soon: #latte by @${advertiser.user.username}`,
        name: 'First',
        media_keys: [image.mediaKey],
      });
      await given.draftPost({ account, nullcast: false });
      const drafts = await list({ post_type: 'DRAFT' });
      expect(drafts.map(({ post_id }) => post_id)).toEqual([draft.id]);
      expect(unlike(PostView, drafts[0], MAY_BE_EMPTY)).toEqual([]);
      expect(drafts[0]).toMatchObject({
        full_text: draft.text,
        name: 'First',
        post_type: 'DRAFT',
        scheduled_at: null,
        scheduled_status: null,
        entities: {
          hashtags: [{ text: 'latte' }],
          user_mentions: [{ id_str: advertiser.user.id }],
          media: [{ media_key: image.mediaKey }],
        },
      });
      expect(await ids({ post_type: 'DRAFT', timeline_type: 'ALL' })).toHaveLength(2);
      expect(await ids({ post_type: 'DRAFT', name: 'fir' })).toEqual([draft.id]);
      expect(await ids({ post_type: 'DRAFT', post_ids: draft.id })).toEqual([draft.id]);
      expect(await ids({ post_ids: draft.id })).toEqual([]);
    });

    it('have whole authors, or only their ids', async () => {
      const post = await made();
      const [whole] = await list();
      expect(Object.keys(whole.user)).toHaveLength(41);
      expect(whole.user).toMatchObject({
        id_str: advertiser.user.id,
        id: Number(advertiser.user.id),
        screen_name: advertiser.user.username,
        created_at: expect.stringMatching(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/),
      });
      const [trimmed] = await list({ trim_user: true });
      expect(trimmed).toEqual({ ...whole, user: { id: Number(advertiser.user.id), id_str: advertiser.user.id } });
      expect((await made({ text: 'trimmed', trim_user: true })).user).toEqual(trimmed.user);
      expect(post.user).toEqual(whole.user);
      const picture = await send(world().url, new URL(whole.user.profile_image_url).pathname, { method: 'GET' });
      expect(picture).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    });
  });

  describe('creating a post', () => {
    it('answers 201 with the post in the compat mode, and shows it from then on', async () => {
      const image = await given.libraryMedia(advertiser.account);
      const { status, body } = await create({
        text: 'Our new #blend',
        media_keys: image.mediaKey,
        name: 'First',
        conversation_settings: 'FOLLOWING',
      });
      expect(status).toBe(201);
      expect(unlike(CreatedPostView, body.data, MAY_BE_EMPTY)).toEqual([]);
      expect(Object.keys(body.data).sort()).toEqual(
        [
          ...[
            'contributors',
            'coordinates',
            'created_at',
            'entities',
            'favorite_count',
            'favorited',
            'geo',
            'id',
            'id_str',
          ],
          ...['in_reply_to_screen_name', 'in_reply_to_status_id', 'in_reply_to_status_id_str', 'in_reply_to_user_id'],
          ...['in_reply_to_user_id_str', 'lang', 'name', 'place', 'retweet_count', 'retweeted', 'scopes', 'source'],
          ...['text', 'truncated', 'user'],
        ].sort(),
      );
      expect(body.data).toMatchObject({
        id: Number(body.data.id_str),
        text: 'Our new #blend',
        truncated: false,
        name: 'First',
        scopes: { followers: false },
        contributors: null,
        lang: 'und',
        entities: {
          hashtags: [{ text: 'blend', indices: [8, 14] }],
          media: [{ media_key: image.mediaKey, type: 'photo' }],
        },
      });
      const [shown] = await list();
      expect(shown).toMatchObject({
        post_id: body.data.id_str,
        full_text: 'Our new #blend',
        display_text_range: [0, 14],
        conversation_settings: 'FOLLOWING',
        nullcast: true,
        post_type: 'PUBLISHED',
        name: 'First',
      });
      expect(await history(shown.post_id)).toEqual([{ type: 'CREATE', changes: {} }]);
      const recorded =
        'SELECT "entityData" AS post FROM account_changes WHERE "entityType" = \'POST\' AND "entityId" = $1';
      expect(await world().sql(recorded, shown.post_id)).toEqual([
        {
          post: {
            ...{ id: shown.post_id, user_id: body.data.user.id_str, text: 'Our new #blend', nullcast: true },
            ...{ card_uri: null, media_keys: [image.mediaKey], conversation_settings: 'FOLLOWING' },
            created_at: expect.any(String) as string,
          },
        },
      ]);
      const [media] = await world().sql('SELECT posted FROM library_media WHERE id = $1', image.id);
      expect(media).toEqual({ posted: true });
    });

    it('answers the whole text in the extended mode, and 140 characters of it in the compat mode', async () => {
      const text = (n: number) => `${n} ${'x'.repeat(200)} #tail`;
      const extended = await made({ text: text(1), post_mode: 'extended' });
      expect(extended).toMatchObject({ full_text: text(1), display_text_range: [0, 208], truncated: false });
      expect(extended.text).toBeUndefined();
      expect(extended.entities.hashtags).toHaveLength(1);
      const compat = await made({ text: text(2), post_mode: 'compat' });
      expect(compat.text).toHaveLength(140);
      expect(compat).toMatchObject({ truncated: true, entities: { hashtags: [] } });
      expect(compat.full_text).toBeUndefined();
    });

    it('shows a card', async () => {
      const { account } = advertiser;
      const id = decimalIds(12345);
      await world().sql(
        `INSERT INTO cards (id, "createdAt", "updatedAt", "accountId", kind, "cardType", name, content, "mediaKeys")
        VALUES ($1, now(), now(), $2, 'COMPONENTS', 'IMAGE_WEBSITE', 'Card', '{}', '{}')`,
        id,
        account.id,
      );
      expect(await made({ text: 'x', card_uri: `card://${id}` })).toMatchObject({ card_uri: `card://${id}` });
      expect((await list())[0].card_uri).toBe(`card://${id}`);
      await world().sql('UPDATE cards SET "deletedAt" = now() WHERE id = $1', id);
      expect(refusal(await create({ text: 'y', card_uri: `card://${id}` }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'card_uri']],
      });
    });

    it('says who made it on behalf of its author', async () => {
      const composer = await given.member(advertiser.account, 'AD_MANAGER');
      const post = await made({ as_user_id: advertiser.account.userId, text: 'x' }, composer);
      expect(post).toMatchObject({ contributors: [Number(composer.user.id)], user: { id_str: advertiser.user.id } });
    });

    it('keeps a user from saying the same twice in a day, in whatever account', async () => {
      const sibling = { ...advertiser, account: await given.account({ userId: advertiser.user.id }) };
      await made({ text: 'the same' });
      const twice = { status: 400, errors: [['DUPLICATE_POST', 'text']] };
      expect(refusal(await create({ text: 'the same' }))).toEqual(twice);
      expect(refusal(await create({ text: 'the same' }, sibling))).toEqual(twice);
      await made({ text: 'the same!' });
      const image = await given.libraryMedia(advertiser.account);
      await made({ text: 'the same', media_keys: image.mediaKey });
      world().clock.advance(24 * 3600 * 1000);
      await made({ text: 'the same' });
    });

    it('lets one of many say what all say at once', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => create({ text: 'at once' })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 400)]);
      expect(await ids()).toHaveLength(1);
    });

    it('takes what is said of a video with a video only', async () => {
      const video = await given.libraryMedia(advertiser.account, { category: 'POST_VIDEO' });
      const image = await given.libraryMedia(advertiser.account);
      const about = { video_title: 'The film', video_cta: 'WATCH_NOW', video_cta_value: 'https://example.com/film' };
      await made({ ...about, media_keys: video.mediaKey });
      expect(refusal(await create({ text: 'x', ...about }))).toEqual({
        status: 400,
        errors: [
          ['INCLUSIVE_PARAMETERS', 'media_keys'],
          ['INCLUSIVE_PARAMETERS', 'media_keys'],
        ],
      });
      const withImage = await create({ text: 'x', media_keys: image.mediaKey, ...about });
      expect(refusal(withImage)).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'video_title'],
          ['INVALID_PARAMETER', 'video_cta'],
        ],
      });
      expect(withImage.body.errors[0].details).toContain('is of type IMAGE');
      const withVideo = { media_keys: video.mediaKey, text: 'other' };
      expect(refusal(await create({ ...withVideo, video_cta: 'WATCH_NOW' }))).toEqual({
        status: 400,
        errors: [['INCLUSIVE_PARAMETERS', 'video_cta_value']],
      });
      expect(refusal(await create({ ...withVideo, video_cta_value: 'https://example.com' }))).toEqual({
        status: 400,
        errors: [['INCLUSIVE_PARAMETERS', 'video_cta']],
      });
      const wrong = {
        video_cta: 'WATCH_NOW',
        video_cta_value: 'https://evil.example\\@example.com',
        video_title: 'x'.repeat(71),
      };
      expect(refusal(await create({ ...withVideo, ...wrong }))).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'video_cta_value'],
          ['INVALID_PARAMETER', 'video_title'],
        ],
      });
    });

    it('names everything that is wrong in one answer', async () => {
      const answer = await create({ text: ' ', post_mode: 'long', card_uri: 'card://1', video_title: 'x' });
      expect(refusal(answer)).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'post_mode'],
          ['POST_CANNOT_BE_BLANK', 'text'],
          ['INVALID_PARAMETER', 'card_uri'],
          ['INCLUSIVE_PARAMETERS', 'media_keys'],
        ],
      });
    });

    it('is for promotable users that there still are', async () => {
      const other = await given.promotableUser(advertiser.account);
      await world().get(PromotableUsersService).remove(advertiser.account.id, other.userId);
      expect(refusal(await create({ as_user_id: other.userId, text: 'y' }))).toEqual({
        status: 403,
        errors: [['ACTION_NOT_ALLOWED', 'as_user_id']],
      });
    });

    it('organically is for the FULL promotable user', async () => {
      expect(await made({ text: 'x', nullcast: false })).toMatchObject({ scopes: { followers: true } });
      const composer = await given.member(advertiser.account, 'AD_MANAGER');
      expect(
        refusal(await create({ as_user_id: advertiser.account.userId, text: 'y', nullcast: false }, composer)),
      ).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'nullcast']] });
    });
  });

  // an embedded store has one connection
  (SERVER ? it : it.skip)('lose the names of two users who are removed at the same time', async () => {
    const people = [await given.client(), await given.client()].map(({ user }) => user);
    const mentions = people.map(({ username }) => `@${username}`).join(' and ');
    const { id } = await made({ text: `Tea for ${mentions}` });
    const draft = await given.draftPost({ account: advertiser.account, text: `Coffee for ${mentions}` });
    const removal = world().get(UserRemoval);
    for (const person of people) await removal.delete(person.id);
    const runner = world().get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM posts WHERE id = $1 FOR UPDATE', [id]);
    await runner.query('SELECT FROM draft_posts WHERE "accountId" = $1 AND id = $2 FOR UPDATE', [
      advertiser.account.id,
      draft.id,
    ]);
    const ended = Promise.allSettled(people.map((person) => removal.finish(person.id)));
    // both wait for the rows, for a second at most
    await Promise.race([ended, pause(700)]);
    await runner.commitTransaction();
    await runner.release();
    await ended;
    for (const person of people) await removal.finish(person.id);
    const names = people.map((person) => removedName(person.id));
    const texts = await world().sql<{ text: string }>(
      `SELECT text FROM posts WHERE id = $1 UNION ALL SELECT text FROM draft_posts WHERE id = $2`,
      id,
      draft.id,
    );
    expect(texts.map(({ text }) => text)).toEqual(
      ['Tea', 'Coffee'].map((what) => `${what} for @${names[0]} and @${names[1]}`),
    );
  });

  describe('renaming a post', () => {
    it('answers the post, and takes an empty name for none', async () => {
      const { id_str: id } = await made();
      const { status, body } = await rename(id, { name: 'First' });
      expect(status).toBe(200);
      expect(body.request.params).toEqual({ account_id: advertiser.account.id, post_id: id, name: 'First' });
      expect(unlike(PostView, body.data, MAY_BE_EMPTY)).toEqual([]);
      expect(body.data).toEqual({ ...(await list())[0], name: 'First' });
      expect((await rename(id, { name: 'Second' })).body.data.name).toBe('Second');
      expect((await rename(id, {})).body.data.name).toBe('Second');
      expect((await rename(id, { name: '' })).body.data.name).toBeNull();
      expect((await list())[0].name).toBeNull();
      expect(await history(id)).toEqual([
        { type: 'CREATE', changes: {} },
        { type: 'UPDATE', changes: { name: { old: null, new: 'First' } } },
        { type: 'UPDATE', changes: { name: { old: 'First', new: 'Second' } } },
        { type: 'UPDATE', changes: { name: { old: 'Second', new: null } } },
      ]);
    });

    it('finds only posts that the account may see', async () => {
      const other = await given.promotableUser(advertiser.account);
      const unseen = await given.platformPost(other.userId, { nullcast: true });
      const seen = await given.platformPost(other.userId);
      const stranger = await given.advertiser();
      const theirs = await given.post({ account: stranger.account });
      for (const id of [unseen.id, theirs.id, decimalIds(0), 'x'])
        expect(refusal(await rename(id, { name: 'x' }))).toEqual({ status: 404, errors: [['NOT_FOUND', 'post_id']] });
      expect((await rename(seen.id, { name: 'x' })).status).toBe(200);
      expect(refusal(await rename(seen.id, { name: 'x'.repeat(81) }))).toEqual({
        status: 400,
        errors: [['INVALID_PARAMETER', 'name']],
      });
    });
  });
});

describe('draft posts', () => {
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
        AND "transactionId" IS NOT NULL ORDER BY id`,
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
      const answer = await create({
        text: 'x'.repeat(281),
        media_keys: '3_1,3_1',
        card_uri: 'card://1',
        nullcast: '?',
      });
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
        expect((await world().get(LibraryMediaQueries).byKey(account, [image.mediaKey])).size).toBe(0);
        expect(refusal(await create({ media_keys: image.mediaKey }))).toMatchObject({ status: 400 });
      }
    });
  });
});

describe('scheduled posts', () => {
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
    (await by.api.get(`/12/accounts/${by.account.id}/posts`, { query: { post_type: 'PUBLISHED', ...query } })).body
      .data;
  const history = (type: string, id: string) =>
    world().sql<{ type: string }>(
      `SELECT "changeType" AS type FROM account_changes c WHERE "entityType" = $1 AND "entityId" = $2
        AND "transactionId" IS NOT NULL ORDER BY id`,
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
    });
  });

  it('of a deleted account leave room for those of others', async () => {
    const sibling = { ...advertiser, account: await given.account({ userId: advertiser.user.id }) };
    const scheduled_at = ahead(300);
    const add = (text: string, by = advertiser) => create({ text, scheduled_at }, by);
    for (let n = 0; n < 30; n++) expect((await add(`${n}`, sibling)).status).toBe(201);
    expect(refusal(await add('next'))).toEqual({
      status: 400,
      errors: [['SCHEDULED_POST_LIMIT_EXCEEDED', 'scheduled_at']],
    });
    await given.deletedAccount('production', sibling.account.id, advertiser.user.id);
    expect((await add('next')).status).toBe(201);
  });

  describe('changing a scheduled post', () => {
    it('changes what is sent, and takes out what is sent empty', async () => {
      const image = await given.libraryMedia(advertiser.account);
      const scheduled = await made({ text: 'One', media_keys: image.mediaKey, name: 'First' });
      const at = ahead(200);
      const { body } = await update(scheduled.id, { text: 'Two', media_keys: '', scheduled_at: at, nullcast: false });
      expect(body.data).toMatchObject({
        text: 'Two',
        media_keys: [],
        scheduled_at: at,
        nullcast: false,
        name: 'First',
      });
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
      expect(live).toMatchObject({
        scheduled_status: 'SUCCESS',
        completed_at: expect.any(String),
        failure_reason: null,
      });
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
      await world().get(PromotableUsersService).remove(account.id, other.userId);
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
      expect(
        await world().sql('SELECT "scheduledStatus" AS status FROM scheduled_posts WHERE id = $1', gone.id),
      ).toEqual([{ status: 'FAILED' }]);
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
});
