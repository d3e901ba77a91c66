import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { PromotedPost } from '../../../src/campaigns/promoted-posts/promoted-post.entity.js';
import { PromotedPostView } from '../../../src/campaigns/promoted-posts/promoted-post.presenter.js';
import { PromotedPostsService } from '../../../src/campaigns/promoted-posts/promoted-posts.service.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';

useApp();

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
      await posts.create(account, Parsed.whole({ line_item_id: item.id, post_ids: ids.slice(from, from + 50) }));
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
