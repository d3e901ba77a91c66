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
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

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
