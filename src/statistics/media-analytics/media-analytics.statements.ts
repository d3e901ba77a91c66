import type { EntityManager } from 'typeorm';
import { MediaCreative } from '../../campaigns/media-creatives/media-creative.entity.js';
import { PrerollCallToAction } from '../../campaigns/preroll-call-to-actions/preroll-call-to-action.entity.js';
import { PromotedPost } from '../../campaigns/promoted-posts/promoted-post.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { binding, run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import { AccountMedia } from '../../creatives/account-media/account-media.entity.js';
import { Card } from '../../creatives/entities/card.entity.js';
import { Post } from '../../creatives/entities/post.entity.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';
import { MEDIA_METRICS, type MediaMetric } from './media-metrics.js';

/** What is counted of a video, by its name in answers. The label of the button says which clicks those on it are. */
const SUMS: Readonly<Record<MediaMetric, string>> = {
  cta_url_clicks: `f."videoCtaClicks") FILTER (WHERE s.cta IS DISTINCT FROM 'WATCH_NOW'`,
  cta_watch_clicks: `f."videoCtaClicks") FILTER (WHERE s.cta = 'WATCH_NOW'`,
  playback25: 'f."videoViews25"',
  playback50: 'f."videoViews50"',
  playback75: 'f."videoViews75"',
  playback_complete: 'f."videoViews100"',
  playback_start: 'f."videoContentStarts"',
  video_views: 'f."videoTotalViews"',
};

/** The sums of a media item in a unit of time. */
export type MediaSums = { key: string; unit: number } & Record<MediaMetric, number>;

/** The sums to read: of videos and GIFs, in accounts, between the bounds of units of time in milliseconds. */
export interface AskedMedia {
  /** Who asks: few long reads of a user run at a time. */
  userId: string;
  keys: readonly string[];
  accountIds: readonly string[];
  bounds: readonly number[];
}

/**
 * What line items of these accounts delivered of media items. Posts show their card instead of their own media. Deleted
 * promotions count: they have delivered. The primary tells, because writes of accounts are not remembered for their users.
 */
export function mediaSumsOf(db: EntityManager, { userId, keys, accountIds, bounds }: AskedMedia): Promise<MediaSums[]> {
  const { bind, values } = binding();
  const [named, accounts] = [`${bind(keys)}::varchar[]`, `${bind(accountIds)}::varchar[]`];
  const times = bounds.map((ms) => new Date(ms).toISOString());
  const [bucket, start, end] = [bind(times), bind(times[0]), bind(times[times.length - 1])];
  const table = (type: Parameters<typeof tableOf>[1]) => tableOf(db, type).table;
  const sums = MEDIA_METRICS.map((name) => `COALESCE(sum(${SUMS[name]}), 0)::int8 AS ${quoteIdentifier(name)}`);
  // an array of ids, or PostgreSQL reads all promoted posts for a hundred keys
  const text = `WITH posts_of AS MATERIALIZED (
      SELECT o.id, k.key, o."videoCta" AS cta FROM ${table(Post)} o CROSS JOIN unnest(o."mediaKeys") k (key)
        WHERE o."mediaKeys" && ${named} AND o."mediaKeys" <> '{}' AND o."cardId" IS NULL AND k.key = ANY(${named})
      UNION ALL SELECT o.id, k.key, o."videoCta" FROM ${table(Card)} c CROSS JOIN unnest(c."mediaKeys") k (key)
        JOIN ${table(Post)} o ON o."cardId" = c.id
        WHERE c."mediaKeys" && ${named} AND k.key = ANY(${named}) ${OF_ALL_ACCOUNTS}
    ), shown AS MATERIALIZED (
      SELECT p."accountId", p."lineItemId", p.id, o.key, o.cta FROM posts_of o JOIN ${table(PromotedPost)} p ON p."postId" = o.id
        WHERE p."postId" = ANY(ARRAY(SELECT id FROM posts_of)) AND p."accountId" = ANY(${accounts})
      UNION ALL SELECT m."accountId", m."lineItemId", m.id, a."mediaKey", c."callToAction" FROM ${table(AccountMedia)} a
        JOIN ${table(MediaCreative)} m ON m."accountMediaId" = a.id AND m."accountId" = a."accountId"
        LEFT JOIN ${table(PrerollCallToAction)} c ON c."accountId" = m."accountId" AND c."lineItemId" = m."lineItemId" AND c."deletedAt" IS NULL
        WHERE a."mediaKey" = ANY(${named}) AND a."accountId" = ANY(${accounts})
    ) SELECT s.key, width_bucket(f.hour, ${bucket}::timestamptz[]) - 1 AS unit, ${sums.join(', ')}
      FROM shown s JOIN ${table(DeliveryFact)} f ON f."accountId" = s."accountId" AND f."lineItemId" = s."lineItemId" AND f."promotedId" = s.id
        AND f.hour >= ${start}::timestamptz AND f.hour < ${end}::timestamptz GROUP BY 1, 2`;
  return run(db, { text, values }, { large: true, planned: 'each time', long: userId });
}
