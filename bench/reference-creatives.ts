/** The part of the reference server that answers creatives; see there. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type pg from 'pg';
import { postTermsOf } from '../src/creatives/post-terms/post-terms.rules.js';
import { recorded, records } from './reference-records.js';

const LIBRARY = {
  name: 'library',
  text: `SELECT "createdAt", "updatedAt", "deletedAt", "mediaId", "mediaKey", "mediaCategory", "mediaType", name, "fileName", title,
      description, "posterMediaKey", "posterFile", posted, file, width, height, duration, id
    FROM (SELECT * FROM library_media WHERE terms @> $2 OFFSET 0) AS r
    WHERE "accountId" = $1 AND "deletedAt" IS NULL ORDER BY id DESC LIMIT $3`,
};
const AUTHOR = {
  name: 'author',
  text: `SELECT u.id, u.name, u.username, u."createdAt" FROM promotable_users p JOIN users u ON u.id = p."userId"
    WHERE p."accountId" = $1 AND p."promotableUserType" = 'FULL' AND p."deletedAt" IS NULL`,
};
const POSTS = {
  name: 'posts',
  text: `SELECT r.id, r."createdAt", r."accountId", r."contributorId", r.text, r.lang, r.entities, r.nullcast, r."cardId", r."mediaKeys",
      r."conversationSettings", r."inReplyToPostId", r."inReplyToUserId", n.name
    FROM posts r LEFT JOIN post_names n ON n."accountId" = $2 AND n."postId" = r.id
    WHERE r."authorId" = $1 AND NOT r.conversational AND r."deletedAt" IS NULL ORDER BY r.id DESC LIMIT $3`,
};
const SHOWN = {
  name: 'shown',
  text: `SELECT "mediaId", "mediaKey", "mediaType", file, "posterFile" FROM library_media WHERE "accountId" = $1 AND "mediaKey" = ANY($2)`,
};
const POST = {
  name: 'post',
  text: recorded(
    [
      `INSERT INTO posts (id, "createdAt", "updatedAt", "accountId", "authorId", text, lang, entities, nullcast, "mediaKeys",
        "conversationSettings", conversational, digest) VALUES ($1, $2, $2, $3, $4, $5, 'und', $6, true, '{}', 'EVERYONE', false, $7)`,
      `INSERT INTO post_terms (at, "postId", terms) VALUES ($2, $1, $8)`,
    ],
    8,
  ),
};

interface MediumRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  mediaId: string;
  mediaKey: string;
  mediaCategory: string;
  mediaType: 'IMAGE' | 'VIDEO';
  name: string | null;
  fileName: string | null;
  title: string | null;
  description: string | null;
  posterMediaKey: string | null;
  posterFile: string | null;
  posted: boolean;
  file: string;
  width: number;
  height: number;
  duration: number | null;
}

interface PostRow {
  id: string;
  createdAt: string;
  accountId: string | null;
  contributorId: string | null;
  text: string;
  lang: string;
  /** Goes out as it came in. */
  entities: string;
  nullcast: boolean;
  cardId: string | null;
  mediaKeys: string[];
  conversationSettings: string;
  inReplyToPostId: string | null;
  inReplyToUserId: string | null;
  name: string | null;
}

interface UserRow {
  id: string;
  name: string;
  username: string;
  createdAt: string;
}

const time = (stored: string) => `${stored.slice(0, 10)}T${stored.slice(11, 19)}Z`;
const text = (value: string | null) => (value === null ? 'null' : JSON.stringify(value));
const send = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body);
const cursorOf = (row?: { id: string }) => (row ? text(Buffer.from(row.id).toString('base64url')) : 'null');

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** `Tue Aug 27 22:22:12 +0000 2019` of `2019-08-27 22:22:12.000+00`. */
function longTime(stored: string): string {
  const day = stored.slice(0, 10);
  const weekday = DAYS[new Date(day).getUTCDay()];
  return `${weekday} ${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(8)} ${stored.slice(11, 19)} +0000 ${day.slice(0, 4)}`;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** What is known of the bench's posts: Latin letters and no more than hashtags in their texts. */
const entitiesOf = (said: string): string => {
  const tags = [...said.matchAll(/(?<=^|\s)#(\w+)/g)].map(
    ({ index, 0: tag, 1: word }) => `{"text":"${word}","indices":[${index},${index + tag.length}]}`,
  );
  return `{"hashtags":[${tags.join(',')}],"symbols":[],"user_mentions":[],"urls":[]}`;
};

let made = 0;
/** After the bench's own posts, in the order of creation. */
const newNumber = () => (2e15 + Date.now() * 100 + (made++ % 100)).toString();

/** Adds the routes of creatives; `baseUrl` is what the addresses of files begin with. */
export function creatives(server: FastifyInstance, pool: pg.Pool, baseUrl: string): void {
  const picture = `${baseUrl}/profile_images/default_profile_normal.png`;
  const source = JSON.stringify(`<a href="${baseUrl}" rel="nofollow">Marquee</a>`);

  const medium = (row: MediumRow): string => {
    const still = row.mediaType === 'IMAGE';
    const by = still ? 1 : divisor(row.width, row.height);
    return (
      `{"media_key":"${row.mediaKey}","media_type":"${row.mediaType}","media_category":"${row.mediaCategory}",` +
      `"media_status":"TRANSCODE_COMPLETED","media_url":"${baseUrl}/media/${row.file}","name":${text(row.name)},"file_name":${text(row.fileName)},"posted":${row.posted},` +
      `"created_at":"${time(row.createdAt)}","updated_at":"${time(row.updatedAt)}","deleted":${row.deletedAt !== null}` +
      (still
        ? '}'
        : `,"duration":${row.duration},"title":${text(row.title)},"description":${text(row.description)},"aspect_ratio":"${row.width / by}:${row.height / by}",` +
          `"poster_media_key":"${row.posterMediaKey ?? `3_${row.mediaId}`}","poster_media_url":"${baseUrl}/media/${row.posterFile}"}`)
    );
  };

  const author = ({ id, name, username, createdAt }: UserRow): string =>
    `{"id":${id},"id_str":"${id}","name":${text(name)},"screen_name":${text(username)},"location":"","description":"","url":null,"protected":false,` +
    `"followers_count":0,"friends_count":0,"listed_count":0,"created_at":"${longTime(createdAt)}","favourites_count":0,"utc_offset":null,"time_zone":null,` +
    `"geo_enabled":false,"verified":false,"statuses_count":0,"lang":null,"contributors_enabled":false,"is_translator":false,` +
    `"is_translation_enabled":false,"profile_background_color":"F5F8FA","profile_background_image_url":null,"profile_background_image_url_https":null,` +
    `"profile_background_tile":false,"profile_image_url":"${picture}","profile_image_url_https":"${picture}","profile_banner_url":null,` +
    `"profile_link_color":"1DA1F2","profile_sidebar_border_color":"C0DEED","profile_sidebar_fill_color":"DDEEF6","profile_text_color":"333333",` +
    `"profile_use_background_image":true,"default_profile":true,"default_profile_image":true,"following":false,"follow_request_sent":false,` +
    `"notifications":false,"translator_type":"none","withheld_in_countries":[]}`;

  /** What all objects of posts have; `user` and `entities` as JSON. */
  const post = (row: PostRow, user: string, entities: string): string =>
    `"created_at":"${longTime(row.createdAt)}","id":${row.id},"id_str":"${row.id}","name":${text(row.name)},"truncated":false,"entities":${entities},` +
    `"source":${source},"in_reply_to_status_id":${row.inReplyToPostId},"in_reply_to_status_id_str":${text(row.inReplyToPostId)},` +
    `"in_reply_to_user_id":${row.inReplyToUserId},"in_reply_to_user_id_str":${text(row.inReplyToUserId)},"in_reply_to_screen_name":null,` +
    `"user":${user},"geo":null,"coordinates":null,"place":null,"contributors":${row.contributorId && `[${row.contributorId}]`},` +
    `"retweet_count":0,"favorite_count":0,"favorited":false,"retweeted":false,"scopes":{"followers":${!row.nullcast}},"lang":${text(row.lang)}`;

  const shownWith = (row: PostRow, media: ReadonlyMap<string, MediumRow>): string => {
    if (row.mediaKeys.length === 0) return row.entities;
    const end = [...row.text].length;
    const shown = row.mediaKeys.map((key) => {
      const { mediaId, mediaType, file, posterFile } = media.get(key)!;
      const url = `${baseUrl}/media/${file}`;
      const image = posterFile === null ? url : `${baseUrl}/media/${posterFile}`;
      return (
        `{"id":${mediaId},"id_str":"${mediaId}","media_key":"${key}","indices":[${end},${end}],"media_url":"${image}","media_url_https":"${image}",` +
        `"url":"${url}","expanded_url":"${url}","display_url":"${url.slice('http://'.length)}","type":"${mediaType === 'IMAGE' ? 'photo' : 'video'}"}`
      );
    });
    return `${row.entities.slice(0, -1)},"media":[${shown.join(',')}]}`;
  };

  server.get('/12/accounts/:account_id/media_library', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const { q, count } = request.query as { q: string; count: string };
    const terms = [`${account} ${q.toLowerCase()}`];
    const { rows } = await pool.query<MediumRow>({ ...LIBRARY, values: [account, terms, Number(count) + 1] });
    const last = rows.length > Number(count) ? rows[Number(count) - 1] : undefined;
    if (last) rows.length = Number(count);
    return send(
      reply,
      `{"request":{"params":{"q":${text(q)},"count":${count},"account_id":${text(account)}}},"next_cursor":${cursorOf(last)},"data":[${rows.map(medium).join(',')}]}`,
    );
  });

  server.get('/12/accounts/:account_id/posts', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const { post_type, timeline_type, count } = request.query as Record<string, string>;
    const users = await pool.query<UserRow>({ ...AUTHOR, values: [account] });
    const [user] = users.rows;
    const { rows } = await pool.query<PostRow>({ ...POSTS, values: [user.id, account, Number(count) + 1] });
    const last = rows.length > Number(count) ? rows[Number(count) - 1] : undefined;
    if (last) rows.length = Number(count);
    const keys = [...new Set(rows.flatMap(({ mediaKeys }) => mediaKeys))];
    const shown = keys.length === 0 ? [] : (await pool.query<MediumRow>({ ...SHOWN, values: [account, keys] })).rows;
    const media = new Map(shown.map((each) => [each.mediaKey, each]));
    const by = author(user);
    const items = rows.map(
      (row) =>
        `{${post(row, by, shownWith(row, media))},"deleted":false,"full_text":${text(row.text)},"display_text_range":[0,${[...row.text].length}],` +
        `"conversation_settings":"${row.conversationSettings}","nullcast":${row.nullcast},"post_type":"PUBLISHED","scheduled_at":null,` +
        `"scheduled_status":null,"post_id":"${row.id}"${row.cardId === null ? '' : `,"card_uri":"card://${row.cardId}"`}}`,
    );
    return send(
      reply,
      `{"request":{"params":{"post_type":"${post_type}","timeline_type":"${timeline_type}","count":${count},"account_id":${text(account)}}},` +
        `"next_cursor":${cursorOf(last)},"data":[${items.join(',')}]}`,
    );
  });

  server.post('/12/accounts/:account_id/post', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const { as_user_id: user, text: said } = request.query as Record<string, string>;
    const now = new Date().toISOString();
    const digest = createHash('sha256')
      .update(JSON.stringify([said, now.slice(0, 10)]))
      .digest('hex');
    const row: PostRow = {
      id: newNumber(),
      createdAt: now,
      accountId: account,
      contributorId: null,
      text: said,
      lang: 'und',
      entities: entitiesOf(said),
      nullcast: true,
      cardId: null,
      mediaKeys: [],
      conversationSettings: 'EVERYONE',
      inReplyToPostId: null,
      inReplyToUserId: null,
      name: null,
    };
    const kept = {
      ...{ id: row.id, user_id: user, text: said, nullcast: true, card_uri: null, media_keys: [] },
      ...{ conversation_settings: 'EVERYONE', created_at: now },
    };
    const history = records(account, 'POST', [{ id: row.id, entityData: kept }], now);
    const values = [row.id, now, account, user, said, row.entities, digest, postTermsOf(said, now), history];
    await pool.query({ ...POST, values });
    reply.code(201);
    return send(
      reply,
      `{"request":{"params":{"as_user_id":"${user}","text":${text(said)},"trim_user":true,"account_id":${text(account)}}},` +
        `"data":{${post(row, `{"id":${user},"id_str":"${user}"}`, row.entities)},"text":${text(said)}}}`,
    );
  });
}
