import { randomUUID } from 'node:crypto';
import type { BenchAccount } from '../../../bench/world.js';
import { type Arena, type Asked, campaignsOf, mustBe, query } from './race.js';

export const START = '2026-01-01T00:00:00Z';
export const END = '2036-01-01T00:00:00Z';

/** Line items of a campaign, and what belongs to them, as an account asks for them. */
export const treeOf = (account: BenchAccount, base = '/12') => {
  const path = `${base}/accounts/${account.id}`;
  const post = (things: string, parameters: Record<string, string>): Asked => ({
    method: 'POST',
    target: `${path}/${things}?${query(parameters)}`,
  });
  const fields = (campaign_id: string, more: Record<string, string> = {}) => ({
    campaign_id,
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_PLATFORM',
    start_time: START,
    end_time: END,
    entity_status: 'PAUSED',
    ...more,
  });
  return {
    campaigns: campaignsOf(account, base),
    lineItem: (campaign_id: string, more?: Record<string, string>) => post('line_items', fields(campaign_id, more)),
    /** One for accounts instead of posts. */
    followers: (campaign_id: string) =>
      post('line_items', fields(campaign_id, { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' })),
    batch: (operations: object[]): Asked => ({
      method: 'POST',
      target: `${base}/batch/accounts/${account.id}/line_items`,
      body: operations,
    }),
    creation: (campaign_id: string, more: Record<string, string> = {}) => ({
      operation_type: 'Create',
      params: { ...fields(campaign_id, more), placements: ['ALL_ON_PLATFORM'] },
    }),
    change: (id: string, changes: object) => ({ operation_type: 'Update', params: { line_item_id: id, ...changes } }),
    update: (id: string, changes: Record<string, string>): Asked => ({
      method: 'PUT',
      target: `${path}/line_items/${id}?${query(changes)}`,
    }),
    publish: (as_user_id: string, text: string) => post('post', { as_user_id, text }),
    promotePosts: (line_item_id: string, post_ids: string) => post('promoted_posts', { line_item_id, post_ids }),
    promoteAccount: (line_item_id: string, user_id: string) => post('promoted_accounts', { line_item_id, user_id }),
    keyword: (line_item_id: string, targeting_value: string) =>
      post('targeting_criteria', { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value }),
    delete: (things: string, id: string): Asked => ({ method: 'DELETE', target: `${path}/${things}/${id}` }),
  };
};
export type Tree = ReturnType<typeof treeOf>;

/** A paused campaign without line items. */
export const newCampaign = async (arena: Arena, tree: Tree, name: string): Promise<string> =>
  (await arena.one<{ id: string }>(tree.campaigns.create(name))).id;

export const made = async (arena: Arena, asked: Asked): Promise<string> => (await arena.one<{ id: string }>(asked)).id;

/** Posts of the author, to be promoted; nobody publishes the same text twice a day. */
export async function published(arena: Arena, tree: Tree, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const post = await arena.one<{ id_str: string }>(tree.publish(arena.cluster.world.author, `Race ${randomUUID()}`));
    ids.push(post.id_str);
  }
  return ids;
}

/** What campaigns keep of their line items, and is not what a recount says. */
const KEPT_WRONGLY = `SELECT c.id, 'kept ' || ROW(c.objective, c."productType", c."startTime", c."endTime", c.complete)::text
    || ', counted ' || ROW(s.objective, s.product, s.start, s."end", s.complete)::text AS what
  FROM campaigns c JOIN (SELECT k.id, min(l.objective) AS objective, min(l."productType") AS product,
      min(l."startTime") FILTER (WHERE l."entityStatus" <> 'DRAFT') AS start,
      max(l."endTime") FILTER (WHERE l."entityStatus" <> 'DRAFT') AS "end",
      COALESCE(bool_or(l.creatives > 0), false) AS complete
    FROM campaigns k LEFT JOIN line_items l ON l."campaignId" = k.id AND l."deletedAt" IS NULL
    WHERE k."accountId" = $1 GROUP BY k.id) s ON s.id = c.id
  WHERE c."deletedAt" IS NULL AND (c.objective, c."productType", c."startTime", c."endTime", c.complete)
    IS DISTINCT FROM (s.objective, s.product, s.start, s."end", s.complete)`;

/** What line items have to show, and is not as much as there is. */
const SHOWN_WRONGLY = `SELECT l.id, 'shows ' || l.creatives || ', counted ' || s.shown AS what
  FROM line_items l, LATERAL (SELECT CASE WHEN l.objective = 'FOLLOWERS'
      THEN (SELECT count(*) FROM promoted_accounts p WHERE p."lineItemId" = l.id AND p."deletedAt" IS NULL)
      ELSE (SELECT count(*) FROM promoted_posts p WHERE p."lineItemId" = l.id AND p."deletedAt" IS NULL)
         + (SELECT count(*) FROM media_creatives m WHERE m."lineItemId" = l.id AND m."deletedAt" IS NULL) END AS shown) s
  WHERE l."accountId" = $1 AND l.creatives <> s.shown`;

/** Counters that are not the number of what they count. */
const COUNTED_WRONGLY = `SELECT n."ownerId" AS id, n.kind || ': ' || COALESCE(c.value, 0) || ', counted ' || n.number AS what
  FROM (SELECT "campaignId" AS "ownerId", 'line items' AS kind, count(*) FILTER (WHERE "deletedAt" IS NULL) AS number
      FROM line_items WHERE "accountId" = $1 GROUP BY "campaignId"
    UNION ALL SELECT $1, 'active line items', count(*) FROM line_items
      WHERE "accountId" = $1 AND "deletedAt" IS NULL AND NOT "campaignDeleted" AND "entityStatus" = 'ACTIVE') n
  LEFT JOIN counters c ON c."ownerId" = n."ownerId" AND c.kind = n.kind
  WHERE COALESCE(c.value, 0) <> n.number`;

/** Throws where something that an account's campaigns, line items or counters keep of others is not what a recount says. */
export async function mustAddUp(arena: Arena, { id }: BenchAccount): Promise<void> {
  for (const text of [KEPT_WRONGLY, SHOWN_WRONGLY, COUNTED_WRONGLY]) {
    const wrong = await arena.sql<{ id: string; what: string }>(text, id);
    mustBe(wrong.length === 0, wrong.map((each) => `${each.id} ${each.what}`).join('; '));
  }
}
