import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import type { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

/** Of each round; enough that a kill meets the advance in its middle. */
const POSTS = () => (settings.quick ? 200 : 1_000);
const ROUNDS = () => (settings.quick ? 1 : 6);
const DAYS = 30;
const CONTINUES_WITHIN_MS = 15_000;
const PATIENCE_MS = 180_000;

interface Round {
  /** How many posts were live when the worker was killed. */
  killedAt: number;
  /** How long until another post was live. */
  continuedMs: number;
  /** Whether another attempt advanced the clock then. */
  isTakenOver: boolean;
}

/**
 * A test clock advances over hundreds of scheduled posts; the process that advances it is killed with SIGKILL in the middle.
 * The other replica continues: each post is live once, in order, with one record and one event.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, { environment: { SANDBOX: 'true', WORKBENCH: 'true' } });
    return onPostgres(cluster.world.databaseUrl, async (query) => {
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS(); round++) rounds.push(await killInMiddle(query, cluster, round));
      return [
        noted('posts of a round, live when the worker was killed', `${POSTS()}; ${each(rounds, 'killedAt')}`),
        noted('another post live after the kill', `${each(rounds, 'continuedMs')} ms`),
        atMost(
          'the same, slowest',
          Math.max(...rounds.map(({ continuedMs }) => continuedMs)),
          CONTINUES_WITHIN_MS,
          'ms',
        ),
        atLeast('kills after which another worker continued', rounds.filter((one) => one.isTakenOver).length, ROUNDS()),
        ...(await once(query)),
      ];
    });
  });
}

const each = (rounds: Round[], name: 'killedAt' | 'continuedMs') =>
  rounds.map((round) => Math.round(round[name])).join(', ');

/** An account of the round with its posts and an advancing clock; kills the replica that works, and starts it again. */
async function killInMiddle(query: Query, { replicas, world }: Cluster, round: number): Promise<Round> {
  const [clockId, accountId] = [`clock${round}`, `clocked${round}`];
  await prepare(query, world.account.id, { clockId, accountId, round });
  const live = async () => {
    const [{ n }] = (await query(
      `SELECT count(*)::int AS n FROM scheduled_posts WHERE "accountId" = $1 AND "scheduledStatus" = 'SUCCESS'`,
      [accountId],
    )) as { n: number }[];
    return n;
  };
  await reached(async () => (await live()) >= POSTS() / 4);
  const worker = await workerOf(query, replicas, clockId);
  const attempt = await attemptOf(query, clockId);
  await worker.kill();
  const began = performance.now();
  const killedAt = await live();
  await reached(async () => (await live()) > killedAt);
  const continuedMs = performance.now() - began;
  const isTakenOver = (await attemptOf(query, clockId)) !== attempt;
  await reached(async () => {
    const [{ status }] = (await query(`SELECT status FROM test_clocks WHERE id = $1`, [clockId])) as {
      status: string;
    }[];
    return status === 'ready';
  });
  await worker.start();
  return { killedAt, continuedMs, isTakenOver };
}

async function prepare(
  query: Query,
  like: string,
  { clockId, accountId, round }: { clockId: string; accountId: string; round: number },
): Promise<void> {
  const userId = String(8_100_000_000_000_000 + round);
  await query(
    `WITH u AS (INSERT INTO users (id, "createdAt", "updatedAt", username, name) VALUES ($1::text, now(), now(), 'author_' || $1, 'Author')),
      a AS (INSERT INTO accounts SELECT (json_populate_record(a, json_build_object('id', $2::text, 'environment', 'sandbox', 'clockId', $4::text,
        'frozenTime', date_trunc('day', now()), 'clockAdvancing', true))).* FROM accounts a WHERE a.id = $3),
      m AS (INSERT INTO account_memberships ("accountId", "userId", role, "postComposer", "createdAt")
        SELECT $2::text, id, 'ACCOUNT_ADMIN', true, now() FROM (SELECT $1::text AS id UNION SELECT "ownerId" FROM applications
          WHERE id = (SELECT min(id) FROM applications)) administrators),
      p AS (INSERT INTO promotable_users (id, "createdAt", "updatedAt", "accountId", "userId", "promotableUserType")
        VALUES ('p' || $2, now(), now(), $2, $1, 'FULL')),
      s AS (INSERT INTO scheduled_posts (id, "createdAt", "updatedAt", "accountId", "userId", "callerId", text, "mediaKeys", nullcast, name,
          "scheduledAt", "scheduledStatus")
        SELECT ((9e15::bigint + $5::int * 100000 + n))::text, now(), now(), $2, $1, $1, 'Post ' || n, '{}', true, NULL,
          date_trunc('day', now()) + n * interval '10 minutes', 'SCHEDULED' FROM generate_series(1, $6::int) AS n)
      INSERT INTO test_clocks (id, "applicationId", "createdAt", "updatedAt", name, status, "frozenTime", "targetTime", done, total)
        SELECT $4, (SELECT min(id) FROM applications), now(), now(), 'Proof', 'advancing', date_trunc('day', now()),
          date_trunc('day', now()) + interval '${DAYS} days', 0, 0`,
    [userId, accountId, like, clockId, round, POSTS()],
  );
  await query(
    `INSERT INTO pgboss.job (id, name, data, retry_limit, retry_delay, retry_backoff, expire_in)
      VALUES (gen_random_uuid(), 'advance-test-clock', json_build_object('clockId', $1::text), 2, 1, true, '45 seconds')`,
    [clockId],
  );
}

/** The replica whose connections store the steps of a clock: it goes on without the other one. */
async function workerOf(query: Query, replicas: Replica[], clockId: string): Promise<Replica> {
  for (let look = 0; ; look++) {
    const replica = replicas[look % replicas.length];
    // a stopped process stores nothing
    process.kill(replica.pid, 'SIGSTOP');
    await pause(150);
    const before = await stateOf(query, clockId);
    await pause(250);
    const isWorker = (await stateOf(query, clockId)) === before;
    process.kill(replica.pid, 'SIGCONT');
    if (isWorker) return replica;
    if (look > 10) throw new Error('no replica advances the clock');
  }
}

async function stateOf(query: Query, clockId: string): Promise<string> {
  const [row] = await query(`SELECT "frozenTime"::text, "updatedAt"::text FROM test_clocks WHERE id = $1`, [clockId]);
  return JSON.stringify(row);
}

async function attemptOf(query: Query, clockId: string): Promise<unknown> {
  const [row] = (await query(`SELECT attempt FROM test_clocks WHERE id = $1`, [clockId])) as { attempt: string }[];
  return row.attempt;
}

async function reached(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; !(await holds()); await pause(20))
    if (performance.now() > deadline) throw new Error('the test clock does not advance');
}

async function once(query: Query): Promise<Figure[]> {
  const total = ROUNDS() * POSTS();
  const [found] = (await query(
    `SELECT count(*) FILTER (WHERE s."scheduledStatus" = 'SUCCESS')::int AS live,
        count(DISTINCT p.id)::int AS posts, (SELECT count(*)::int FROM posts) AS all,
        count(*) FILTER (WHERE h.records <> 1 OR h.events <> 1)::int AS halves,
        count(*) FILTER (WHERE p."createdAt" <> s."scheduledAt")::int AS late
      FROM scheduled_posts s LEFT JOIN posts p ON p.id = s."postId" AND p."authorId" = s."userId" AND p.text = s.text,
        LATERAL (SELECT count(*) AS records, count(c."transactionId") AS events FROM account_changes c
          WHERE c."entityId" = p.id AND c."entityType" = 'POST') AS h`,
    [],
  )) as { live: number; posts: number; all: number; halves: number; late: number }[];
  return [
    noted('scheduled, live', `${worded(total)}, ${worded(found.live)}`),
    atLeast('live with a post of their own', found.posts, total),
    atMost('posts that belong to none', found.all - found.posts, 0),
    atMost('posts without exactly one record and one event', found.halves, 0),
    atMost('posts with another time than they were scheduled for', found.late, 0),
  ];
}
