import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { CampaignHistories } from './support/campaign-histories.js';
import { Walks } from './support/walks.js';
import { isReady } from './support/ready.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

const WORKERS = 8;
/** Campaigns that exist at a time. */
const KEYS = 12;
/** Active campaigns that an account may have. */
const LIMIT = 200;
/** Places below the limit that the workers compete for. */
const ROOM = 4;
/** Campaigns that nobody changes, which each walk through the list has to find. */
const STILL = 100;

/**
 * Eight clients create, read, change and delete the same few campaigns through two replicas, one request and in batches, while
 * replicas are killed and PostgreSQL fails over to its standby. What they saw must be explained by some order in which each
 * request took effect at once.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, {
      hasStandby: true,
      postgres: ['track_commit_timestamp=on'],
    });
    const seconds = settings.quick ? 20 : 120;
    const [account] = cluster.world.written;
    const histories = new CampaignHistories(cluster, account, KEYS);
    await histories.fill(STILL, LIMIT - ROOM);
    const walks = new Walks(cluster, account, STILL);
    const until = Date.now() + seconds * 1_000;
    const workers = Array.from({ length: WORKERS }, (_, i) => histories.work(i, until));
    await Promise.all([...workers, walks.walk(until), disturb(cluster, until)]);
    await Promise.all(cluster.replicas.map(({ port }) => untilServed(port)));
    await histories.readAll();
    const crashes = cluster.replicas[0].crashes + cluster.replicas[1].crashes;
    const database = new URL(cluster.world.databaseUrl);
    database.port = `${cluster.standby!.port}`;
    return [
      noted('requests', `${histories.requests}, of which ${histories.lost} without an answer that says what happened`),
      atLeast('requests', histories.requests, settings.quick ? 200 : 5_000),
      atMost('answers other than 2xx, 400, 404 and 503', histories.odd.length, 0),
      atMost('campaigns whose answers no order explains', histories.unexplained().length, 0),
      atMost('rejected writes that had an effect', histories.rejectedEffects(), 0),
      noted('walks through the list of campaigns', `${walks.count}`),
      atMost('walks that lost or repeated a campaign that nobody changed', walks.wrong, 0),
      ...(await onPostgres(database.href, (query) => stored(query, histories, account.id))),
      atMost('replicas that ended by themselves', crashes, 0),
    ];
  });
}

/** Kills the replicas in turn, and in the middle the primary, whose standby takes over. */
async function disturb({ replicas, postgres, standby }: Cluster, until: number): Promise<void> {
  const middle = Date.now() + (until - Date.now()) / 2;
  let isOver = false;
  for (let i = 0; Date.now() < until - 4_000; i++) {
    await pause(2_000);
    if (!isOver && Date.now() > middle) {
      await postgres.kill();
      await pause(500);
      await standby!.promote();
      isOver = true;
    } else {
      const replica = replicas[i % replicas.length];
      await replica.kill();
      await replica.start();
    }
  }
}

async function untilServed(port: number): Promise<void> {
  while (!(await isReady(port))) await pause(100);
}

/** What the history of the account says of the writes. */
async function stored(query: Query, histories: CampaignHistories, accountId: string): Promise<Figure[]> {
  const names = (await query(
    `SELECT "entityData"->>'name' AS name, count(*)::int AS times FROM account_changes
      WHERE "accountId" = $1 AND "entityType" = 'CAMPAIGN' AND ("changeType" = 'CREATE' OR "changes" -> 'name' IS NOT NULL) GROUP BY 1`,
    [accountId],
  )) as { name: string; times: number }[];
  const timesOf = new Map(names.map(({ name, times }) => [name, times]));
  const acknowledged = histories.acknowledged();
  const [{ most }] = (await query(ACTIVE_AT_MOST, [accountId])) as { most: number }[];
  const [{ back }] = (await query(GOES_BACK, [accountId])) as { back: number }[];
  return [
    noted('writes acknowledged', `${acknowledged.length}`),
    atMost(
      'acknowledged writes that the history does not have',
      acknowledged.filter((name) => !timesOf.has(name)).length,
      0,
    ),
    atMost('writes that the history has twice', names.filter(({ times }) => times > 1).length, 0),
    atMost('active campaigns at a time, by the history', most, LIMIT),
    atMost('changes whose updated_at is before that of the change before', back, 0),
  ];
}

/** Changes in the order in which PostgreSQL committed them. */
const CHANGES = `SELECT "entityId", "changeType", "entityData", pg_xact_commit_timestamp(xmin) AS at, id
  FROM account_changes WHERE "accountId" = $1 AND "entityType" = 'CAMPAIGN'`;

const ACTIVE_AT_MOST = `WITH steps AS (
    SELECT at, (("changeType" <> 'DELETE' AND "entityData"->>'entity_status' = 'ACTIVE')::int
      - COALESCE(lag(("changeType" <> 'DELETE' AND "entityData"->>'entity_status' = 'ACTIVE')::int)
        OVER (PARTITION BY "entityId" ORDER BY at, id), 0)) AS step FROM (${CHANGES}) changes
  ), moments AS (SELECT at, sum(step) AS step FROM steps GROUP BY at)
  SELECT COALESCE(max(active), 0)::int AS most FROM (SELECT sum(step) OVER (ORDER BY at) AS active FROM moments) s`;

const GOES_BACK = `SELECT count(*)::int AS back FROM (
    SELECT "entityData"->>'updated_at' AS updated, lag("entityData"->>'updated_at') OVER (PARTITION BY "entityId" ORDER BY at, id) AS before
    FROM (${CHANGES}) changes
  ) steps WHERE updated < before`;
