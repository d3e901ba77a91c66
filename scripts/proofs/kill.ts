import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startCluster } from './support/cluster.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, succeeded, wasCut } from './support/load/log.js';
import type { LoadRequest } from './support/load/task.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted } from './support/table.js';
import type { World } from '../../bench/world.js';

const PER_SECOND = 200;
const READY_WITHIN_MS = 3_000;
/** For so long nginx leaves a replica alone that failed (deploy/nginx.conf); the other one may not fail meanwhile. */
const LEFT_ALONE_MS = 6_000;

/**
 * `kill -9` of replicas and of PostgreSQL while campaigns are created: every one that was acknowledged is there exactly once,
 * with its record and its event, and nothing is there twice or by halves.
 */
export function prove(): Promise<Figure[]> {
  const replicaKills = settings.quick ? 4 : 20;
  const databaseKills = settings.quick ? 2 : 5;
  return withStage(async (stage) => {
    const { world, replicas, postgres, port, host } = await startCluster(stage);
    const load = Load.start(stage, {
      port,
      host,
      pen: world.pen,
      requests: creates(world, 'Proof'),
      perSecond: PER_SECOND,
      captures: 0,
    });
    const moment = () => pause(500 + Math.random() * 1_000);
    const kills: number[] = [];
    const replicaTimes: number[] = [];
    for (let i = 0; i < replicaKills; i++) {
      await moment();
      const replica = replicas[i % replicas.length];
      kills.push(Date.now());
      await replica.kill();
      await replica.start();
      replicaTimes.push(replica.readyMs);
      await pause(Math.max(0, kills.at(-1)! + LEFT_ALONE_MS - Date.now()));
    }
    const databaseTimes: number[] = [];
    for (let i = 0; i < databaseKills; i++) {
      await moment();
      await postgres.kill();
      await postgres.restart();
      const began = performance.now();
      await Promise.all(replicas.map((replica) => replica.untilReady()));
      databaseTimes.push(performance.now() - began);
    }
    await moment();
    const { entries } = await load.end();
    const cut = entries.filter((entry) => wasCut(entry, kills));
    const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry) && !wasCut(entry, kills));
    const crashes = replicas[0].crashes + replicas[1].crashes;
    return [
      noted('answers', byStatus(entries)),
      ...(await stored(world.databaseUrl, 'Proof', entries)),
      noted('cut off by a kill (dropped, or 502 of nginx)', String(cut.length)),
      { ...atMost('answers other than 201 and 503 with retry-after', odd.length, 0), measured: byStatus(odd) || '0' },
      atMost(`replica ready again, slowest of ${replicaKills}`, Math.max(...replicaTimes), READY_WITHIN_MS, 'ms'),
      atMost(
        `both ready again after PostgreSQL accepted connections, slowest of ${databaseKills}`,
        Math.max(...databaseTimes),
        READY_WITHIN_MS,
        'ms',
      ),
      atMost('replicas that ended by themselves', crashes, 0),
    ];
  });
}

/** Creates in all accounts that are written to, each under a name of its own. */
export function creates({ written }: World, name: string): LoadRequest[] {
  return written.map(({ id, fundingId }) => ({
    method: 'POST',
    target: `/12/accounts/${id}/campaigns?funding_instrument_id=${fundingId}&name=${encodeURIComponent(name)}%20{n}&entity_status=PAUSED&daily_budget_amount_local_micro=5500000`,
    keepsId: true,
  }));
}

/** Whether what was acknowledged is stored, and nothing twice or by halves. */
export async function stored(databaseUrl: string, name: string, entries: Entry[]): Promise<Figure[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string; id: string; records: number; events: number }>(
    `SELECT c.name, c.id, count(DISTINCT h.id)::int AS records, count(e.id)::int AS events
      FROM campaigns c LEFT JOIN account_changes h ON h."entityId" = c.id AND h."changeType" = 'CREATE'
      LEFT JOIN outgoing_events e ON e."changeId" = h.id WHERE c.name LIKE $1 GROUP BY c.name, c.id`,
    [`${name} %`],
  );
  await client.end();
  const ids = new Map(rows.map(({ name: campaign, id }) => [campaign, id]));
  const acknowledged = entries.filter(({ status, id }) => status === 201 && id !== '');
  const lost = acknowledged.filter(({ n, id }) => ids.get(`${name} ${n}`) !== id).length;
  const halves = rows.filter(({ records, events }) => records !== 1 || events !== 1).length;
  return [
    noted('creates acknowledged, stored', `${acknowledged.length}, ${rows.length}`),
    atMost('acknowledged and lost', lost, 0),
    atMost('stored twice', rows.length - ids.size, 0),
    atMost('stored without exactly one record and one event', halves, 0),
  ];
}
