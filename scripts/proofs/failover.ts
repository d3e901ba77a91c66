import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import type { LoadRequest } from './support/load/task.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, longest, succeeded } from './support/load/log.js';
import { Overhearer } from './support/overhearer.js';
import type { Postgres } from './support/postgres.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';
import { Watch } from './support/watch.js';

const PER_SECOND = 200;
const SERVED_WITHIN_MS = 2_000;
const WAIT_MS = 5_000;
/** Between the death of the primary and the promotion, as whoever decides about it takes. */
const DECISION_MS = 3_000;
/** Load before the death, and after the promotion. */
const BEFORE_MS = 2_000;
const AFTER_MS = 4_000;

/** One failover, in milliseconds since the epoch. */
interface Failover {
  killedAt: number;
  /** When the promotion was asked for, and when it was done. */
  askedAt: number;
  promotedAt: number;
  /** The death of the next primary, or the end of the load. */
  overAt: number;
}

/**
 * The primary is killed and its synchronous standby promoted, again and again, and at last restarted as planned, while clients
 * write: nothing that was acknowledged is lost, and the service finds the new primary by itself.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, { hasStandby: true, campaigns: 100 });
    const { port, host, world, replicas } = cluster;
    const requests = await requestsOf(cluster);
    const load = Load.start(stage, {
      port,
      host,
      pen: world.pen,
      requests,
      perSecond: PER_SECOND,
      captures: 200,
    });
    const overhearer = new Overhearer(cluster);
    const watch = new Watch(replicas);
    const failovers: Failover[] = [];
    let [primary, standby] = [cluster.postgres, cluster.standby!];
    for (let i = 0; i < (settings.quick ? 2 : 5); i++) {
      failovers.push(await failOver(primary, standby, load, overhearer));
      [primary, standby] = [standby, primary];
    }
    failovers.push(await restart(primary));
    overhearer.replay();
    await pause(BEFORE_MS);
    const { entries } = await load.end();
    await overhearer.done();
    await watch.end();
    return [
      ...answered(entries, requests, failovers),
      ...(await onPostgres(databaseOn(cluster, primary), (query) => stored(query, 'Failover', entries))),
      noted('overheard requests sent again', `${overhearer.sent} of ${overhearer.size}: ${overhearer.answers()}`),
      atMost('accepted twice', overhearer.twice(), 0),
      atMost('longest wait for /health/ready', watch.longestMs, WAIT_MS, 'ms'),
      atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
    ];
  });
}

/** Kills the primary, promotes the standby, and makes the old primary the standby of the new one. */
async function failOver(primary: Postgres, standby: Postgres, load: Load, overhearer: Overhearer): Promise<Failover> {
  await pause(BEFORE_MS);
  const killedAt = Date.now();
  await primary.kill();
  // accepted right before, so that only the standby has what was remembered about them
  overhearer.hear(await load.captured());
  await pause(DECISION_MS);
  const askedAt = Date.now();
  await standby.promote();
  const promotedAt = Date.now();
  overhearer.replay();
  await pause(AFTER_MS);
  await primary.follow(standby);
  await standby.requireStandby();
  return { killedAt, askedAt, promotedAt, overAt: Date.now() };
}

/** A server that is shut down and started again, as for an update. */
async function restart(primary: Postgres): Promise<Failover> {
  await pause(BEFORE_MS);
  const killedAt = Date.now();
  await primary.stop();
  const askedAt = Date.now();
  await primary.restart();
  const promotedAt = Date.now();
  await pause(AFTER_MS);
  return { killedAt, askedAt, promotedAt, overAt: Date.now() };
}

/** Creates with and without a key, updates, a delete and batches of both, in turn. */
async function requestsOf({ ask, world }: Cluster): Promise<LoadRequest[]> {
  const account = `/12/accounts/${world.account.id}`;
  const { body } = await ask('GET', `${account}/campaigns?count=20`);
  const [gone, ...kept] = (JSON.parse(body) as { data: { id: string }[] }).data.map(({ id }) => id);
  const batch = (id: string) =>
    JSON.stringify([{ operation_type: 'Update', params: { campaign_id: id, name: 'In a batch {n}' } }]);
  return creates(world, 'Failover').flatMap((create, i): LoadRequest[] => [
    i % 2 === 0 ? create : { ...create, isKeyed: true },
    { method: 'PUT', target: `${account}/campaigns/${kept[i]}?name=Updated%20{n}`, isKeyed: i % 3 === 0 },
    { method: 'DELETE', target: `${account}/campaigns/${gone}` },
    { method: 'POST', target: `/12/batch${account.slice(3)}/campaigns`, json: batch(kept[i]), isKeyed: i % 3 === 1 },
  ]);
}

function answered(entries: Entry[], requests: LoadRequest[], failovers: Failover[]): Figure[] {
  // after the first delete there is nothing left to delete
  const isGone = ({ status, kind }: Entry) => status === 404 && requests[kind].method === 'DELETE';
  const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry) && !isGone(entry));
  const lateBy = failovers.map(({ promotedAt, overAt }) => {
    const refused = entries.filter(
      (entry) => !succeeded(entry) && !isGone(entry) && entry.sentAt > promotedAt && entry.sentAt < overAt,
    );
    return refused.reduce((latest, { sentAt }) => Math.max(latest, sentAt - promotedAt), 0);
  });
  const outages = failovers.map(({ killedAt, promotedAt }) => {
    const served = entries.filter((entry) => succeeded(entry) && entry.sentAt > promotedAt);
    return Math.min(...served.map(({ sentAt }) => sentAt)) - killedAt;
  });
  const early = failovers.map(({ askedAt, promotedAt }) => promotedAt - askedAt);
  const each = (times: number[]) => times.map((ms) => worded(ms)).join(', ');
  return [
    noted('answers', byStatus(entries)),
    {
      ...atMost('answers other than 2xx and 503 with retry-after', odd.length, 0),
      ...(odd.length > 0 && { measured: byStatus(odd) }),
    },
    noted('duration of the promotions, ms', each(early)),
    noted('served again, after the death of the primary, ms', each(outages)),
    noted('all served again, after the promotion, ms', each(lateBy)),
    atMost('all served again after the promotion, slowest', Math.max(...lateBy), SERVED_WITHIN_MS, 'ms'),
    atMost('longest wait for an answer', longest(entries), WAIT_MS, 'ms'),
  ];
}

function databaseOn({ world }: Cluster, { port }: Postgres): string {
  const url = new URL(world.databaseUrl);
  url.port = `${port}`;
  return url.href;
}
