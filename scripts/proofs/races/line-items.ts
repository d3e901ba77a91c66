import { mustAddUp, made, newCampaign, published, START, treeOf, type Tree } from './campaign-tree.js';
import { mustNotBeYounger } from './deletes.js';
import { type Arena, type Asked, mustBe, only, type Race, statusesOf, succeeded } from './race.js';

const OF_CAMPAIGN = 100;
const ACTIVE = 256;
const ROOM = 3;
const MAX_BATCH_SIZE = 40;
/** Over which requests are spread, so that deletions come before, between and after the others. */
const WITHIN_MS = 30;
const NOT_THERE = [400, 404];

/** Creates of line items where a campaign has room for three. */
export const lastOfCampaign: Race = {
  name: 'creates for the last three line items of a campaign',
  prepare: async (arena) => {
    const account = arena.cluster.world.written[6];
    const tree = treeOf(account);
    const campaign = await newCampaign(arena, tree, 'Full');
    await fill(arena, tree, campaign, OF_CAMPAIGN - ROOM);
    const alive = () =>
      arena.sql<{ id: string }>(
        'SELECT id FROM line_items WHERE "campaignId" = $1 AND "deletedAt" IS NULL ORDER BY id',
        campaign,
      );
    return async () => {
      const answers = await arena.meet([
        ...Array.from({ length: 6 }, () => tree.lineItem(campaign)),
        tree.batch([tree.creation(campaign), tree.creation(campaign)]),
      ]);
      only([200, 201, 400], answers);
      const { length } = await alive();
      mustBe(length <= OF_CAMPAIGN, `${length} line items`);
      mustBe(length === OF_CAMPAIGN || answers.slice(0, 6).every(succeeded), `${length}: ${statusesOf(answers)}`);
      await mustAddUp(arena, account);
      for (const { id } of (await alive()).slice(OF_CAMPAIGN - ROOM)) await arena.one(tree.delete('line_items', id));
    };
  },
};

/** Creates, updates and batches that make line items active where the account has room for three. */
export const lastActive: Race = {
  name: 'creates, updates and batches for the last three active line items',
  prepare: async (arena) => {
    const account = arena.cluster.world.written[7];
    const tree = treeOf(account);
    const active = { entity_status: 'ACTIVE' };
    const campaigns: string[] = [];
    for (const n of [1, 2, 3, 4]) campaigns.push(await newCampaign(arena, tree, `Active ${n}`));
    for (const [i, count] of [90, 90, ACTIVE - ROOM - 180].entries())
      await fill(arena, tree, campaigns[i], count, active);
    const last = campaigns[3];
    const counting = () =>
      arena.sql<{ id: string }>(
        `SELECT id FROM line_items WHERE "accountId" = $1 AND counted AND "deletedAt" IS NULL ORDER BY id`,
        account.id,
      );
    return async () => {
      const paused: string[] = [];
      for (let n = 0; n < 4; n++) paused.push(await made(arena, tree.lineItem(last)));
      const singles = [
        tree.lineItem(last, active),
        tree.lineItem(campaigns[2], active),
        tree.update(paused[0], active),
        tree.update(paused[1], active),
      ];
      const answers = await arena.meet([
        ...singles,
        tree.batch([tree.creation(last, active), tree.creation(campaigns[2], active)]),
        tree.batch(paused.slice(2).map((id) => tree.change(id, active))),
      ]);
      only([200, 201, 400], answers);
      const { length } = await counting();
      const refused = answers.slice(0, singles.length).some((answer) => !succeeded(answer));
      mustBe(length <= ACTIVE && (!refused || length === ACTIVE), `${length} are active: ${statusesOf(answers)}`);
      await mustAddUp(arena, account);
      const surplus = (await counting()).slice(ACTIVE - ROOM).map(({ id }) => id);
      for (const id of new Set([...surplus, ...paused])) await arena.one(tree.delete('line_items', id));
    };
  },
};

/** One user promoted by many at once in one line item, and then let go by many at once. */
export const sameAccount: Race = {
  name: 'eight promotions of one account, then four deletes of it',
  prepare: async (arena) => {
    const { written, author } = arena.cluster.world;
    const tree = treeOf(written[8]);
    return async (time) => {
      const campaign = await newCampaign(arena, tree, `Followers ${time}`);
      const item = await made(arena, tree.followers(campaign));
      const answers = await arena.meet(Array.from({ length: 8 }, () => tree.promoteAccount(item, author)));
      mustBe(statusesOf(answers) === `${'200, '.repeat(7)}201`, statusesOf(answers));
      const ids = new Set(answers.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id));
      mustBe(ids.size === 1, `${ids.size} promoted accounts`);
      await mustAddUp(arena, written[8]);
      await deletedOnce(arena, tree, [['promoted_accounts', [...ids][0]]]);
      await mustAddUp(arena, written[8]);
      await arena.one(tree.campaigns.delete(campaign));
    };
  },
};

/** What belongs to line items, and they, deleted by four each, all at once. */
export const doubleDeletes: Race = {
  name: 'a line item, what it shows and whom it targets deleted by four each',
  prepare: async (arena) => {
    const { written } = arena.cluster.world;
    const tree = treeOf(written[8]);
    const posts = await published(arena, tree, 2);
    return async (time) => {
      const campaign = await newCampaign(arena, tree, `Deletes ${time}`);
      const kept = await made(arena, tree.lineItem(campaign));
      const gone = await made(arena, tree.lineItem(campaign, { end_time: '2037-01-01T00:00:00Z' }));
      const promoted: string[] = [];
      for (const post of posts) {
        const [{ id }] = await arena.one<{ id: string }[]>(tree.promotePosts(kept, post));
        promoted.push(id);
      }
      await arena.one(tree.promotePosts(gone, posts[0]));
      const keyword = await made(arena, tree.keyword(kept, `race ${time}`));
      await deletedOnce(arena, tree, [
        ['line_items', gone],
        ...promoted.map((id): [string, string] => ['promoted_posts', id]),
        ['targeting_criteria', keyword],
      ]);
      await mustAddUp(arena, written[8]);
      await arena.one(tree.campaigns.delete(campaign));
    };
  },
};

/** A line item is deleted while things are created in it. */
export const lineItem: Race = {
  name: 'a line item deleted beside creates of what belongs to it',
  prepare: async (arena) => {
    const { written, author } = arena.cluster.world;
    const tree = treeOf(written[9]);
    const posts = await published(arena, tree, 4);
    return async (time) => {
      const campaign = await newCampaign(arena, tree, `Posts ${time}`);
      const others = await newCampaign(arena, tree, `Accounts ${time}`);
      const item = await made(arena, tree.lineItem(campaign));
      const followers = await made(arena, tree.followers(others));
      const answers = await arena.meet(
        [
          ...posts.flatMap((post, i) => [tree.promotePosts(item, post), tree.keyword(item, `race ${time} ${i}`)]),
          ...[1, 2].flatMap(() => [tree.promoteAccount(followers, author), tree.keyword(followers, `race ${time}`)]),
          tree.delete('line_items', item),
          tree.delete('line_items', followers),
        ],
        WITHIN_MS,
      );
      only([200, 201, ...NOT_THERE], answers);
      for (const id of [item, followers])
        for (const table of ['promoted_posts', 'promoted_accounts', 'targeting_criteria'])
          await mustNotBeYounger(arena, table, '"lineItemId"', id);
      await mustAddUp(arena, written[9]);
      for (const id of [campaign, others]) await arena.one(tree.campaigns.delete(id));
    };
  },
};

/** A campaign is deleted while line items are created in it, and things in these. */
export const campaignOfItems: Race = {
  name: 'a campaign deleted beside writes of its line items and what they show',
  prepare: async (arena) => {
    const { written } = arena.cluster.world;
    const tree = treeOf(written[9]);
    const posts = await published(arena, tree, 3);
    return async (time) => {
      const campaign = await newCampaign(arena, tree, `Deleted ${time}`);
      const item = await made(arena, tree.lineItem(campaign, { entity_status: 'ACTIVE' }));
      const answers = await arena.meet(
        [
          ...writesInto(tree, campaign, time),
          ...posts.flatMap((post, i) => [tree.promotePosts(item, post), tree.keyword(item, `race ${time} ${i}`)]),
          tree.update(item, { name: `Race ${time}` }),
          tree.campaigns.delete(campaign),
        ],
        WITHIN_MS,
      );
      only([200, 201, ...NOT_THERE], answers);
      await mustNotBeYounger(arena, 'line_items', '"campaignId"', campaign);
      const items = await arena.sql<{ id: string }>('SELECT id FROM line_items WHERE "campaignId" = $1', campaign);
      for (const { id } of items)
        for (const table of ['promoted_posts', 'targeting_criteria'])
          await mustNotBeYounger(arena, table, '"lineItemId"', id, campaign);
      await mustAddUp(arena, written[9]);
    };
  },
};

/** Line items of a campaign come, change and go, with what they show: what it keeps of them is right in the end. */
export const keptOfItems: Race = {
  name: 'creates, updates and deletes of the line items of a campaign and of what they show',
  prepare: async (arena) => {
    const { written } = arena.cluster.world;
    const tree = treeOf(written[9]);
    const posts = await published(arena, tree, 3);
    return async (time) => {
      const campaign = await newCampaign(arena, tree, `Kept ${time}`);
      const [widest, changed, shown] = [
        await made(
          arena,
          tree.lineItem(campaign, { start_time: '2025-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' }),
        ),
        await made(arena, tree.lineItem(campaign, { entity_status: 'ACTIVE' })),
        await made(arena, tree.lineItem(campaign)),
      ];
      const [{ id: promoted }] = await arena.one<{ id: string }[]>(tree.promotePosts(shown, posts[0]));
      const answers = await arena.meet(
        [
          ...writesInto(tree, campaign, time),
          tree.delete('line_items', widest),
          tree.update(changed, { end_time: '2041-01-01T00:00:00Z' }),
          tree.update(changed, { start_time: '2025-06-01T00:00:00Z', entity_status: 'PAUSED' }),
          tree.delete('promoted_posts', promoted),
          tree.promotePosts(changed, posts[1]),
          tree.promotePosts(widest, posts[2]),
          tree.delete('line_items', shown),
        ],
        WITHIN_MS,
      );
      only([200, 201, ...NOT_THERE], answers);
      await mustAddUp(arena, written[9]);
      await arena.one(tree.campaigns.delete(campaign));
    };
  },
};

/** New line items of several flights, one by one and in a batch; those of two objectives exclude each other. */
const writesInto = (tree: Tree, campaign: string, time: number): Asked[] => [
  ...[2037, 2038, 2039].map((year, i) =>
    tree.lineItem(campaign, {
      name: `Race ${time} ${i}`,
      end_time: `${year}-01-01T00:00:00Z`,
      entity_status: ['ACTIVE', 'PAUSED', 'DRAFT'][i],
    }),
  ),
  tree.followers(campaign),
  tree.batch([
    tree.creation(campaign, { entity_status: 'ACTIVE' }),
    tree.creation(campaign, { start_time: START, end_time: '2042-01-01T00:00:00Z' }),
  ]),
];

/** Has each of these deleted by four at once: one does it, and history has it once. */
async function deletedOnce(arena: Arena, tree: Tree, things: [string, string][]): Promise<void> {
  const asked = things.flatMap(([kind, id]) => Array.from({ length: 4 }, () => tree.delete(kind, id)));
  const answers = await arena.meet(asked);
  for (const [i, [kind, id]] of things.entries()) {
    const own = answers.slice(4 * i, 4 * i + 4);
    mustBe(statusesOf(own) === '200, 404, 404, 404', `${kind}: ${statusesOf(own)}`);
    const told = await arena.sql(`SELECT 1 FROM account_changes WHERE "entityId" = $1 AND "changeType" = 'DELETE'`, id);
    mustBe(told.length === 1, `${told.length} records of the deletion of ${kind}`);
  }
}

async function fill(
  arena: Arena,
  tree: Tree,
  campaign: string,
  count: number,
  more: Record<string, string> = {},
): Promise<void> {
  for (let n = 0; n < count; n += MAX_BATCH_SIZE) {
    const operations = Array.from({ length: Math.min(MAX_BATCH_SIZE, count - n) }, () => tree.creation(campaign, more));
    await arena.one(tree.batch(operations));
  }
}
