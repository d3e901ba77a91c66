import { setTimeout as pause } from 'node:timers/promises';
import { HANDED_OVER_SECONDS } from '../../src/auth/replay/epoch.js';
import { attempted } from './support/attempted.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { connected, creates, onPostgres, stored } from './support/creates.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, longest, succeeded } from './support/load/log.js';
import { Overhearer } from './support/overhearer.js';
import { type RedisGroup, startRedisCluster, startSentinels } from './support/redis-groups.js';
import { Replica } from './support/replica.js';
import { ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';
import { Watch } from './support/watch.js';

const PER_SECOND = 50;
const SWITCHES = 20;
const WAIT_MS = 5_000;
const SERVED_WITHIN_MS = 2_000;
/** Load before a switch, and after it. */
const pauseMs = () => (settings.quick ? 1_000 : 1_500);
/** Redis decides on nonces for good when it has done so for this long. */
const stableMs = () => (settings.quick ? 2_000 : 4_000);
/** All requests of this time before a switch are sent again after it, and after the next one. */
const CAPTURES = PER_SECOND * 10;
/** A busy machine answers Redis late again and again. */
const PATIENCE_MS = 180_000;
/** A request signed longer than this before Redis was lost is refused as too old: a busy machine keeps one waiting so long. */
const HANDED_OVER_MS = HANDED_OVER_SECONDS * 1_000;
/** The window of reads without an account, which the load does not use. */
const LIMIT = 40;

/** One switch, in milliseconds since the epoch. */
interface Switch {
  by: 'kill' | 'failover';
  beganAt: number;
  /** When another server was the primary. */
  promotedAt: number;
  /** When the next one begins. */
  overAt: number;
}

/**
 * Another Redis takes over, again and again, while clients go on: no request is accepted twice, and all are served, with 503
 * for a moment at worst.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const [sentinels, nodes] = await Promise.all([startSentinels(stage), startRedisCluster(stage)]);
    const environment = { REDIS_URL: sentinels.url, RATE_LIMIT_GLOBAL_READS: `${LIMIT}/900` };
    const cluster = await startCluster(stage, { environment });
    const figures = await part('three sentinels', () => during(stage, sentinels, cluster, 'Sentinel'));
    await Promise.all(cluster.replicas.map((replica) => replica.end()));
    const replicas = cluster.replicas.map(
      ({ port }) => new Replica(stage, port, { ...cluster.environment, REDIS_URL: nodes.url }),
    ) as Cluster['replicas'];
    await Promise.all(replicas.map((replica) => replica.start()));
    const others = await part('cluster of six nodes', () => during(stage, nodes, { ...cluster, replicas }, 'Cluster'));
    const all = [...figures, ...others];
    if (all.length === 0) throw new Error(`no part has "${settings.only}" in its name`);
    return all;
  });
}

async function part(name: string, work: () => Promise<Figure[]>): Promise<Figure[]> {
  if (!name.includes(settings.only)) return [];
  return (await attempted(work)).map((figure) => ({ ...figure, part: name }));
}

async function during(stage: Stage, group: RedisGroup, cluster: Cluster, name: string): Promise<Figure[]> {
  const { port, host, world, replicas } = cluster;
  const account = { method: 'GET', target: `/12/accounts/${world.account.id}` };
  const load = Load.start(stage, {
    port,
    host,
    pen: world.pen,
    requests: creates(world, name).flatMap((create) => [create, account]),
    perSecond: PER_SECOND,
    captures: CAPTURES,
  });
  const watch = new Watch(replicas);
  const overhearers: Overhearer[] = [];
  const switches: Switch[] = [];
  const before = await countedReads(cluster, LIMIT / 4);
  const { epoch: firstEpoch } = await epochOf(cluster);
  for (let i = 0; i < (settings.quick ? 2 : SWITCHES); i++) {
    overhearers.push(new Overhearer(cluster));
    switches.push(await switchOver(group, i % 2 === 0 ? 'kill' : 'failover', load, overhearers.slice(-2)));
  }
  overhearers.at(-1)!.replay();
  // on a busy machine, the load alone keeps Redis from answering in time for some seconds without a break
  const ended = settings.quick ? await load.end() : undefined;
  const backMs = await untilRedisDecides(cluster);
  const { epoch } = await epochOf(cluster);
  const after = await countedReads(cluster, LIMIT);
  const { entries } = ended ?? (await load.end());
  await Promise.all(overhearers.map((overhearer) => overhearer.done()));
  await watch.end();

  const total = (of: (overhearer: Overhearer) => number) => overhearers.reduce((sum, each) => sum + of(each), 0);
  return [
    noted('switches', `${switches.length}, every other one by SIGKILL`),
    ...answered(entries, switches),
    noted('nonce epochs for each switch', worded((epoch - firstEpoch) / switches.length)),
    noted('Redis decides on nonces again, after the last switch', worded(backMs, 'ms')),
    atLeast('reads within the limit, before the switches', before.get(200) ?? 0, LIMIT / 4),
    atMost('reads within the limit, before and after the switches', sum(before, after, 200), LIMIT),
    atLeast('reads beyond the limit with 429', after.get(429) ?? 0, LIMIT / 4),
    noted('overheard requests sent again', `${total(({ sent }) => sent)} of ${total(({ size }) => size)}`),
    atMost(
      'accepted twice',
      total((overhearer) => overhearer.twice()),
      0,
    ),
    ...(await onPostgres(world.databaseUrl, (query) => stored(query, name, entries))),
    atMost('longest wait for /health/ready', watch.longestMs, WAIT_MS, 'ms'),
    atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
  ];
}

const sum = (before: Map<number, number>, after: Map<number, number>, status: number): number =>
  (before.get(status) ?? 0) + (after.get(status) ?? 0);

async function switchOver(group: RedisGroup, by: Switch['by'], load: Load, overhearers: Overhearer[]): Promise<Switch> {
  const overhearer = overhearers.at(-1)!;
  await group.heal();
  await pause(pauseMs());
  overhearer.hear(await load.captured());
  const beganAt = Date.now();
  await group.switch(by);
  const promotedAt = Date.now();
  // also what was accepted between the loss of the primary and the promotion
  overhearer.hear(await load.captured());
  for (const each of overhearers) each.replay();
  await pause(pauseMs());
  return { by, beganAt, promotedAt, overAt: Date.now() };
}

/**
 * The answers to reads that count in the small window, sent to the replicas in turn, by status. One with 503, as a busy machine
 * makes it, is sent again.
 */
async function countedReads({ replicas, host, world }: Cluster, count: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const deadline = performance.now() + PATIENCE_MS;
  for (let i = 0; i < count;) {
    const { status } = await ask(replicas[i % 2].port, signed(host, world.pen, 'GET', '/12/accounts'));
    if (status === 503 && performance.now() < deadline) continue;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    i++;
  }
  return counts;
}

/** Waits until nonces are checked in Redis again and still are; answers for how long, in milliseconds. */
async function untilRedisDecides(cluster: Cluster): Promise<number> {
  const began = performance.now();
  const { epoch: first } = await epochOf(cluster);
  let since = began;
  for (;;) {
    const now = performance.now();
    const { epoch, store } = await epochOf(cluster);
    if (store !== 'redis') since = performance.now();
    else if (now - since > stableMs()) return since - began;
    if (now - began > PATIENCE_MS)
      throw new Error(`Redis does not decide on nonces again: ${epoch - first} more epochs, now of the ${store}`);
    await pause(100);
  }
}

/** The nonce epoch in force. */
const epochOf = ({ world }: Cluster): Promise<{ epoch: number; store: string }> =>
  connected(world.databaseUrl, async (client) => {
    const { rows } = await client.query<{ epoch: number; store: string }>('SELECT epoch, store FROM nonce_epochs');
    return rows[0];
  });

/** Whether it was answered with 401 when the whole second that it was signed in was too old for a new epoch. */
const isTooOld = ({ status, sentAt, ms }: Entry): boolean => status === 401 && (sentAt % 1_000) + ms > HANDED_OVER_MS;

function answered(entries: Entry[], switches: Switch[]): Figure[] {
  const tooOld = entries.filter(isTooOld);
  const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry) && !isTooOld(entry));
  const unserved = (from: number, to: number) =>
    entries.filter((entry) => !succeeded(entry) && entry.sentAt > from && entry.sentAt < to);
  const longestOf = (by: Switch['by']) => {
    const outages = switches.filter((each) => each.by === by).map(({ beganAt, overAt }) => unserved(beganAt, overAt));
    const spans = outages.map((refused) => {
      const times = refused.map(({ sentAt }) => sentAt);
      return refused.length > 0 ? Math.max(...times) - Math.min(...times) : 0;
    });
    return `${worded(Math.max(...spans), 'ms')}, ${outages.flat().length} requests`;
  };
  const lateBy = switches.map(({ promotedAt, overAt }) =>
    Math.max(0, ...unserved(promotedAt, overAt).map(({ sentAt }) => sentAt - promotedAt)),
  );
  const promotion = (by: Switch['by']) =>
    switches
      .filter((each) => each.by === by)
      .map(({ beganAt, promotedAt }) => worded(promotedAt - beganAt))
      .join(', ');
  return [
    noted('answers', byStatus(entries)),
    noted('answers 401 after so long that the signature was too old', worded(tooOld.length)),
    {
      ...atMost('answers other than 2xx and 503 with retry-after', odd.length, 0),
      ...(odd.length > 0 && { measured: byStatus(odd) }),
    },
    noted('promoted after SIGKILL, ms', promotion('kill')),
    noted('promoted after the request for a failover, ms', promotion('failover')),
    noted('longest time with 503, SIGKILL', longestOf('kill')),
    noted('longest time with 503, failover', longestOf('failover')),
    atMost('all served again after the promotion, slowest', Math.max(...lateBy), SERVED_WITHIN_MS, 'ms'),
    atMost('longest wait for an answer', longest(entries), WAIT_MS, 'ms'),
  ];
}
