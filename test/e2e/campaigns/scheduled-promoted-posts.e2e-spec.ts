import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { ScheduledPromotedPostsJob } from '../../../src/campaigns/scheduled-promoted-posts/scheduled-promoted-posts.job.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { useApp, world } from '../../support/app.js';
import type { Json, Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

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

  it('of another user need a caller who may repost for the FULL promotable user', async () => {
    const advertiser = await given.advertiser();
    const friend = await given.advertiser();
    const { account } = advertiser;
    await promotableUserOf(friend, advertiser);
    const member = await given.member(account, 'AD_MANAGER');
    const setRole = async (postComposer: boolean) => {
      await world().get(AdministrationService).grant(account.id, member.user.id, 'AD_MANAGER', postComposer);
      await world().caughtUp();
    };
    const { id: line_item_id } = await given.lineItem({ account });
    const { id: scheduled_post_id } = await given.scheduledPost({ account: friend.account });
    const own = await given.scheduledPost({ account });

    await setRole(false);
    const refused = await wait(member, { line_item_id, scheduled_post_id });
    expect(problems(refused)).toEqual({ status: 403, errors: ['ACTION_NOT_ALLOWED scheduled_post_id'] });
    expect(refused.body.errors[0].details).toBe(
      `POST_COMPOSER is needed to repost as User ${account.userId}: see authenticated_user_access`,
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
