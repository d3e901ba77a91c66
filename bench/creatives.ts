import type { Settings } from './settings.js';
import { query, type World } from './world.js';

/** A word of one in a hundred media of the library, and one of five of them however many there are. */
export const USUAL = 'autumn';
export const RARE = 'needle';

/**
 * Fills the library of the first account and the timeline of its author. One in seven media is a video. Of the posts half
 * are promoted only, one in ten has a name, one in fifty an image, and one in twenty answers somebody: those the list
 * leaves out.
 */
export async function fillCreatives(
  { databaseUrl, account: { id }, author }: World,
  { media, posts }: Settings,
): Promise<void> {
  await query(
    databaseUrl,
    `INSERT INTO library_media (id, "createdAt", "updatedAt", "accountId", "mediaId", "mediaKey", "mediaCategory", "mediaType",
        name, "fileName", title, terms, "posterFile", posted, file, "contentType", size, width, height, duration)
      SELECT lpad(to_hex(n), 13, '0'), at, at, '${id}', number, CASE WHEN moving THEN '7_' ELSE '3_' END || number,
        CASE WHEN moving THEN 'POST_VIDEO' ELSE 'POST_IMAGE' END, CASE WHEN moving THEN 'VIDEO' ELSE 'IMAGE' END,
        concat_ws(' ', 'Shop window', usual, rare, n), 'window-' || n || CASE WHEN moving THEN '.mp4' ELSE '.jpg' END,
        CASE WHEN moving THEN 'Walk ' || n END,
        array(SELECT '${id} ' || word FROM unnest(array_remove(array['shop', 'window', usual, rare, n::text,
          CASE WHEN moving THEN 'mp4' ELSE 'jpg' END, CASE WHEN moving THEN 'walk' END], NULL)) AS word),
        CASE WHEN moving THEN md5('poster' || n) || '.jpg' END, n % 50 = 0, md5('file' || n) || CASE WHEN moving THEN '.mp4' ELSE '.jpg' END,
        CASE WHEN moving THEN 'video/mp4' ELSE 'image/jpeg' END, 1000 + n, 1280, 720, CASE WHEN moving THEN 10000 + n END
      FROM generate_series(1, ${media}) AS n, LATERAL (
        SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at, (${FIRST_ID} + n)::text AS number, n % 7 = 0 AS moving,
          CASE WHEN n % 100 = 50 THEN '${USUAL}' END AS usual, CASE WHEN n % (${media} / 5) = 1 THEN '${RARE}' END AS rare) AS t`,
  );
  await query(
    databaseUrl,
    `WITH made AS (
        INSERT INTO posts (id, "createdAt", "updatedAt", "accountId", "authorId", text, lang, entities, nullcast, "mediaKeys",
          "conversationSettings", conversational, digest)
        SELECT number, at, at, '${id}', '${author}', said, 'und', format(
            '{"hashtags":[{"text":"coffee","indices":[%s,%s]}],"symbols":[],"user_mentions":[],"urls":[]}', length(said) - 7, length(said))::json,
          n % 2 = 0, CASE WHEN n % 50 = 0 THEN array['3_' || (${FIRST_ID} + 1 + n % 9)] ELSE array[]::varchar[] END,
          'EVERYONE', n % 20 = 7, lpad(to_hex(n), 64, '0')
        FROM generate_series(1, ${posts}) AS n, LATERAL (
          SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at, (${FIRST_ID} + n)::text AS number,
            'Our blend number ' || n || ' of the season is here. #coffee' AS said) AS t)
      INSERT INTO post_names ("accountId", "postId", name)
        SELECT '${id}', (${FIRST_ID} + n)::text, 'Blend ' || n FROM generate_series(10, ${posts}, 10) AS n`,
  );
  await query(databaseUrl, 'VACUUM (ANALYZE)');
  await query(databaseUrl, 'CHECKPOINT');
}

/** Before all that are made while it runs. */
const FIRST_ID = 10 ** 15;
