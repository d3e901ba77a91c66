import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const USERS = 20;
/** Of each user in the same minute: 30 is the most. */
const EACH = 25;
const TOTAL = USERS * EACH;
/** So many are live when a replica is killed. */
const MIDDLE = TOTAL / 5;
const AHEAD_SECONDS = 5;
/** Somebody looks every five seconds, and has to find the way around what the killed one held. */
const LIVE_WITHIN_MS = 30_000;

/**
 * 500 scheduled posts are due in the same minute; a replica is killed while they go live. All of them do, and each once.
 * Both replicas are killed in turn, for either may be the one that publishes.
 */
export function prove(): Promise<Figure[]> {
  const rounds = settings.quick ? 2 : 6;
  return withStage(async (stage) => {
    const cluster = await startCluster(stage);
    return onPostgres(cluster.world.databaseUrl, async (query) => {
      const accountId = cluster.world.account.id;
      const users = await authors(query, accountId);
      const waits: number[] = [];
      const inMiddle: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await schedule(query, users, `Round ${round}`);
        inMiddle.push(await killInMiddle(query, cluster, round));
        waits.push(await untilLive(query));
        await cluster.replicas[round % 2].start();
      }
      return [
        noted('live when a replica was killed', inMiddle.join(', ')),
        ...(await once(query, rounds * TOTAL)),
        atMost(
          `last of ${TOTAL} live after it was due, slowest of ${rounds}`,
          Math.max(...waits),
          LIVE_WITHIN_MS,
          'ms',
        ),
      ];
    });
  });
}

/** Users who each publish as the FULL promotable user of an account of their own, like that one. */
async function authors(query: Query, accountId: string): Promise<string[]> {
  const ids = Array.from({ length: USERS }, (_, n) => String(8_000_000_000_000_000 + n));
  await query(
    `WITH u AS (INSERT INTO users (id, "createdAt", "updatedAt", username, name)
        SELECT id, now(), now(), 'author_' || id, 'Author' FROM unnest($2::text[]) AS id),
      a AS (INSERT INTO accounts SELECT (json_populate_record(a, json_build_object('id', 'author' || u.id))).*
        FROM accounts a, unnest($2::text[]) AS u (id) WHERE a.id = $1),
      m AS (INSERT INTO account_memberships ("accountId", "userId", role, "postComposer", "createdAt")
        SELECT 'author' || id, id, 'ACCOUNT_ADMIN', true, now() FROM unnest($2::text[]) AS id)
      INSERT INTO promotable_users (id, "createdAt", "updatedAt", "accountId", "userId", "promotableUserType")
        SELECT 'p' || lpad(n::text, 12, '0'), now(), now(), 'author' || id, id, 'FULL' FROM unnest($2::text[]) WITH ORDINALITY AS u (id, n)`,
    [accountId, ids],
  );
  return ids;
}

async function schedule(query: Query, users: string[], name: string): Promise<void> {
  await query(
    `INSERT INTO scheduled_posts (id, "createdAt", "updatedAt", "accountId", "userId", "callerId", text, "mediaKeys", nullcast, name,
        "scheduledAt", "scheduledStatus")
      SELECT (9e15::bigint + (SELECT count(*) FROM scheduled_posts) + row_number() OVER ())::text, now(), now(), 'author' || u, u, u,
        $2 || ' ' || n, '{}', true, $2, now() + $3 * interval '1 second', 'SCHEDULED'
      FROM unnest($1::text[]) AS u, generate_series(1, $4::int) AS n`,
    [users, name, AHEAD_SECONDS, EACH],
  );
}

async function waiting(query: Query): Promise<number> {
  const [{ n }] = (await query(
    `SELECT count(*)::int AS n FROM scheduled_posts WHERE "scheduledStatus" = 'SCHEDULED'`,
    [],
  )) as { n: number }[];
  return n;
}

/** Kills a replica when some are live; answers how many were by then. */
async function killInMiddle(query: Query, { replicas }: Cluster, round: number): Promise<number> {
  for (let left = TOTAL; left > TOTAL - MIDDLE; left = await waiting(query)) await pause(5);
  await replicas[round % 2].kill();
  return TOTAL - (await waiting(query));
}

/** How long after the minute the last one was live, in milliseconds. */
async function untilLive(query: Query): Promise<number> {
  const deadline = performance.now() + 2 * LIVE_WITHIN_MS;
  while ((await waiting(query)) > 0 && performance.now() < deadline) await pause(50);
  const [{ ms }] = (await query(
    `SELECT extract(epoch FROM max("completedAt" - "scheduledAt")) * 1000 AS ms FROM scheduled_posts
      WHERE "scheduledAt" = (SELECT max("scheduledAt") FROM scheduled_posts)`,
    [],
  )) as { ms: string }[];
  return (await waiting(query)) > 0 ? Infinity : Number(ms);
}

async function once(query: Query, total: number): Promise<Figure[]> {
  const [found] = (await query(
    `SELECT count(*) FILTER (WHERE s."scheduledStatus" = 'SUCCESS')::int AS live,
        count(DISTINCT p.id)::int AS posts,
        (SELECT count(*)::int FROM posts) AS all,
        count(*) FILTER (WHERE h.records <> 1 OR h.events <> 1)::int AS halves,
        count(*) FILTER (WHERE j.told <> 1)::int AS untold
      FROM scheduled_posts s LEFT JOIN posts p ON p.id = s."postId" AND p."authorId" = s."userId" AND p.text = s.text,
        LATERAL (SELECT count(*) AS records, count(c."transactionId") AS events FROM account_changes c WHERE c."entityId" = p.id AND c."entityType" = 'POST') AS h,
        LATERAL (SELECT count(*) AS told FROM pgboss.job b
          WHERE b.name = 'scheduled-post-published' AND b.data->>'scheduledPostId' = s.id AND b.data->>'postId' = p.id) AS j`,
    [],
  )) as { live: number; posts: number; all: number; halves: number; untold: number }[];
  return [
    noted('scheduled, live', `${worded(total)}, ${worded(found.live)}`),
    atMost('not live', total - found.live, 0),
    atMost('live without a post of their own', total - found.posts, 0),
    atMost('posts that belong to none', found.all - found.posts, 0),
    atMost('posts without exactly one record and one event', found.halves, 0),
    atMost('told of not once', found.untold, 0),
  ];
}
