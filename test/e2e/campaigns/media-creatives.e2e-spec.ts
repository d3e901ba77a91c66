import { useSharedApp, world } from '../../support/app.js';
import type { Json } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { LineItemCuratedCategoriesService } from '../../../src/campaigns/line-item-curated-categories/line-item-curated-categories.service.js';
import { LineItemCuratedCategory } from '../../../src/campaigns/line-item-curated-categories/line-item-curated-category.entity.js';
import { LineItemCuratedCategoryView } from '../../../src/campaigns/line-item-curated-categories/line-item-curated-category.presenter.js';
import { MediaCreative } from '../../../src/campaigns/media-creatives/media-creative.entity.js';
import { MediaCreativeView } from '../../../src/campaigns/media-creatives/media-creative.presenter.js';
import { MediaCreativesService } from '../../../src/campaigns/media-creatives/media-creatives.service.js';
import { PrerollCallToAction } from '../../../src/campaigns/preroll-call-to-actions/preroll-call-to-action.entity.js';
import { PrerollCallToActionView } from '../../../src/campaigns/preroll-call-to-actions/preroll-call-to-action.presenter.js';
import { PrerollCallToActionsService } from '../../../src/campaigns/preroll-call-to-actions/preroll-call-to-actions.service.js';
import { PromotedAccount } from '../../../src/campaigns/promoted-accounts/promoted-account.entity.js';
import { PromotedAccountView } from '../../../src/campaigns/promoted-accounts/promoted-account.presenter.js';
import { PromotedAccountsService } from '../../../src/campaigns/promoted-accounts/promoted-accounts.service.js';
import { ScheduledPromotedPost } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-post.entity.js';
import { ScheduledPromotedPostView } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-post.presenter.js';
import { ScheduledPromotedPostsService } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-posts.service.js';
import { TrackingTag } from '../../../src/campaigns/tracking-tags/tracking-tag.entity.js';
import { TrackingTagView } from '../../../src/campaigns/tracking-tags/tracking-tag.presenter.js';
import { TrackingTagsService } from '../../../src/campaigns/tracking-tags/tracking-tags.service.js';
import { listConventions } from '../../support/list-conventions.js';

useSharedApp();

describe('media creatives', () => {
  const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/media_creatives${rest}`;
  const show = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
  const problems = ({ status, body }: { status: number; body: Json }) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
  });

  /** A line item that shows images on the partner network. */
  const forImages = ({ account }: Advertiser, params: object = {}) =>
    given.lineItem({
      account,
      objective: 'REACH',
      product_type: 'MEDIA',
      placements: ['PUBLISHER_NETWORK'],
      advertiser_domain: 'example.com',
      categories: ['IAB3'],
      ...params,
    });
  const forClicks = (advertiser: Advertiser) => forImages(advertiser, { objective: 'WEBSITE_CLICKS' });

  describe('showing media', () => {
    it('shows an in-stream video, and keeps no URL of it', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: line_item_id } = await given.prerollLineItem({ account });
      const { id: account_media_id } = await given.accountMedia(account);
      const asked = { line_item_id, account_media_id, landing_url: 'https://example.com/ignored' };
      const first = await show(advertiser, asked);
      expect(first.status).toBe(201);
      expect(first.body.data).toEqual({
        id: expect.any(String),
        line_item_id,
        landing_url: null,
        creative_type: 'PREROLL',
        entity_status: 'ACTIVE',
        account_media_id,
        approval_status: 'ACCEPTED',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      });
      const again = await show(advertiser, { line_item_id, account_media_id });
      expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first.body.data });
      const other = await given.accountMedia(account);
      for (const [medium, status] of [
        [other.id, 201],
        [account_media_id, 200],
      ] as const) {
        const answer = await show(advertiser, { line_item_id, account_media_id: medium, landing_url: 'nowhere' });
        expect({ status: answer.status, url: answer.body.data?.landing_url }).toEqual({ status, url: null });
      }
    });

    it('makes one of many at once', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: line_item_id } = await given.prerollLineItem({ account });
      const { id: account_media_id } = await given.accountMedia(account);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => show(advertiser, { line_item_id, account_media_id })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
      const [{ creatives }] = await world().sql<{ creatives: number }>(
        `SELECT creatives FROM line_items WHERE id = $1`,
        line_item_id,
      );
      expect(creatives).toBe(1);
    });

    it('completes its line item until the last one goes', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const item = await given.prerollLineItem({ account, campaign_id: (await given.campaign({ account })).id });
      const read = async () => (await api.get(`/12/accounts/${account.id}/line_items/${item.id}`)).body.data;
      expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
      const creative = await given.mediaCreative({ account, lineItemId: item.id });
      expect(await read()).toMatchObject({ servable: true });
      await api.delete(at(advertiser, `/${creative.id}`));
      expect((await read()).reasons_not_servable).toEqual(['INCOMPLETE']);
    });

    it.each([
      ['BANNER', 'TAP_BANNER', true],
      ['BANNER', 'TAP_FULL', false],
      ['BANNER_TABLET', 'TAP_BANNER', true],
      ['INTERSTITIAL', 'TAP_FULL', true],
      ['INTERSTITIAL_TABLET', 'PUBLISHER_NETWORK', true],
      ['INTERSTITIAL_LANDSCAPE', 'TAP_FULL_LANDSCAPE', true],
      ['INTERSTITIAL_LANDSCAPE_TABLET', 'TAP_BANNER', false],
      ['MEDIUM_RECTANGLE', 'TAP_MRECT', true],
      ['PREROLL', 'PUBLISHER_NETWORK', false],
    ] as const)('%s on a line item that is shown at %s: %s', async (type, placement, fits) => {
      const advertiser = await given.advertiser();
      const { id: line_item_id } = await forImages(advertiser, { placements: [placement] });
      const { id: account_media_id } = await given.accountMedia(advertiser.account, type);
      const answer = await show(advertiser, { line_item_id, account_media_id });
      expect(problems(answer)).toEqual(
        fits ? { status: 201, errors: undefined } : { status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] },
      );
    });

    it('shows an in-stream video only where streams are', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: account_media_id } = await given.accountMedia(account);
      for (const [placements, fits] of [
        ['{TAP_BANNER}', false],
        ['{TAP_BANNER,PUBLISHER_NETWORK}', true],
        ['{ALL_ON_PLATFORM}', true],
      ] as const) {
        const { id: line_item_id } = await given.prerollLineItem({ account });
        // line items of earlier releases can have any placement
        await world().sql('UPDATE line_items SET placements = $2::varchar[] WHERE id = $1', line_item_id, placements);
        const answer = await show(advertiser, { line_item_id, account_media_id });
        expect([placements, problems(answer)]).toEqual([
          placements,
          fits ? { status: 201, errors: undefined } : { status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] },
        ]);
      }
    });

    it('refuses images in streams, and what is no line item for media', async () => {
      const advertiser = await given.advertiser();
      const { account } = advertiser;
      const { id: account_media_id } = await given.accountMedia(account, 'BANNER');
      for (const item of [await given.prerollLineItem({ account }), await given.lineItem({ account })]) {
        const answer = await show(advertiser, { line_item_id: item.id, account_media_id });
        expect(problems(answer)).toEqual({ status: 400, errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'] });
      }
    });

    it('needs to know where an image leads where clicks are bought', async () => {
      const advertiser = await given.advertiser();
      const { id: line_item_id } = await forClicks(advertiser);
      const { id: account_media_id } = await given.accountMedia(advertiser.account, 'BANNER');
      const asked = { line_item_id, account_media_id };
      expect(problems(await show(advertiser, asked))).toEqual({
        status: 400,
        errors: ['MISSING_PARAMETER landing_url'],
      });
      expect(problems(await show(advertiser, { ...asked, landing_url: 'nowhere' }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER landing_url'],
      });
      const made = await show(advertiser, { ...asked, landing_url: 'https://example.com/offers' });
      expect(made.body.data.landing_url).toBe('https://example.com/offers');
      expect((await show(advertiser, { ...asked, landing_url: 'https://example.com/offers' })).status).toBe(200);
      expect(problems(await show(advertiser, { ...asked, landing_url: 'https://example.com/other' }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER landing_url'],
      });
    });

    it('names everything that is wrong', async () => {
      const advertiser = await given.advertiser();
      const answer = await show(advertiser, { line_item_id: 'nobody', account_media_id: 'nothing', landing_url: 'x' });
      expect(problems(answer)).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER landing_url', 'NOT_FOUND line_item_id', 'NOT_FOUND account_media_id'],
      });
    });

    it('shows no media of others, nor deleted ones; what is shown stays when its medium goes', async () => {
      const advertiser = await given.advertiser();
      const other = await given.advertiser();
      const { account, api } = advertiser;
      const { id: line_item_id } = await given.prerollLineItem({ account });
      const theirs = await given.accountMedia(other.account);
      const foreign = await show(advertiser, { line_item_id, account_media_id: theirs.id });
      expect(problems(foreign)).toEqual({ status: 404, errors: ['NOT_FOUND account_media_id'] });
      const creative = await given.mediaCreative({ account, lineItemId: line_item_id });
      const media = `/12/accounts/${account.id}/account_media/${creative.accountMediaId}`;
      expect((await api.delete(media)).status).toBe(200);
      expect((await api.get(at(advertiser, `/${creative.id}`))).body.data).toMatchObject({ deleted: false });
      await api.delete(at(advertiser, `/${creative.id}`));
      const again = await show(advertiser, { line_item_id, account_media_id: creative.accountMediaId });
      expect(problems(again)).toEqual({ status: 404, errors: ['NOT_FOUND account_media_id'] });
    });

    it('is found by its campaign', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const item = await given.prerollLineItem({ account });
      const one = await given.mediaCreative({ account, lineItemId: item.id });
      await given.mediaCreative({ account });
      const listed = async (campaign_id: string) =>
        (await api.get(at(advertiser), { query: { campaign_id } })).body.data.map(({ id }: Json) => id);
      expect(await listed(item.campaignId)).toEqual([one.id]);
      expect(await listed('nothing')).toEqual([]);
    });
  });
});

describe('preroll call to actions', () => {
  const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/preroll_call_to_actions${rest}`;
  const create = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
  const problems = ({ status, body }: { status: number; body: Json }) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
  });
  const CALL = { call_to_action: 'SHOP', call_to_action_url: 'https://example.com/shop' };

  describe('preroll call to actions', () => {
    it('are made, changed and deleted; a line item has one at most', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const { id: line_item_id } = await given.prerollLineItem({ account });
      const { status, body } = await create(advertiser, { line_item_id, ...CALL });
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.any(String),
        line_item_id,
        ...CALL,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      });
      const same = await create(advertiser, { line_item_id, ...CALL });
      expect({ status: same.status, data: same.body.data }).toEqual({ status: 200, data: body.data });
      expect(problems(await create(advertiser, { line_item_id, ...CALL, call_to_action: 'GO_TO' }))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER line_item_id'],
      });
      const one = at(advertiser, `/${body.data.id}`);
      const changed = await api.put(one, { query: { ...body.data, call_to_action: 'WATCH_NOW' } });
      expect(changed.body.data).toMatchObject({ ...CALL, call_to_action: 'WATCH_NOW' });
      const elsewhere = await api.put(one, { query: { line_item_id: 'another', call_to_action: 'JUMP' } });
      expect(problems(elsewhere)).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER call_to_action', 'INVALID_PARAMETER line_item_id'],
      });
      expect((await api.delete(one)).body.data).toMatchObject({ deleted: true });
      expect((await api.put(one, { query: { call_to_action: 'SHOP' } })).status).toBe(404);
      expect((await create(advertiser, { line_item_id, ...CALL })).status).toBe(201);
    });

    it('are one where many are made at once', async () => {
      const advertiser = await given.advertiser();
      const { id: line_item_id } = await given.prerollLineItem({ account: advertiser.account });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => create(advertiser, { line_item_id, ...CALL })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    });

    it('are for line items with in-stream videos', async () => {
      const advertiser = await given.advertiser();
      const { id: line_item_id } = await given.lineItem({ account: advertiser.account });
      expect(problems(await create(advertiser, { line_item_id, ...CALL }))).toEqual({
        status: 400,
        errors: ['INCOMPATIBLE_LINE_ITEM line_item_id'],
      });
      const wrong = { line_item_id: 'nobody', call_to_action: 'JUMP', call_to_action_url: 'ftp://example.com' };
      expect(problems(await create(advertiser, wrong))).toEqual({
        status: 400,
        errors: ['INVALID_PARAMETER call_to_action', 'INVALID_PARAMETER call_to_action_url', 'NOT_FOUND line_item_id'],
      });
    });
  });
});

describe('tracking tags', () => {
  const at = ({ account }: Advertiser, rest = '') => `/12/accounts/${account.id}/tracking_tags${rest}`;
  const create = (advertiser: Advertiser, query: Params) => advertiser.api.post(at(advertiser), { query });
  const problems = ({ status, body }: { status: number; body: Json }) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => `${code} ${parameter}`),
  });
  const TAG = {
    tracking_tag_type: 'IMPRESSION_TAG',
    tracking_tag_url: 'https://counter.example/ddm/trackimp/N1/B2.3;dc_trk_aid=4;ord=[timestamp]?',
  };

  it('are made, changed and deleted; only the URL changes', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await given.lineItem({ account });
    const { status, body } = await create(advertiser, { line_item_id, ...TAG });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      line_item_id,
      ...TAG,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    });
    const one = at(advertiser, `/${body.data.id}`);
    const tracking_tag_url = 'https://counter.example/';
    const sent = { ...body.data, tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url };
    expect((await api.put(one, { query: sent })).body.data).toMatchObject({ line_item_id, ...TAG, tracking_tag_url });
    expect(problems(await api.put(one, { query: {} }))).toEqual({
      status: 400,
      errors: ['MISSING_PARAMETER tracking_tag_url'],
    });
    expect((await api.delete(one)).body.data).toMatchObject({ deleted: true });
    expect((await api.put(one, { query: { tracking_tag_url } })).status).toBe(404);
  });

  it('are three of each type on a line item, also of many at once, and one more after a deletion', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const { id: line_item_id } = await given.lineItem({ account });
    const many = await Promise.all(Array.from({ length: 8 }, () => create(advertiser, { line_item_id, ...TAG })));
    expect(many.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(5).fill(400)]);
    const refused = many.find(({ status }) => status === 400)!;
    expect(problems(refused).errors).toEqual(['INVALID_PARAMETER line_item_id']);
    expect((await create(advertiser, { line_item_id, ...TAG, tracking_tag_type: 'CLICK_TRACKER' })).status).toBe(201);
    const made = many.find(({ status }) => status === 201)!;
    expect((await api.delete(at(advertiser, `/${made.body.data.id}`))).status).toBe(200);
    expect((await create(advertiser, { line_item_id, ...TAG })).status).toBe(201);
    expect((await create(advertiser, { line_item_id, ...TAG })).status).toBe(400);
  });

  it('name everything that is wrong', async () => {
    const advertiser = await given.advertiser();
    const wrong = { line_item_id: 'nobody', tracking_tag_type: 'PIXEL', tracking_tag_url: 'http://counter.example/' };
    expect(problems(await create(advertiser, wrong))).toEqual({
      status: 400,
      errors: ['INVALID_PARAMETER tracking_tag_type', 'INVALID_PARAMETER tracking_tag_url', 'NOT_FOUND line_item_id'],
    });
    expect(problems(await create(advertiser, { ...TAG, line_item_id: 'nobody' }))).toEqual({
      status: 404,
      errors: ['NOT_FOUND line_item_id'],
    });
  });
});

describe('shown things list', () => {
  /** Paused ones are made in the table: no endpoint pauses one. */
  const isPaused = (n: number) => [0, 2, 3, 7].includes(n);

  const pausedNow = async (table: string, { id }: { id: string }, n: number) => {
    if (isPaused(n)) await world().sql(`UPDATE ${table} SET paused = true WHERE id = $1`, id);
    return { id };
  };

  /** Copies of one row that differ in their id and in what one index keeps apart. */
  const copies = async (table: string, apart: string, { id }: { id: string }, count: number) => {
    await world().sql(
      `INSERT INTO ${table} SELECT (json_populate_record(r, json_build_object('id', lpad(n::text, 13, '0'), '${apart}', n::text))).*
      FROM ${table} r, generate_series(1, $2::int) n WHERE r.id = $1`,
      id,
      count - 1,
    );
  };

  describe('promoted accounts', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/promoted_accounts`,
      make: async (account, n) => pausedNow('promoted_accounts', await given.promotedAccount({ account }), n),
      makeMany: async (account: ActingAccount, count: number) =>
        copies('promoted_accounts', 'userId', await given.promotedAccount({ account }), count),
      remove: ({ account }, id) => world().get(PromotedAccountsService).delete(account, id),
      view: PromotedAccountView,
      entity: PromotedAccount,
      idsFilter: 'promoted_account_ids',
      sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
      hidden: { paused: isPaused },
    });
  });

  describe('media creatives', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/media_creatives`,
      make: async (account, n) => pausedNow('media_creatives', await given.mediaCreative({ account }), n),
      makeMany: async (account: ActingAccount, count: number) =>
        copies('media_creatives', 'accountMediaId', await given.mediaCreative({ account }), count),
      remove: ({ account }, id) => world().get(MediaCreativesService).delete(account, id),
      view: MediaCreativeView,
      entity: MediaCreative,
      idsFilter: 'media_creative_ids',
      sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
      hidden: { paused: isPaused },
    });
  });

  describe('scheduled promoted posts', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/scheduled_promoted_posts`,
      make: (account) => given.scheduledPromotedPost({ account }),
      makeMany: async (account: ActingAccount, count: number) =>
        copies('scheduled_promoted_posts', 'scheduledPostId', await given.scheduledPromotedPost({ account }), count),
      remove: ({ account }, id) => world().get(ScheduledPromotedPostsService).delete(account, id),
      view: ScheduledPromotedPostView,
      entity: ScheduledPromotedPost,
      idsFilter: 'scheduled_promoted_post_ids',
    });
  });

  describe('preroll call to actions', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/preroll_call_to_actions`,
      make: (account) => given.prerollCallToAction({ account }),
      makeMany: async (account: ActingAccount, count: number) => {
        for (const { id } of await given.lineItems({ account, count, ...PREROLL, entity_status: 'PAUSED' }))
          await given.prerollCallToAction({ account, lineItemId: id });
      },
      remove: ({ account }, id) => world().get(PrerollCallToActionsService).delete(account, id),
      view: PrerollCallToActionView,
      entity: PrerollCallToAction,
      idsFilter: 'preroll_call_to_action_ids',
    });
  });

  describe('tracking tags', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/tracking_tags`,
      make: (account) => given.trackingTag({ account }),
      makeMany: async (account: ActingAccount, count: number) => {
        const one = await given.trackingTag({ account });
        await world().sql('UPDATE tracking_tags SET slot = 0 WHERE id = $1', one.id);
        await copies('tracking_tags', 'slot', one, count);
      },
      remove: ({ account }, id) => world().get(TrackingTagsService).delete(account, id),
      view: TrackingTagView,
      entity: TrackingTag,
      idsFilter: 'tracking_tag_ids',
    });
  });

  describe('line item curated categories', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/line_item_curated_categories`,
      make: (account) => given.lineItemCuratedCategory({ account }),
      makeMany: async (account: ActingAccount, count: number) => {
        const { id: categoryId } = await given.curatedCategory();
        for (const { id } of await given.lineItems({ account, count, ...PREROLL, entity_status: 'PAUSED' }))
          await given.lineItemCuratedCategory({ account, lineItemId: id, categoryId });
      },
      remove: ({ account }, id) => world().get(LineItemCuratedCategoriesService).delete(account, id),
      view: LineItemCuratedCategoryView,
      entity: LineItemCuratedCategory,
      idsFilter: 'line_item_curated_category_ids',
    });
  });

  const PREROLL = { objective: 'PREROLL_VIEWS' as const, product_type: 'MEDIA' as const, categories: ['IAB3'] };

  const MAKERS = {
    promoted_accounts: given.promotedAccount,
    media_creatives: given.mediaCreative,
    scheduled_promoted_posts: given.scheduledPromotedPost,
    preroll_call_to_actions: given.prerollCallToAction,
    line_item_curated_categories: given.lineItemCuratedCategory,
    tracking_tags: given.trackingTag,
  } as const;

  describe.each(Object.keys(MAKERS) as (keyof typeof MAKERS)[])('what line items show: %s', (resource) => {
    it('is found by line items', async () => {
      const { account, api } = await given.advertiser();
      const [one] = [await MAKERS[resource]({ account }), await MAKERS[resource]({ account })];
      const query = { line_item_ids: one.lineItemId };
      const { body } = await api.get(`/12/accounts/${account.id}/${resource}`, { query });
      expect(body.data.map(({ id }: Json) => id)).toEqual([one.id]);
    });

    it('is shown only with deleted ones where its line item is deleted, and is still not deleted', async () => {
      const { account, api } = await given.advertiser();
      const path = `/12/accounts/${account.id}`;
      const gone = await MAKERS[resource]({ account });
      expect((await api.delete(`${path}/line_items/${gone.lineItemId}`)).status).toBe(200);
      expect((await api.get(`${path}/${resource}`)).body.data).toEqual([]);
      const all = await api.get(`${path}/${resource}`, { query: { with_deleted: true } });
      expect(all.body.data).toMatchObject([{ id: gone.id, deleted: false }]);
      const one = `${path}/${resource}/${gone.id}`;
      expect((await api.get(one)).status).toBe(404);
      expect((await api.get(one, { query: { with_deleted: true } })).body.data).toMatchObject({ deleted: false });
      expect((await api.delete(one)).status).toBe(404);
    });

    it('is deleted once by whoever comes first', async () => {
      const { account, api } = await given.advertiser();
      const one = await MAKERS[resource]({ account });
      const path = `/12/accounts/${account.id}/${resource}/${one.id}`;
      const answers = await Promise.all(Array.from({ length: 6 }, () => api.delete(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(5).fill(404)]);
      expect((await api.get(path, { query: { with_deleted: true } })).body.data).toMatchObject({ deleted: true });
    });

    it('is written by managers only', async () => {
      const { account } = await given.advertiser();
      const analyst = await given.member(account, 'CAMPAIGN_ANALYST');
      const one = await MAKERS[resource]({ account });
      const path = `/12/accounts/${account.id}/${resource}`;
      expect((await analyst.api.get(`${path}/${one.id}`)).status).toBe(200);
      expect((await analyst.api.delete(`${path}/${one.id}`)).status).toBe(403);
    });
  });
});
