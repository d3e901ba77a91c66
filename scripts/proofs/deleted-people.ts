import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

/** Every table that holds people of an audience or a do-not-reach list. */
const TABLES = ['audience_identifiers', 'audience_snapshots', 'audience_snapshot_slices', 'audience_sizings'];
/** Every table that has what people did, by account. */
const TABLES_OF_PIXEL = ['conversions', 'conversion_keys', 'conversion_days', 'conversions_to_match', 'engagements'];
const CONVERSIONS_OF_REQUEST = 500;
const PEOPLE_OF_UPLOAD = 2_000;
const AT_ONCE = 4;
/** The job comes every minute, and again after a killed one. An hour is promised. */
const REMOVED_WITHIN_MS = 300_000;

/** What has people uploaded to it. */
interface Holder {
  id: string;
  accountId: string;
  upload: string;
  isKept: boolean;
}

/**
 * People are uploaded to audiences and lists of an account and of a sandbox account. Audiences, a list and the sandbox account
 * are deleted while uploads are under way, and replicas are killed while the people are removed. In the end no table has a row
 * of what was deleted; what was kept has all of its people, and usage is what is stored. The same holds for the conversions that the
 * pixels of both accounts receive, and for engagements.
 */
export function prove(): Promise<Figure[]> {
  const uploads = settings.quick ? 5 : 50;
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, {
      environment: { AUDIENCE_MATCHING: 'all' },
    });
    return onPostgres(cluster.world.databaseUrl, async (query) => {
      const { id: accountId } = cluster.world.account;
      const sandbox = await made(cluster, '/sandbox/12/accounts?name=Deleted');
      const holders = [
        await audience(cluster, '', accountId, true),
        await audience(cluster, '', accountId, false),
        await audience(cluster, '', accountId, false),
        await list(cluster, '', accountId),
        await audience(cluster, '/sandbox', sandbox, false),
        await list(cluster, '/sandbox', sandbox),
      ];
      const gone = holders.filter(({ isKept }) => !isKept).map(({ id }) => id);
      await uploadTo(cluster, holders, 0, uploads);
      for (const [root, id] of [
        ['', accountId],
        ['/sandbox', sandbox],
      ])
        await reportTo(cluster, query, { root, id, requests: uploads });
      const before = await rowsOf(query, gone);
      const measured = await pixelRowsOf(query, sandbox);
      // those that are under way while their audience is deleted
      const late = uploadTo(cluster, holders, uploads, uploads + 2);
      await pause(100);
      await deleteAll(cluster, holders, accountId, sandbox);
      const began = performance.now();
      await late;
      const kills = await killWhileRemoving(cluster, query, gone, before);
      const { left, ms } = await untilRemoved(query, gone, sandbox, began);
      const [kept] = holders;
      const [{ rows: keptRows }] = (await query(
        'SELECT count(*)::int AS rows FROM audience_identifiers WHERE "audienceId" = $1',
        [kept.id],
      )) as { rows: number }[];
      const expected = (uploads + 2) * PEOPLE_OF_UPLOAD;
      return [
        noted('rows before', worded(before)),
        noted('replicas killed while rows were removed', `${kills}`),
        noted('conversions, engagements and what belongs to them of the deleted account', worded(measured)),
        atMost('rows left of what was deleted', left, 0),
        atMost('removed after the deletion', ms, REMOVED_WITHIN_MS, 'ms'),
        atMost('rows missing of the audience that was kept', Math.abs(expected - keptRows), 0),
        atMost('usage that differs from what is stored', await usageDifference(query, [accountId, sandbox]), 0),
        atMost('conversions of the quota that differ from those stored', await quotaDifference(query, accountId), 0),
      ];
    });
  });
}

async function made({ ask }: Cluster, target: string): Promise<string> {
  const { status, body } = await ask('POST', target);
  if (status !== 200 && status !== 201) throw new Error(`POST ${target} was answered ${status}: ${body}`);
  const { data } = JSON.parse(body) as { data: { id: string } | { id: string }[] };
  // the sandbox answers with a list
  return (Array.isArray(data) ? data[0] : data).id;
}

let named = 0;
async function audience(cluster: Cluster, root: string, accountId: string, isKept: boolean): Promise<Holder> {
  const path = `${root}/12/accounts/${accountId}/custom_audiences`;
  const id = await made(cluster, `${path}?name=Audience%20${named++}`);
  return { id, accountId, upload: `${path}/${id}/users`, isKept };
}

async function list(cluster: Cluster, root: string, accountId: string): Promise<Holder> {
  const id = await made(cluster, `${root}/12/accounts/${accountId}/do_not_reach_lists`);
  const upload = `${root}/12/batch/accounts/${accountId}/do_not_reach_lists/${id}/users`;
  return { id, accountId, upload, isKept: false };
}

/** Uploads people to each; what is gone by then is answered 404. */
async function uploadTo({ ask }: Cluster, holders: Holder[], from: number, until: number): Promise<void> {
  const targets = Array.from({ length: until - from }, (_, n) =>
    holders.map((holder) => ({ holder, n: from + n })),
  ).flat();
  const work = async () => {
    for (let next = targets.shift(); next; next = targets.shift()) {
      const { holder, n } = next;
      const users = Array.from({ length: PEOPLE_OF_UPLOAD }, (_, i) => ({ email: [hashOf(n * PEOPLE_OF_UPLOAD + i)] }));
      const body = JSON.stringify([{ operation_type: 'Update', params: { users } }]);
      for (;;) {
        const answer = await ask('POST', holder.upload, body).catch(() => undefined);
        if (answer?.status === 200 || answer?.status === 404) break;
        await pause(50);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const hashOf = (n: number) => n.toString(16).padStart(64, '0');

async function deleteAll({ ask }: Cluster, holders: Holder[], accountId: string, sandbox: string): Promise<void> {
  const targets = holders
    .filter((each) => !each.isKept && each.accountId === accountId)
    .map(({ upload }) => upload.replace('/batch', '').replace(/\/users$/, ''));
  for (const target of [...targets, `/sandbox/12/accounts/${sandbox}`]) {
    for (let tries = 0; ; tries++) {
      const { status, body } = await ask('DELETE', target);
      // answered with 503 it may have been stored
      if (status === 200 || (tries > 0 && status === 404)) break;
      if (status !== 503) throw new Error(`DELETE ${target} was answered ${status}: ${body}`);
      await pause(100);
    }
  }
}

async function rowsOf(query: Query, ids: string[]): Promise<number> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE "audienceId" = ANY($1))`);
  const [{ rows }] = (await query(`SELECT (${counts.join(' + ')})::int AS rows`, [ids])) as { rows: number }[];
  return rows;
}

/** Kills each replica once while rows go; answers how many were. */
async function killWhileRemoving({ replicas }: Cluster, query: Query, ids: string[], all: number): Promise<number> {
  let kills = 0;
  let last = all;
  for (const end = performance.now() + 90_000; kills < 2 && performance.now() < end; await pause(20)) {
    const rows = await rowsOf(query, ids);
    if (rows === 0) break;
    if (rows < last) {
      await Promise.all(replicas.map((replica) => replica.kill()));
      kills += replicas.length;
      await Promise.all(replicas.map((replica) => replica.start()));
    }
    last = rows;
  }
  return kills;
}

async function untilRemoved(
  query: Query,
  ids: string[],
  accountId: string,
  began: number,
): Promise<{ left: number; ms: number }> {
  const rowsLeft = async () => (await rowsOf(query, ids)) + (await pixelRowsOf(query, accountId));
  let left = await rowsLeft();
  while (left > 0 && performance.now() - began < 2 * REMOVED_WITHIN_MS) {
    await pause(250);
    left = await rowsLeft();
  }
  const ms = performance.now() - began;
  // nothing comes back: those who counted before have ended by then
  await pause(10_000);
  return { left: await rowsLeft(), ms };
}

/** By how much the usage of accounts differs from the rows that they have. */
async function usageDifference(query: Query, accountIds: string[]): Promise<number> {
  const [{ difference }] = (await query(
    `SELECT coalesce(sum(abs(u.used - (SELECT count(*) FROM audience_identifiers i JOIN (
        SELECT id, "accountId" FROM custom_audiences UNION ALL SELECT id, "accountId" FROM do_not_reach_lists) h
        ON h.id = i."audienceId" WHERE h."accountId" = u."ownerId"))), 0)::int AS difference
      FROM storage_usage u WHERE u.kind = 'AUDIENCE_ROWS' AND u."ownerId" = ANY($1)`,
    [accountIds],
  )) as { difference: number }[];
  return difference;
}

/** Sends conversions to the pixel of an account, some of them twice, and has users engage with it. */
async function reportTo(
  cluster: Cluster,
  query: Query,
  { root, id, requests }: { root: string; id: string; requests: number },
): Promise<void> {
  const windows = 'click_window=30&view_through_window=1&retargeting_enabled=false';
  const tag = await made(cluster, `${root}/12/accounts/${id}/web_event_tags?name=Bought&type=PURCHASE&${windows}`);
  const target = `${root}/12/measurement/conversions/${[...id].reverse().join('')}`;
  for (let request = 0; request < requests; request++) {
    const conversions = Array.from({ length: CONVERSIONS_OF_REQUEST }, (_, i) => ({
      conversion_timestamp: Date.now(),
      event_id: tag,
      // every second one is a duplicate of the one before it
      conversion_id: `order ${request} ${Math.floor(i / 2)}`,
      identifiers: [{ hashed_email: hashOf(request * CONVERSIONS_OF_REQUEST + i) }],
    }));
    const { status, body } = await cluster.ask('POST', target, JSON.stringify({ conversions }));
    if (status !== 200) throw new Error(`POST ${target} was answered ${status}: ${body}`);
  }
  await query(
    `INSERT INTO engagements ("accountId", id, "userId", at, "isClick", "lineItemId", placement, "promotedId", "promotedKind",
        "audienceId", currency, "isForWebsite")
      SELECT $1, lpad(n::text, 13, '0'), n::text, now(), false, 'none', 'ALL_ON_PLATFORM', 'none', 'PROMOTED_POST', '', 'USD', true
      FROM generate_series(1, $2::int) n`,
    [id, requests * CONVERSIONS_OF_REQUEST],
  );
}

async function pixelRowsOf(query: Query, accountId: string): Promise<number> {
  const counts = TABLES_OF_PIXEL.map((table) => `(SELECT count(*) FROM ${table} WHERE "accountId" = $1)`);
  const [{ rows }] = (await query(`SELECT (${counts.join(' + ')})::int AS rows`, [accountId])) as { rows: number }[];
  return rows;
}

/** By how much the conversions that count in the quota of an account differ from those that are stored. */
async function quotaDifference(query: Query, accountId: string): Promise<number> {
  const [{ difference }] = (await query(
    `SELECT abs((SELECT coalesce(sum(stored), 0) FROM conversion_days WHERE "accountId" = $1)
      - (SELECT count(*) FROM conversions WHERE "accountId" = $1))::int AS difference`,
    [accountId],
  )) as { difference: number }[];
  return difference;
}
