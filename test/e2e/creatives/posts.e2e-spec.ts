import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { CreatedPostView, PostView } from '../../../src/creatives/posts/post.presenter.js';
import { Post } from '../../../src/creatives/entities/post.entity.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { decimalIds, listConventions, unlike } from '../../support/list-conventions.js';
import { send } from '../../support/http.js';
import { refusal } from './refusal.js';

useApp();

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
        AND EXISTS (SELECT FROM outgoing_events e WHERE e."changeId" = c.id) ORDER BY id`,
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
    expect(refused.body.errors[0].details).toContain('the grant FULL is needed');
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
    await world().get(AdministrationService).removePromotableUser(advertiser.account.id, other.userId);
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
