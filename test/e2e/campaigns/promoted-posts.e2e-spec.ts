import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { useApp, world } from '../../support/app.js';
import { anonymously, type Json, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { pathIn } from '../creatives/previewed.js';

useApp();

const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/promoted_posts${rest}`;
const promote = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
const problems = ({ status, body }: { status: number; body: Json }) => ({
  status,
  errors: body.errors?.map(({ code, parameter, value }: Json) => ({ code, parameter, value })),
});
const item = ({ account }: Advertiser, params: object = {}) => given.lineItem({ account, ...params });

const FOR: Record<string, object> = {
  FOLLOWERS: { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' },
  MEDIA: { objective: 'REACH', product_type: 'MEDIA', placements: ['TAP_FULL'] },
  WEBSITE_CLICKS: { objective: 'WEBSITE_CLICKS' },
  VIDEO_VIEWS: { objective: 'VIDEO_VIEWS' },
  APP_INSTALLS: { objective: 'APP_INSTALLS', android_app_store_identifier: 'com.example.coffee' },
};

describe('promoting posts', () => {
  it('answers a list with its total, in the order asked', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id: lineItemId } = await item(advertiser);
    const posts = [await given.post({ account }), await given.post({ account })].map(({ id }) => id).reverse();
    const { status, body } = await promote(advertiser, { line_item_id: lineItemId, post_ids: posts.join(',') });
    expect(status).toBe(201);
    expect(body.total_count).toBe(2);
    expect(body.data.map(({ post_id }: Json) => post_id)).toEqual(posts);
    expect(body.data[0]).toEqual({
      id: expect.any(String),
      line_item_id: lineItemId,
      post_id: posts[0],
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    expect(body.request.params).toEqual({ account_id: account.id, line_item_id: lineItemId, post_ids: posts });
  });

  it('finds again what is promoted already, and promotes the rest', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const first = await given.promotedPost({ account });
    const other = await given.post({ account });
    const asked = { line_item_id: first.lineItemId, post_ids: `${other.id},${first.postId},${other.id}` };
    const both = await promote(advertiser, asked);
    expect(both.status).toBe(201);
    expect(both.body.data.map(({ post_id }: Json) => post_id)).toEqual([other.id, first.postId]);
    expect(both.body.data[1].id).toBe(first.id);
    const again = await promote(advertiser, asked);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(both.body.data);
    expect(again.body.total_count).toBe(2);
  });

  it('takes up to 50 posts', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await item(advertiser);
    const ids: string[] = [];
    for (let n = 0; n < 51; n++) ids.push((await given.platformPost(advertiser.user.id)).id);
    const tooMany = await promote(advertiser, { line_item_id, post_ids: ids.join(',') });
    expect(problems(tooMany)).toMatchObject({
      status: 400,
      errors: [{ code: 'INVALID_PARAMETER', parameter: 'post_ids' }],
    });
    const all = await promote(advertiser, { line_item_id, post_ids: ids.slice(0, 50).join(',') });
    expect(all.body.total_count).toBe(50);
    const [{ creatives }] = await world().sql<{ creatives: number }>(
      `SELECT creatives FROM line_items WHERE id = $1`,
      line_item_id,
    );
    expect(creatives).toBe(50);
  });

  it('promotes all or none, and names everything that is wrong', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const stranger = await given.advertiser();
    const { id: line_item_id } = await item(advertiser, FOR.WEBSITE_CLICKS);
    const linked = await given.post({ account, text: 'https://example.com/offers today' });
    const plain = await given.post({ account });
    const theirs = await given.platformPost(stranger.user.id);
    const secret = await given.post({ account: stranger.account });
    const answer = await promote(advertiser, {
      line_item_id,
      post_ids: [linked.id, plain.id, theirs.id, secret.id, '123'].join(','),
    });
    expect(problems(answer)).toEqual({
      status: 400,
      errors: [
        { code: 'INVALID_PARAMETER', parameter: 'post_ids', value: plain.id },
        { code: 'INVALID_USER_ID', parameter: 'post_ids', value: theirs.id },
        { code: 'POST_NOT_FOUND', parameter: 'post_ids', value: secret.id },
        { code: 'POST_NOT_FOUND', parameter: 'post_ids', value: '123' },
      ],
    });
    expect(answer.body.errors[0].message).toContain('WEBSITE_CLICKS');
    expect(answer.body.errors[0].message).toContain('a website card or a link');
    expect(answer.body.errors[1].message).toBe("You cannot promote someone else's post");
    expect((await advertiser.api.get(at(advertiser))).body.data).toEqual([]);
  });

  it('names what is wrong with what could be read beside what could not', async () => {
    const advertiser = await given.advertiser();
    const answer = await promote(advertiser, { line_item_id: 'nobody', post_ids: 'x' });
    expect(problems(answer)).toEqual({
      status: 400,
      errors: [
        { code: 'INVALID_PARAMETER', parameter: 'post_ids', value: 'x' },
        { code: 'NOT_FOUND', parameter: 'line_item_id', value: 'nobody' },
      ],
    });
    expect(problems(await promote(advertiser, { line_item_id: 'nobody', post_ids: '1' }))).toMatchObject({
      status: 404,
      errors: [{ parameter: 'line_item_id' }, { code: 'POST_NOT_FOUND' }],
    });
  });

  it('wants a line item that takes posts', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await item(advertiser, FOR.MEDIA);
    const post = await given.post({ account: advertiser.account });
    const answer = await promote(advertiser, { line_item_id, post_ids: post.id });
    expect(problems(answer)).toEqual({
      status: 400,
      errors: [{ code: 'INCOMPATIBLE_LINE_ITEM', parameter: 'line_item_id', value: line_item_id }],
    });
  });

  it('is for who manages campaigns', async () => {
    const advertiser = await given.advertiser();
    const { id: line_item_id } = await item(advertiser);
    const post = await given.post({ account: advertiser.account });
    const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await promote(analyst, { line_item_id, post_ids: post.id })).status).toBe(403);
    expect((await analyst.api.get(at(analyst))).status).toBe(200);
  });

  it('knows nothing of line items of others', async () => {
    const advertiser = await given.advertiser();
    const other = await given.advertiser();
    const { id: line_item_id } = await item(other);
    const post = await given.post({ account: advertiser.account });
    expect((await promote(advertiser, { line_item_id, post_ids: post.id })).status).toBe(404);
  });

  it('keeps history', async () => {
    const advertiser = await given.advertiser();
    const promoted = await given.promotedPost({ account: advertiser.account });
    await advertiser.api.delete(at(advertiser, `/${promoted.id}`));
    const { body } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/account_history`, {
      query: {
        entity_type: 'PROMOTED_POST',
        entity_id: promoted.id,
        start_time: '2020-01-01T00:00:00Z',
        end_time: '2040-01-01T00:00:00Z',
      },
    });
    expect(body.data.map(({ change_type }: Json) => change_type).sort()).toEqual(['CREATE', 'DELETE']);
    expect(body.data[0].entity_data).toMatchObject({ post_id: promoted.postId });
    for (const { entity_data } of body.data) expect(entity_data).not.toHaveProperty('id');
  });
});

describe('what fits an objective', () => {
  const asked = async (advertiser: Advertiser, objective: string, post: object) => {
    const { id } = await given.post({ account: advertiser.account, ...post });
    const { id: line_item_id } = await item(advertiser, FOR[objective]);
    return (await promote(advertiser, { line_item_id, post_ids: id })).status;
  };

  it('is a website card or a link for WEBSITE_CLICKS', async () => {
    const advertiser = await given.advertiser();
    const { id } = await given.card(advertiser.account);
    const card = { card_uri: `card://${id}` };
    expect(await asked(advertiser, 'WEBSITE_CLICKS', card)).toBe(201);
    expect(await asked(advertiser, 'WEBSITE_CLICKS', { text: 'Look: https://example.com/' })).toBe(201);
    expect(await asked(advertiser, 'WEBSITE_CLICKS', { ...card, text: 'Both: https://example.com/' })).toBe(400);
    expect(await asked(advertiser, 'APP_INSTALLS', { ...card, text: 'A website' })).toBe(400);
  });

  it('is an app card for APP_INSTALLS', async () => {
    const advertiser = await given.advertiser();
    const { mediaKey } = await given.libraryMedia(advertiser.account);
    const { id } = await given.card(advertiser.account, {
      components: [
        { type: 'MEDIA', media_key: mediaKey },
        {
          type: 'BUTTON',
          label: { type: 'ENUM', value: 'INSTALL' },
          destination: { type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.coffee' },
        },
      ],
    });
    expect(await asked(advertiser, 'APP_INSTALLS', { card_uri: `card://${id}` })).toBe(201);
  });

  it('is something that moves for VIDEO_VIEWS', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    for (const [category, status] of [
      ['POST_VIDEO', 201],
      ['POST_GIF', 201],
      ['POST_IMAGE', 400],
    ] as const) {
      const { mediaKey } = await given.libraryMedia(account, { category });
      expect(await asked(advertiser, 'VIDEO_VIEWS', { media_keys: [mediaKey] })).toBe(status);
    }
    const { id } = await given.videoConversationCard(account);
    expect(await asked(advertiser, 'VIDEO_VIEWS', { card_uri: `card://${id}` })).toBe(201);
  });

  it('is not a card that was deleted', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const { id } = await given.card(account);
    const post = await given.post({ account, card_uri: `card://${id}` });
    await advertiser.api.delete(`/12/accounts/${account.id}/cards/${id}`);
    const { id: line_item_id } = await item(advertiser, FOR.WEBSITE_CLICKS);
    expect((await promote(advertiser, { line_item_id, post_ids: post.id })).status).toBe(400);
  });

  it('is anything beside an account, whose line item is then shown in timelines, too', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await item(advertiser, FOR.FOLLOWERS);
    const post = await given.post({ account });
    expect((await promote(advertiser, { line_item_id, post_ids: post.id })).status).toBe(201);
    const path = `/12/accounts/${account.id}/line_items/${line_item_id}`;
    const { data } = (await api.get(path)).body;
    expect(data.placements).toEqual(['ALL_ON_PLATFORM', 'PLATFORM_TIMELINE']);
    // it still has no account to show
    expect(data.reasons_not_servable).toContain('INCOMPLETE');
    expect(data.updated_at >= data.created_at).toBe(true);
    const back = await api.put(path, { query: { placements: data.placements.join(','), name: 'As it was' } });
    expect(back.status).toBe(200);
    const other = await given.post({ account });
    expect((await promote(advertiser, { line_item_id, post_ids: other.id })).status).toBe(201);
    expect((await api.get(path)).body.data.placements).toEqual(['ALL_ON_PLATFORM', 'PLATFORM_TIMELINE']);
  });
});

describe('posts of other users', () => {
  const friendly = async () => {
    const advertiser = await given.advertiser();
    const friend = await given.promotableUser(advertiser.account);
    return { advertiser, friend, original: await given.platformPost(friend.userId, { text: 'I love it. #coffee' }) };
  };

  it('are promoted as reposts, which are found again, also after a deletion', async () => {
    const { advertiser, original } = await friendly();
    const { account, api } = advertiser;
    const { id: line_item_id } = await item(advertiser);
    const asked = { line_item_id, post_ids: original.id };
    const first = await promote(advertiser, asked);
    expect(first.status).toBe(201);
    const [{ id, post_id }] = first.body.data;
    expect(post_id).not.toBe(original.id);
    for (const ids of [original.id, post_id, `${post_id},${original.id}`]) {
      const again = await promote(advertiser, { line_item_id, post_ids: ids });
      expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });
    }
    expect((await api.delete(at(advertiser, `/${id}`))).status).toBe(200);
    const once = await promote(advertiser, asked);
    expect(once.status).toBe(201);
    expect(once.body.data[0]).toMatchObject({ post_id });
    expect(once.body.data[0].id).not.toBe(id);

    const { id: another } = await item(advertiser);
    const elsewhere = await promote(advertiser, { line_item_id: another, post_ids: original.id });
    expect(elsewhere.body.data[0].post_id).not.toBe(post_id);

    const posts = await api.get(`/12/accounts/${account.id}/posts`, {
      query: { post_type: 'PUBLISHED', timeline_type: 'NULLCAST', post_ids: post_id },
    });
    expect(posts.body.data[0]).toMatchObject({
      post_id,
      full_text: 'I love it. #coffee',
      nullcast: true,
      reposted_post_id: original.id,
      user: { id_str: account.userId },
    });
  });

  it('are previewed as what they are', async () => {
    const { advertiser, friend, original } = await friendly();
    const { account, api } = advertiser;
    const { id: line_item_id } = await item(advertiser);
    const [{ post_id }] = (await promote(advertiser, { line_item_id, post_ids: original.id })).body.data;
    const { body } = await api.get(`/12/accounts/${account.id}/post_previews`, {
      query: { post_ids: post_id, post_type: 'PUBLISHED' },
    });
    const { text: page } = await anonymously('GET', pathIn(body.data[0].preview));
    const [{ username }] = await world().sql<{ username: string }>(
      `SELECT username FROM users WHERE id = $1`,
      friend.userId,
    );
    expect(page).toContain(`@${username}`);
    expect(page).toMatch(/ reposted<\/p>/);
  });

  it('show the media of the post that is repeated', async () => {
    const { advertiser, friend } = await friendly();
    const { account, api } = advertiser;
    const { mediaKey } = await given.libraryMedia(account, { additionalOwners: [friend.userId] });
    const theirs = await given.post({ account, media_keys: [mediaKey] });
    await world().sql('UPDATE posts SET "authorId" = $2 WHERE id = $1', theirs.id, friend.userId);
    const { id: line_item_id } = await item(advertiser);
    const [{ post_id }] = (await promote(advertiser, { line_item_id, post_ids: theirs.id })).body.data;
    const posts = await api.get(`/12/accounts/${account.id}/posts`, {
      query: { post_type: 'PUBLISHED', timeline_type: 'NULLCAST', post_ids: post_id },
    });
    expect(posts.body.data[0].entities.media[0].media_key).toBe(mediaKey);
  });

  it('are no posts to promote where they are promoted by another account', async () => {
    const { advertiser, friend } = await friendly();
    const theirs = await given.platformPost(friend.userId, { nullcast: true, accountId: 'another' });
    const { id: line_item_id } = await item(advertiser);
    const answer = await promote(advertiser, { line_item_id, post_ids: theirs.id });
    expect(problems(answer)).toMatchObject({ status: 404, errors: [{ code: 'POST_NOT_FOUND' }] });
  });

  it('need a caller who may repost for the FULL promotable user', async () => {
    const { advertiser, original } = await friendly();
    const { id: line_item_id } = await item(advertiser);
    const manager = await given.member(advertiser.account, 'AD_MANAGER');
    await world().get(AdministrationService).grant(advertiser.account.id, manager.user.id, 'AD_MANAGER', false);
    await world().caughtUp();
    const own = await given.platformPost(advertiser.account.userId);
    const refused = await promote(manager, { line_item_id, post_ids: `${own.id},${original.id}` });
    expect(problems(refused)).toMatchObject({
      status: 403,
      errors: [{ code: 'ACTION_NOT_ALLOWED', parameter: 'post_ids', value: original.id }],
    });
    expect(refused.body.errors[0].details).toContain('POST_COMPOSER');
    const beside = await promote(manager, { post_ids: original.id });
    expect(problems(beside).errors).toContainEqual(expect.objectContaining({ code: 'ACTION_NOT_ALLOWED' }));
    expect((await promote(manager, { line_item_id, post_ids: own.id })).status).toBe(201);
    // the FULL user needs nothing besides
    expect((await promote(advertiser, { line_item_id, post_ids: original.id })).status).toBe(201);
  });

  it('need a FULL promotable user who reposts', async () => {
    const { advertiser, original } = await friendly();
    const { id: line_item_id } = await item(advertiser);
    await world().sql(
      `UPDATE promotable_users SET "deletedAt" = now() WHERE "accountId" = $1 AND "promotableUserType" = 'FULL'`,
      advertiser.account.id,
    );
    const answer = await promote(advertiser, { line_item_id, post_ids: original.id });
    expect(problems(answer)).toMatchObject({
      status: 400,
      errors: [{ code: 'INVALID_PARAMETER', parameter: 'post_ids', value: original.id }],
    });
  });

  it('are reposted once, however many ask at once', async () => {
    const { advertiser, friend, original } = await friendly();
    const other = await given.platformPost(friend.userId);
    const { id: line_item_id } = await item(advertiser);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        promote(advertiser, { line_item_id, post_ids: [original.id, ...(n % 2 ? [other.id] : [])].join(',') }),
      ),
    );
    for (const { status } of answers) expect([200, 201]).toContain(status);
    expect(new Set(answers.map(({ body }) => body.data[0].post_id)).size).toBe(1);
    const [{ promoted, reposts, creatives }] = await world().sql<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM promoted_posts WHERE "lineItemId" = $1) AS promoted,
        (SELECT count(*)::int FROM posts WHERE "repostOfId" = ANY($2::text[])) AS reposts,
        (SELECT creatives FROM line_items WHERE id = $1) AS creatives`,
      line_item_id,
      [original.id, other.id],
    );
    expect({ promoted, reposts, creatives }).toEqual({ promoted: 2, reposts: 2, creatives: 2 });
  });
});

describe('what is promoted', () => {
  const state = async (advertiser: Advertiser, { id, campaignId }: { id: string; campaignId: string }) => {
    const path = `/12/accounts/${advertiser.account.id}`;
    const [one, whole] = await Promise.all([
      advertiser.api.get(`${path}/line_items/${id}`),
      advertiser.api.get(`${path}/campaigns/${campaignId}`),
    ]);
    return [one, whole].map(({ body }) => body.data.reasons_not_servable.includes('INCOMPLETE'));
  };

  it('completes its line item and campaign until the last one goes', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const campaign = await given.campaign({ account });
    const made = await item(advertiser, { campaign_id: campaign.id });
    expect(await state(advertiser, made)).toEqual([true, true]);
    const one = await given.promotedPost({ account, lineItemId: made.id });
    const other = await given.promotedPost({ account, lineItemId: made.id });
    expect(await state(advertiser, made)).toEqual([false, false]);
    const { body } = await advertiser.api.get(`/12/accounts/${account.id}/line_items/${made.id}`);
    expect(body.data).toMatchObject({ servable: true, effective_status: 'RUNNING' });
    await advertiser.api.delete(at(advertiser, `/${one.id}`));
    expect(await state(advertiser, made)).toEqual([false, false]);
    await advertiser.api.delete(at(advertiser, `/${other.id}`));
    expect(await state(advertiser, made)).toEqual([true, true]);
  });

  it('is deleted once by whoever comes first', async () => {
    const advertiser = await given.advertiser();
    const promoted = await given.promotedPost({ account: advertiser.account });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => advertiser.api.delete(at(advertiser, `/${promoted.id}`))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
    expect(answers.find(({ status }) => status === 200)!.body.data).toMatchObject({ id: promoted.id, deleted: true });
    const [{ creatives }] = await world().sql<{ creatives: number }>(
      `SELECT creatives FROM line_items WHERE id = $1`,
      promoted.lineItemId,
    );
    expect(creatives).toBe(0);
  });

  it('is not younger than the deletion of its line item, nor is a count lost', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const posts = await Promise.all(Array.from({ length: 6 }, () => given.platformPost(account.userId)));
    for (let round = 0; round < 5; round++) {
      const made = await item(advertiser, { entity_status: 'PAUSED' });
      const first = await given.promotedPost({ account, lineItemId: made.id });
      const answers = await Promise.all([
        ...posts.slice(0, 3).map(({ id }) => promote(advertiser, { line_item_id: made.id, post_ids: id })),
        api.delete(at(advertiser, `/${first.id}`)),
        api.delete(`/12/accounts/${account.id}/line_items/${made.id}`),
        ...posts.slice(3).map(({ id }) => promote(advertiser, { line_item_id: made.id, post_ids: id })),
      ]);
      for (const { status } of answers) expect([200, 201, 404]).toContain(status);
      const [found] = await world().sql<Record<string, number>>(
        `SELECT l.creatives, (SELECT count(*)::int FROM promoted_posts p WHERE p."lineItemId" = l.id AND p."deletedAt" IS NULL) AS alive,
          (SELECT count(*)::int FROM promoted_posts p WHERE p."lineItemId" = l.id AND p."createdAt" > l."deletedAt") AS younger
          FROM line_items l WHERE l.id = $1 AND l."deletedAt" IS NOT NULL`,
        made.id,
      );
      expect(found).toEqual({ creatives: found.alive, alive: found.alive, younger: 0 });
    }
  });
});
