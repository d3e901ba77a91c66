import { setTimeout as pause } from 'node:timers/promises';
import { makeWorld } from '../../bench/world.js';
import { startReplicas } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, longest, succeeded } from './support/load/log.js';
import { Overhearer } from './support/overhearer.js';
import { PatroniCluster } from './support/patroni.js';
import { Redis } from './support/redis.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';
import { Watch } from './support/watch.js';

const PER_SECOND = 200;
const SERVED_WITHIN_MS = 2_000;
const WAIT_MS = 5_000;
/** Load before the death, and after a write can be acknowledged again. */
const BEFORE_MS = 3_000;
const AFTER_MS = 4_000;

/** One failover, in milliseconds since the epoch. */
interface Failover {
  killedAt: number;
  promotedAt: number;
  /** When a synchronous standby follows the new primary: before, PostgreSQL itself acknowledges no write. */
  followedAt: number;
  /** When the old primary is started again. It is repaired with pg_rewind, for which the new primary makes a checkpoint. */
  returnedAt: number;
  /** When two standbys follow. */
  overAt: number;
}

/**
 * The node of the primary is killed again and again while clients write, and Patroni promotes a synchronous standby:
 * nothing that was acknowledged is lost, through HAProxy and with all nodes in the URL.
 */
export async function prove(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const way of ['through HAProxy', 'several hosts'] as const) {
    if (!way.includes(settings.only)) continue;
    figures.push(...(await failingOver(way)).map((figure) => ({ ...figure, part: way })));
  }
  return figures;
}

function failingOver(way: 'through HAProxy' | 'several hosts'): Promise<Figure[]> {
  return withStage(async (stage) => {
    const databases = await PatroniCluster.start(stage);
    const through = (database: string) => databases.urlOf(database, [databases.haproxyPort]);
    const world = await makeWorld(through('postgres'), 'marquee', 0);
    const all = databases.nodes.map(({ port }) => port);
    const databaseUrl = way === 'several hosts' ? databases.urlOf('marquee', all) : through('marquee');
    const service = await startReplicas(stage, { world, databaseUrl, redis: await Redis.start(stage) });
    const { port, host, replicas } = service;
    const load = Load.start(stage, {
      port,
      host,
      pen: world.pen,
      requests: creates(world, 'Failover'),
      perSecond: PER_SECOND,
      captures: 200,
    });
    const overhearer = new Overhearer(service);
    const watch = new Watch(replicas);
    const failovers: Failover[] = [];
    for (let i = 0; i < (settings.quick ? 2 : 5); i++) failovers.push(await failOver(databases, load, overhearer));
    overhearer.replay();
    await pause(BEFORE_MS);
    const { entries } = await load.end();
    await overhearer.done();
    await watch.end();
    return [
      ...answered(entries, failovers),
      ...(await onPostgres(through('marquee'), (query) => stored(query, 'Failover', entries))),
      noted('overheard requests sent again', `${overhearer.sent} of ${overhearer.size}: ${overhearer.answers()}`),
      atMost('accepted twice', overhearer.twice(), 0),
      atMost('longest wait for /health/ready', watch.longestMs, WAIT_MS, 'ms'),
      atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
    ];
  });
}

/** Kills the node of the primary, waits for Patroni, and brings the node back. */
async function failOver(databases: PatroniCluster, load: Load, overhearer: Overhearer): Promise<Failover> {
  const primary = await databases.whole();
  await pause(BEFORE_MS);
  const killedAt = Date.now();
  await primary.kill();
  overhearer.hear(await load.captured());
  const others = databases.nodes.filter((node) => node !== primary);
  const [promotedAt, next] = await Promise.any(
    others.map(async (node) => [await node.until('SELECT 1 WHERE NOT pg_is_in_recovery()'), node] as const),
  );
  const followedAt = await next.until(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
  overhearer.replay();
  await pause(AFTER_MS);
  const returnedAt = Date.now();
  primary.start();
  await databases.whole();
  return { killedAt, promotedAt, followedAt, returnedAt, overAt: Date.now() };
}

function answered(entries: Entry[], failovers: Failover[]): Figure[] {
  const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry));
  const lateAfter = (from: (failover: Failover) => number) =>
    failovers.map((failover) => {
      const refused = entries.filter(
        (entry) => !succeeded(entry) && entry.sentAt > from(failover) && entry.sentAt < failover.returnedAt,
      );
      return refused.reduce((latest, { sentAt }) => Math.max(latest, sentAt - from(failover)), 0);
    });
  const refusedAtReturn = failovers.map(
    ({ returnedAt, overAt }) =>
      entries.filter((entry) => !succeeded(entry) && entry.sentAt >= returnedAt && entry.sentAt < overAt).length,
  );
  const each = (times: number[]) => times.map((ms) => worded(ms)).join(', ');
  const lateBy = lateAfter(({ followedAt }) => followedAt);
  return [
    noted('answers', byStatus(entries)),
    {
      ...atMost('answers other than 2xx and 503 with retry-after', odd.length, 0),
      ...(odd.length > 0 && { measured: byStatus(odd) }),
    },
    noted('death to promotion, ms', each(failovers.map(({ killedAt, promotedAt }) => promotedAt - killedAt))),
    noted('promotion to a synchronous standby, ms', each(failovers.map((f) => f.followedAt - f.promotedAt))),
    noted('all served again, after the promotion, ms', each(lateAfter(({ promotedAt }) => promotedAt))),
    noted('all served again, after the standby follows, ms', each(lateBy)),
    atMost('all served again after the standby follows, slowest', Math.max(...lateBy), SERVED_WITHIN_MS, 'ms'),
    noted('refused while the old primary comes back', refusedAtReturn.join(', ')),
    noted('from its start until it follows, ms', each(failovers.map(({ returnedAt, overAt }) => overAt - returnedAt))),
    atMost('longest wait for an answer', longest(entries), WAIT_MS, 'ms'),
  ];
}
