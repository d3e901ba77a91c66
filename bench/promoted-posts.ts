import type { Case } from './cases.js';
import { CAMPAIGNS, campaignId } from './line-items.js';
import { query, type World } from './world.js';

/** More than either server answers in a round: each of them takes the same posts once. */
const LINE_ITEMS = 30_000;
const POSTS = 500;
const TOGETHER = 50;
/** Before those that lists of posts are measured with. */
const FIRST_POST = 5 * 10 ** 14;

const lineItemId = (n: number): string => `pp${n.toString().padStart(11, '0')}`;
const postId = (n: number): string => (FIRST_POST + (n % POSTS)).toString();

/** Line items of the campaigns that `fillCampaigns` made, and posts of the FULL user of their accounts. */
export async function fillPromoted({ databaseUrl, written, author }: World): Promise<void> {
  const accounts = `array[${written.map(({ id }) => `'${id}'`).join()}]`;
  const campaigns = `array[${Array.from({ length: CAMPAIGNS }, (_, n) => `'${campaignId(n)}'`).join()}]`;
  await query(
    databaseUrl,
    `INSERT INTO line_items (id, "createdAt", "updatedAt", "accountId", "campaignId", "fundingInstrumentId", currency, "productType",
        objective, goal, placements, categories, "bidStrategy", "payBy", "startTime", "endTime", "creativeSource", "entityStatus", counted)
      SELECT 'pp' || lpad(n::text, 11, '0'), at, at, (${accounts})[n % ${written.length} + 1], c.id, c."fundingInstrumentId", 'USD',
        'PROMOTED_POSTS', 'ENGAGEMENTS', 'ENGAGEMENT', '{ALL_ON_PLATFORM}', '{}', 'AUTO', 'ENGAGEMENT', at, at + interval '9 years', 'MANUAL',
        'PAUSED', false
      FROM generate_series(0, ${LINE_ITEMS - 1}) AS n JOIN campaigns c ON c.id = (${campaigns})[n % ${CAMPAIGNS} + 1],
        (SELECT timestamptz '2026-01-01' AS at) AS t`,
  );
  await query(
    databaseUrl,
    `INSERT INTO posts (id, "createdAt", "updatedAt", "authorId", text, lang, entities, nullcast, "mediaKeys", "conversationSettings",
        conversational, digest)
      SELECT (${FIRST_POST} + n)::text, at, at, '${author}', 'Our offer number ' || n, 'und',
        '{"hashtags":[],"symbols":[],"user_mentions":[],"urls":[]}', false, '{}', 'EVERYONE', false, md5('offer' || n) || md5('number' || n)
      FROM generate_series(0, ${POSTS - 1}) AS n, (SELECT timestamptz '2025-01-01' AS at) AS t`,
  );
  await query(databaseUrl, 'VACUUM (ANALYZE) line_items, posts');
}

/** Fifty posts that a line item is to promote, all of them new to it: what a round stored is gone before the next one. */
export const promotedCases = ({ databaseUrl, written }: World): Case[] => [
  {
    name: `promoted posts of ${TOGETHER}`,
    before: () => query(databaseUrl, 'TRUNCATE promoted_posts, account_changes'),
    once: true,
    requests: Array.from({ length: LINE_ITEMS }, (_, n) => {
      const posts = Array.from({ length: TOGETHER }, (_, i) => postId(n * 7 + i)).join('%2C');
      const account = written[n % written.length].id;
      return {
        method: 'POST',
        target: `/12/accounts/${account}/promoted_posts?line_item_id=${lineItemId(n)}&post_ids=${posts}`,
      };
    }),
  },
];
