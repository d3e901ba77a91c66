import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Json } from '../../support/http.js';
import { anonymously, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { pathIn } from '../creatives/previewed.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { PromotedPost } from '../../../src/campaigns/promoted-posts/promoted-post.entity.js';
import { PromotedPostView } from '../../../src/campaigns/promoted-posts/promoted-post.presenter.js';
import { PromotedPostsService } from '../../../src/campaigns/promoted-posts/promoted-posts.service.js';
import { listConventions } from '../../support/list-conventions.js';
import { ScheduledPromotedPostsJob } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-posts.job.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';

useSharedApp();

describe('promoted posts', () => {
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
      expect((await api.delete(at(advertiser, `/${once.body.data[0].id}`))).status).toBe(200);
      const both = await promote(advertiser, { line_item_id, post_ids: `${original.id},${post_id}` });
      expect({ status: both.status, posts: both.body.data.map((each: Json) => each.post_id) }).toEqual({
        status: 201,
        posts: [post_id],
      });

      // by the id of the repost alone, and then by that of the post
      expect((await api.delete(at(advertiser, `/${both.body.data[0].id}`))).status).toBe(200);
      const own = await promote(advertiser, { line_item_id, post_ids: post_id });
      expect(own.status).toBe(201);
      for (const ids of [original.id, `${post_id},${original.id}`]) {
        const again = await promote(advertiser, { line_item_id, post_ids: ids });
        expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: own.body.data });
      }

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
        contributors: null,
      });
    });

    it('name the caller who has the FULL promotable user repost', async () => {
      const { advertiser, original } = await friendly();
      const { id: line_item_id } = await item(advertiser);
      const manager = await given.member(advertiser.account, 'AD_MANAGER');
      const [{ post_id }] = (await promote(manager, { line_item_id, post_ids: original.id })).body.data;
      const { body } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/posts`, {
        query: { post_type: 'PUBLISHED', timeline_type: 'NULLCAST', post_ids: post_id },
      });
      expect(body.data[0].contributors).toEqual([Number(manager.user.id)]);
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
      await world().get(MembershipsService).grant(advertiser.account.id, manager.user.id, 'AD_MANAGER', false);
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
});

describe('promoted posts list', () => {
  /** Paused ones are made in the table: no endpoint pauses one. */
  const isPaused = (n: number) => [0, 2, 3, 7].includes(n);

  describe('promoted posts', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/promoted_posts`,
      make: async (account, n) => {
        const promoted = await given.promotedPost({ account });
        if (isPaused(n)) await world().sql(`UPDATE promoted_posts SET paused = true WHERE id = $1`, promoted.id);
        return promoted;
      },
      makeMany,
      remove: ({ account }, id) => world().get(PromotedPostsService).delete(account, id),
      view: PromotedPostView,
      entity: PromotedPost,
      idsFilter: 'promoted_post_ids',
      sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
      hidden: { paused: isPaused },
    });

    async function makeMany(account: ActingAccount, count: number) {
      const item = await given.lineItem({ account });
      const posts = world().get(PromotedPostsService);
      const ids: string[] = [];
      for (let n = 0; n < count; n++) ids.push((await given.platformPost(account.userId)).id);
      for (let from = 0; from < count; from += 50)
        await posts.create(account, Parsed.complete({ line_item_id: item.id, post_ids: ids.slice(from, from + 50) }));
    }

    it('finds those of line items', async () => {
      const { account, api } = await given.advertiser();
      const [one] = [await given.promotedPost({ account }), await given.promotedPost({ account })];
      const query = { line_item_ids: one.lineItemId };
      const { body } = await api.get(`/12/accounts/${account.id}/promoted_posts`, { query });
      expect(body.data.map(({ id }: Json) => id)).toEqual([one.id]);
    });

    it.each(['line_items', 'campaigns'])(
      'shows those of deleted %s only with deleted ones, still not deleted',
      async (parents) => {
        const { account, api } = await given.advertiser();
        const path = `/12/accounts/${account.id}`;
        const item = await given.lineItem({ account });
        const gone = await given.promotedPost({ account, lineItemId: item.id });
        const kept = await given.promotedPost({ account });
        const parent = parents === 'campaigns' ? item.campaignId : item.id;
        expect((await api.delete(`${path}/${parents}/${parent}`)).status).toBe(200);

        const listed = async (query: Json) =>
          (await api.get(`${path}/promoted_posts`, { query })).body.data.map(({ id, deleted }: Json) => [id, deleted]);
        expect(await listed({})).toEqual([[kept.id, false]]);
        expect(await listed({ promoted_post_ids: gone.id })).toEqual([]);
        expect(await listed({ with_deleted: true })).toEqual([
          [kept.id, false],
          [gone.id, false],
        ]);
        const one = `${path}/promoted_posts/${gone.id}`;
        expect((await api.get(one)).status).toBe(404);
        const shown = await api.get(one, { query: { with_deleted: true } });
        expect(shown.body.data).toMatchObject({ id: gone.id, deleted: false });
        expect((await api.delete(one)).status).toBe(404);
      },
    );
  });
});

describe('scheduled promoted posts', () => {
  const HOUR = 3_600_000;
  const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/scheduled_promoted_posts${rest}`;
  const wait = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
  const problems = ({ status, body }: { status: number; body: Json }) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
  });

  /** Whatever is scheduled within the next hours goes live, and is promoted. */
  const later = async (ids: string[]) => {
    world().clock.advance(2 * HOUR);
    await world().get(ScheduledPostsJob).publishDue();
    const published = await world().sql<{ id: string; postId: string }>(
      `SELECT id, "postId" FROM scheduled_posts WHERE id = ANY($1) AND "postId" IS NOT NULL`,
      ids,
    );
    const job = world().get(ScheduledPromotedPostsJob);
    // as two processes would, one of them twice
    for (const { id, postId } of published) {
      await Promise.all([job.promoteAll(id, postId), job.promoteAll(id, postId)]);
      await job.promoteAll(id, postId);
    }
    return new Map(published.map(({ id, postId }) => [id, postId]));
  };
  const promotedOn = async ({ account, api }: Advertiser, line_item_ids: string) =>
    (await api.get(`/12/accounts/${account.id}/promoted_posts`, { query: { line_item_ids } })).body.data;

  /** The user of one becomes a RETWEETS_ONLY promotable user of the other. */
  const promotableUserOf = (friend: Advertiser, { account }: Advertiser) =>
    world().sql(
      `INSERT INTO promotable_users SELECT (json_populate_record(r, json_build_object('id', 'friend' || r.id, 'accountId', $2::text,
      'promotableUserType', 'RETWEETS_ONLY'))).* FROM promotable_users r WHERE r."accountId" = $1`,
      friend.account.id,
      account.id,
    );

  describe('posts that are promoted once they are live', () => {
    it('are promoted once, however often it is asked for', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const item = await given.lineItem({ account });
      const scheduled = await given.scheduledPost({ account });
      const asked = { line_item_id: item.id, scheduled_post_id: scheduled.id };
      const first = await wait(advertiser, asked);
      expect(first.status).toBe(201);
      expect(first.body.data).toEqual({
        id: expect.any(String),
        line_item_id: item.id,
        scheduled_post_id: scheduled.id,
        post_id: null,
        failure_reason: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      });
      const again = await wait(advertiser, asked);
      expect({ status: again.status, id: again.body.data.id }).toEqual({ status: 200, id: first.body.data.id });
      expect(await promotedOn(advertiser, item.id)).toEqual([]);

      const posts = await later([scheduled.id]);
      const postId = posts.get(scheduled.id);
      expect((await api.get(at(advertiser, `/${first.body.data.id}`))).body.data).toMatchObject({ post_id: postId });
      expect(await promotedOn(advertiser, item.id)).toMatchObject([{ post_id: postId, entity_status: 'ACTIVE' }]);
      const { data } = (await api.get(`/12/accounts/${account.id}/line_items/${item.id}`)).body;
      expect(data.reasons_not_servable).not.toContain('INCOMPLETE');
      const [{ creatives }] = await world().sql<{ creatives: number }>(
        `SELECT creatives FROM line_items WHERE id = $1`,
        item.id,
      );
      expect(creatives).toBe(1);
      expect(problems(await api.delete(at(advertiser, `/${first.body.data.id}`)))).toEqual({
        status: 403,
        errors: ['ACTION_NOT_ALLOWED scheduled_promoted_post_id'],
      });
      expect(
        problems(await wait(advertiser, { ...asked, line_item_id: (await given.lineItem({ account })).id })),
      ).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER scheduled_post_id'],
      });
    });

    it('are promoted by the job that their going live enqueues', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const waiting = await given.scheduledPromotedPost({ account });
      world().clock.advance(2 * HOUR);
      await world().get(ScheduledPostsJob).publishDue();
      const isPromoted = async () => (await promotedOn(advertiser, waiting.lineItemId)).length === 1;
      for (let tries = 0; tries < 100 && !(await isPromoted()); tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await isPromoted()).toBe(true);
    });

    it('are not promoted where that was deleted in time', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const waiting = await given.scheduledPromotedPost({ account });
      expect((await api.delete(at(advertiser, `/${waiting.id}`))).body.data).toMatchObject({ deleted: true });
      await later([waiting.scheduledPostId]);
      expect(await promotedOn(advertiser, waiting.lineItemId)).toEqual([]);
    });

    it('have failed where the account is deleted, whatever else is gone, and are not tried again', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const waiting = await given.scheduledPromotedPost({ account });
      const post = await given.post({ account });
      expect((await api.delete(`/12/accounts/${account.id}/line_items/${waiting.lineItemId}`)).status).toBe(200);
      await given.deletedAccount('production', account.id, account.userId);
      await world().get(ScheduledPromotedPostsJob).promoteAll(waiting.scheduledPostId, post.id);
      expect(await world().sql('SELECT failure FROM scheduled_promoted_posts WHERE id = $1', waiting.id)).toEqual([
        { failure: expect.stringMatching(/^[A-Z_]+: .{10,}/) },
      ]);
    });

    it('do not wait for one that fails, which a later attempt promotes', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: scheduledPostId } = await given.scheduledPost({ account });
      const broken = await given.scheduledPromotedPost({ account, postId: scheduledPostId });
      const next = await given.scheduledPromotedPost({ account, postId: scheduledPostId });
      const { id: post_id } = await given.post({ account });
      const promoteAll = () => world().get(ScheduledPromotedPostsJob).promoteAll(scheduledPostId, post_id);
      await world().sql(
        `ALTER TABLE scheduled_promoted_posts ADD CONSTRAINT broken CHECK (id <> '${broken.id}' OR "postId" IS NULL) NOT VALID`,
      );
      try {
        await expect(promoteAll()).rejects.toThrow(/broken/);
      } finally {
        await world().sql('ALTER TABLE scheduled_promoted_posts DROP CONSTRAINT broken');
      }
      expect(await promotedOn(advertiser, broken.lineItemId)).toEqual([]);
      expect(await promotedOn(advertiser, next.lineItemId)).toMatchObject([{ post_id }]);
      await promoteAll();
      expect(await promotedOn(advertiser, broken.lineItemId)).toMatchObject([{ post_id }]);
    });

    it('cannot be called off in their minute', async () => {
      const advertiser = await given.advertiser();
      const waiting = await given.scheduledPromotedPost({ account: advertiser.account });
      // nobody publishes it meanwhile
      await world().sql(
        `UPDATE scheduled_posts SET "scheduledAt" = $2, "scheduledStatus" = 'SUCCESS' WHERE id = $1`,
        waiting.scheduledPostId,
        world().clock.now().toISOString(),
      );
      expect((await advertiser.api.delete(at(advertiser, `/${waiting.id}`))).status).toBe(403);
    });

    it('say why they were not promoted', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const { id: clicks } = await given.lineItem({ account, objective: 'WEBSITE_CLICKS' });
      const scheduled = await given.scheduledPost({ account, text: 'Look: https://example.com/' });
      const waiting = await given.scheduledPromotedPost({ account, lineItemId: clicks, postId: scheduled.id });
      const gone = await given.scheduledPromotedPost({ account, postId: scheduled.id });
      const post = `/12/accounts/${account.id}/scheduled_posts/${scheduled.id}`;
      expect((await api.put(post, { query: { text: 'No link any more' } })).status).toBe(200);
      await api.delete(`/12/accounts/${account.id}/line_items/${gone.lineItemId}`);
      await later([scheduled.id]);
      const read = async (id: string) =>
        (await api.get(at(advertiser, `/${id}`), { query: { with_deleted: true } })).body.data;
      expect(await read(waiting.id)).toMatchObject({ post_id: null });
      expect((await read(waiting.id)).failure_reason).toMatch(/^INVALID_PARAMETER: Post \d+ cannot be promoted/);
      expect((await read(gone.id)).failure_reason).toMatch(/^NOT_FOUND: Line Item/);
      expect((await api.delete(at(advertiser, `/${waiting.id}`))).status).toBe(200);
    });

    it('may be those of another account for a promotable user, and are reposted', async () => {
      const advertiser = await given.advertiser();
      const friend = await given.advertiser();
      const stranger = await given.advertiser();
      const { account } = advertiser;
      await promotableUserOf(friend, advertiser);
      const { id: line_item_id } = await given.lineItem({ account });
      const secret = await given.scheduledPost({ account: stranger.account });
      expect(problems(await wait(advertiser, { line_item_id, scheduled_post_id: secret.id }))).toEqual({
        status: 404,
        errors: ['NOT_FOUND scheduled_post_id'],
      });
      const theirs = await given.scheduledPost({ account: friend.account });
      expect((await wait(advertiser, { line_item_id, scheduled_post_id: theirs.id })).status).toBe(201);
      const posts = await later([theirs.id]);
      const [promoted] = await promotedOn(advertiser, line_item_id);
      expect(promoted.post_id).not.toBe(posts.get(theirs.id));
      const [repost] = await world().sql(`SELECT "repostOfId", "authorId" FROM posts WHERE id = $1`, promoted.post_id);
      expect(repost).toEqual({ repostOfId: posts.get(theirs.id), authorId: account.userId });
    });

    it('are not those of a deleted account, which never go live', async () => {
      const [advertiser, friend] = [await given.advertiser(), await given.advertiser()];
      await promotableUserOf(friend, advertiser);
      const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
      const theirs = await given.scheduledPost({ account: friend.account });
      await world().sql(`UPDATE accounts SET "deletedAt" = "createdAt" WHERE id = $1`, friend.account.id);
      expect(problems(await wait(advertiser, { line_item_id, scheduled_post_id: theirs.id }))).toEqual({
        status: 404,
        errors: ['NOT_FOUND scheduled_post_id'],
      });
    });

    it('of another user need a caller who may repost for the FULL promotable user', async () => {
      const advertiser = await given.advertiser();
      const friend = await given.advertiser();
      const { account } = advertiser;
      await promotableUserOf(friend, advertiser);
      const member = await given.member(account, 'AD_MANAGER');
      const setRole = async (postComposer: boolean) => {
        await world().get(MembershipsService).grant(account.id, member.user.id, 'AD_MANAGER', postComposer);
        await world().caughtUp();
      };
      const { id: line_item_id } = await given.lineItem({ account });
      const { id: scheduled_post_id } = await given.scheduledPost({ account: friend.account });
      const own = await given.scheduledPost({ account });

      await setRole(false);
      const refused = await wait(member, { line_item_id, scheduled_post_id });
      expect(problems(refused)).toEqual({ status: 403, errors: ['ACTION_NOT_ALLOWED scheduled_post_id'] });
      expect(refused.body.errors[0].details).toBe(
        `the permission POST_COMPOSER is required to repost as User ${account.userId}; see authenticated_user_access`,
      );
      // the post of the FULL promotable user is promoted as it is
      expect((await wait(member, { line_item_id, scheduled_post_id: own.id })).status).toBe(201);

      await setRole(true);
      expect((await wait(member, { line_item_id, scheduled_post_id })).status).toBe(201);
    });

    it('have to suit the objective, as far as that is known', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: clicks } = await given.lineItem({ account, objective: 'WEBSITE_CLICKS' });
      const { id: media } = await given.prerollLineItem({ account });
      const { id: scheduled_post_id } = await given.scheduledPost({ account });
      expect(problems(await wait(advertiser, { line_item_id: clicks, scheduled_post_id }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER scheduled_post_id'],
      });
      expect(problems(await wait(advertiser, { line_item_id: media, scheduled_post_id: '1' }))).toEqual({
        status: 400,
        errors: ['INCOMPATIBLE_LINE_ITEM line_item_id', 'NOT_FOUND scheduled_post_id'],
      });
      expect(problems(await wait(advertiser, { line_item_id: 'nobody', scheduled_post_id: 'x' }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER scheduled_post_id', 'NOT_FOUND line_item_id'],
      });
    });

    it('are never missed: what is stored waits for a post that is live after it', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      for (let round = 0; round < 5; round++) {
        const scheduled = await given.scheduledPost({ account });
        const { id: line_item_id } = await given.lineItem({ account });
        world().clock.advance(2 * HOUR);
        const [answer] = await Promise.all([
          wait(advertiser, { line_item_id, scheduled_post_id: scheduled.id }),
          world().get(ScheduledPostsJob).publishDue(),
        ]);
        expect([201, 400]).toContain(answer.status);
        await later([scheduled.id]);
        expect(await promotedOn(advertiser, line_item_id)).toHaveLength(answer.status === 201 ? 1 : 0);
      }
    });
  });
});

describe('promoted accounts', () => {
  const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/promoted_accounts${rest}`;
  const promote = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
  const problems = ({ status, body }: { status: number; body: Json }) => ({
    status,
    errors: body.errors?.map(({ code, parameter, value }: Json) => ({ code, parameter, value })),
  });

  describe('promoting accounts', () => {
    it('promotes a user once, and answers them as they are after that', async () => {
      const advertiser = await given.advertiser();
      const { account, user } = advertiser;
      const { id: line_item_id } = await given.followersLineItem({ account });
      const first = await promote(advertiser, { line_item_id, user_id: user.id });
      expect(first.status).toBe(201);
      expect(first.body.data).toEqual({
        id: expect.any(String),
        line_item_id,
        user_id: user.id,
        entity_status: 'ACTIVE',
        approval_status: 'ACCEPTED',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      });
      expect(first.body.request.params).toEqual({ account_id: account.id, line_item_id, user_id: user.id });
      const again = await promote(advertiser, { line_item_id, user_id: user.id });
      expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });

      expect((await advertiser.api.delete(at(advertiser, `/${first.body.data.id}`))).status).toBe(200);
      const anew = await promote(advertiser, { line_item_id, user_id: user.id });
      expect(anew.status).toBe(201);
      expect(anew.body.data.id).not.toBe(first.body.data.id);
    });

    it('makes one of fifty at once', async () => {
      const advertiser = await given.advertiser();
      const { account, user } = advertiser;
      const { id: line_item_id } = await given.followersLineItem({ account });
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => promote(advertiser, { line_item_id, user_id: user.id })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
      const [counted] = await world().sql(
        `SELECT creatives, (SELECT count(*)::int FROM promoted_accounts WHERE "lineItemId" = $1) AS made
        FROM line_items WHERE id = $1`,
        line_item_id,
      );
      expect(counted).toEqual({ creatives: 1, made: 1 });
    });

    it('completes a line item for followers until the last one goes, which posts do not', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const item = await given.followersLineItem({ account, campaign_id: (await given.campaign({ account })).id });
      const read = async () => (await api.get(`/12/accounts/${account.id}/line_items/${item.id}`)).body.data;
      await given.promotedPost({ account, lineItemId: item.id });
      expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
      const promoted = await given.promotedAccount({ account, lineItemId: item.id });
      expect(await read()).toMatchObject({ servable: true, effective_status: 'RUNNING' });
      await api.delete(at(advertiser, `/${promoted.id}`));
      expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
    });

    it('wants a line item for accounts, and a promotable user, and says so at once', async () => {
      const advertiser = await given.advertiser();
      const stranger = await given.advertiser();
      const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
      const answer = await promote(advertiser, { line_item_id, user_id: stranger.user.id });
      expect(problems(answer)).toEqual({
        status: 400,
        errors: [
          { code: 'INCOMPATIBLE_LINE_ITEM', parameter: 'line_item_id', value: line_item_id },
          { code: 'INVALID_USER_ID', parameter: 'user_id', value: stranger.user.id },
        ],
      });
      expect(answer.body.errors[1].message).toBe("You cannot promote someone else's account");
      expect(problems(await promote(advertiser, { line_item_id: 'nobody', user_id: 'x' }))).toEqual({
        status: 400,
        errors: [
          { code: 'INVALID_PARAMETER', parameter: 'user_id', value: 'x' },
          { code: 'NOT_FOUND', parameter: 'line_item_id', value: 'nobody' },
        ],
      });
      expect((await advertiser.api.get(at(advertiser))).body.data).toEqual([]);
    });

    it('promotes nobody who stopped to be promotable', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: line_item_id } = await given.followersLineItem({ account });
      const friend = await given.promotableUser(account);
      await world().sql(`UPDATE promotable_users SET "deletedAt" = now() WHERE id = $1`, friend.id);
      expect(problems(await promote(advertiser, { line_item_id, user_id: friend.userId }))).toMatchObject({
        status: 400,
        errors: [{ code: 'INVALID_USER_ID' }],
      });
    });

    it('refuses a list of line items that are all for something else', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const promoted = await given.promotedAccount({ account });
      const { id: foreign } = await given.lineItem({ account });
      const listed = (line_item_ids: string) => api.get(at(advertiser), { query: { line_item_ids } });
      expect(problems(await listed(foreign))).toEqual({
        status: 400,
        errors: [{ code: 'INCOMPATIBLE_LINE_ITEM', parameter: 'line_item_ids', value: [foreign] }],
      });
      const both = await listed(`${foreign},${promoted.lineItemId}`);
      expect(both.body.data.map(({ id }: Json) => id)).toEqual([promoted.id]);
      expect((await listed('nobody')).body.data).toEqual([]);
      await api.delete(`/12/accounts/${account.id}/line_items/${foreign}`);
      expect((await listed(foreign)).status).toBe(400);
    });

    it('keeps history', async () => {
      const advertiser = await given.advertiser();
      const promoted = await given.promotedAccount({ account: advertiser.account });
      const { body } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/account_history`, {
        query: {
          entity_type: 'PROMOTED_ACCOUNT',
          entity_id: promoted.id,
          start_time: '2020-01-01T00:00:00Z',
          end_time: '2040-01-01T00:00:00Z',
        },
      });
      expect(body.data).toMatchObject([{ change_type: 'CREATE', entity_data: { user_id: promoted.userId } }]);
    });
  });
});
