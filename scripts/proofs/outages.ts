import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../../bench/world.js';
import { attempted } from './support/attempted.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import { Load } from './support/load/load.js';
import { byStatus, type Entry, isBusy, type Kill, longest, succeeded, wasCut } from './support/load/log.js';
import type { LoadRequest } from './support/load/task.js';
import { Overhearer } from './support/overhearer.js';
import type { Postgres } from './support/postgres.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted } from './support/table.js';
import { Watch } from './support/watch.js';

const PER_SECOND = 100;
/** Signed longer than this after the event, nothing may be refused for its time or nonce. */
const REFUSED_UNTIL_MS = 6_000;
const WAIT_MS = 5_000;
const HEALTHY_WITHIN_MS = 2_000;
/** Load before the event, and after its end. */
const BEFORE_MS = 3_000;
const AFTER_MS = 12_000;
const NEVER = -Infinity;

/** Something that breaks by `begin`. */
interface Outage {
  /** After so long `end` is called, and it counts as over. */
  seconds: number;
  begin(cluster: Cluster): unknown;
  end?(cluster: Cluster): unknown;
  /** Whether a replica is killed with it, so that connections to it break. */
  killsReplica?: boolean;
  /** What has to have happened some seconds before it. */
  prepare?(cluster: Cluster): unknown;
  /** Where the database is afterwards, if it is elsewhere. */
  databasePort?(cluster: Cluster): number;
}

const standbys = new WeakMap<Cluster, Postgres>();

const OUTAGES: Record<string, Outage> = {
  'PostgreSQL down': {
    seconds: 15,
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.restart(),
  },
  'PostgreSQL frozen': {
    seconds: 20,
    begin: ({ postgres }) => postgres.freeze(),
    end: ({ postgres }) => postgres.thaw(),
  },
  // Nothing tells that they are dead but that nothing is answered in time.
  'connections to PostgreSQL silent, new ones work': { seconds: WAIT_MS / 1_000, begin: ({ wire }) => wire.silence() },
  'connections to PostgreSQL silent, new ones too': {
    seconds: 20,
    begin: ({ wire }) => wire.sever(),
    end: ({ wire }) => wire.mend(),
  },
  // The address is taken over before the standby is promoted, as by a balancer that looks at ports alone.
  'address leads to a standby that is promoted after 10 s': {
    seconds: 10,
    prepare: async (cluster) => void standbys.set(cluster, await cluster.postgres.standby()),
    begin: async (cluster) => {
      cluster.wire.leadTo(standbys.get(cluster)!.port);
      await cluster.postgres.stop();
    },
    end: (cluster) => standbys.get(cluster)!.promote(),
    databasePort: (cluster) => standbys.get(cluster)!.port,
  },
  'Redis stopped': { seconds: 15, begin: ({ redis }) => redis.stop(), end: ({ redis }) => redis.restart() },
  'Redis frozen': { seconds: 15, begin: ({ redis }) => redis.freeze(), end: ({ redis }) => redis.thaw() },
  'Redis flushed': { seconds: 0, begin: ({ redis }) => redis.flush() },
  'Redis flushed, a replica killed': {
    seconds: 0,
    killsReplica: true,
    begin: ({ redis, replicas }) => Promise.all([redis.flush(), replicas[1].kill()]),
  },
  'Redis restored from an old snapshot': {
    seconds: 0,
    prepare: ({ redis }) => redis.snapshot(),
    begin: async ({ redis }) => {
      await redis.stop();
      await redis.restart();
    },
  },
};

/**
 * PostgreSQL and Redis go away in every way we know while clients go on: they get answers in time, a 503 at worst, and nothing
 * that was overheard before is accepted again.
 */
export async function prove(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, outage] of Object.entries(OUTAGES)) {
    if (!name.includes(settings.only)) continue;
    console.log(`  ${name} ...`);
    // Each begins with an installation that nothing has happened to yet.
    const outcome = withStage(async (stage) => {
      const cluster = await startCluster(stage, { campaigns: 100 });
      const load = Load.start(stage, {
        port: cluster.port,
        host: cluster.host,
        pen: cluster.world.pen,
        requests: requestsOf(cluster.world),
        perSecond: PER_SECOND,
        captures: 200,
      });
      return during(outage, cluster, load);
    });
    figures.push(...(await attempted(() => outcome)).map((figure) => ({ ...figure, part: name })));
  }
  if (figures.length === 0) throw new Error(`no outage has "${settings.only}" in its name`);
  return figures;
}

/** Reads of one, of a list, and creates. */
function requestsOf(world: World): LoadRequest[] {
  const { account } = world;
  const reads: LoadRequest[] = [
    { method: 'GET', target: `/12/accounts/${account.id}` },
    { method: 'GET', target: `/12/accounts/${account.id}/campaigns?count=20` },
  ];
  return creates(world, 'Outage').flatMap((create, i) => [create, reads[i % 2]]);
}

async function during(outage: Outage, cluster: Cluster, load: Load): Promise<Figure[]> {
  const { replicas, world } = cluster;
  const overhearer = new Overhearer(cluster);
  const watch = new Watch(replicas);
  await outage.prepare?.(cluster);
  await pause(BEFORE_MS);
  overhearer.hear(await load.captured());

  const begin = Date.now();
  await outage.begin(cluster);
  const begun = Date.now();
  // What was accepted right before, while the replicas are about to learn of it.
  overhearer.hear(await load.captured());
  overhearer.replay();
  const seconds = settings.quick ? Math.min(outage.seconds, 8) : outage.seconds;
  if (seconds > 0) await pause(Math.max(0, begin + seconds * 1_000 - Date.now()));
  overhearer.hear(await load.captured());
  await outage.end?.(cluster);
  const end = Date.now();
  if (outage.killsReplica) await replicas[1].start();
  overhearer.hear(await load.captured());
  overhearer.replay();
  await pause(Math.max(0, end + AFTER_MS - Date.now()));
  const { entries } = await load.end();
  await overhearer.done();
  await watch.end();

  const databaseUrl = new URL(world.databaseUrl);
  if (outage.databasePort) databaseUrl.port = `${outage.databasePort(cluster)}`;
  const kills: Kill[] = outage.killsReplica ? [[begin, begun]] : [];
  const odd = entries.filter(
    (entry) => !succeeded(entry) && !isBusy(entry) && entry.status !== 401 && !wasCut(entry, kills),
  );
  const refused = entries.filter(({ status, sentAt }) => status === 401 && sentAt > begin);
  const unserved = entries.filter((entry) => !succeeded(entry) && entry.status !== 401);
  const unhealthy = entries.filter((entry) => !succeeded(entry) && !wasCut(entry, kills));
  const last = (some: Entry[]) => some.reduce((latest, { sentAt }) => Math.max(latest, sentAt), NEVER);
  const since = (moment: number, from: number) =>
    moment === NEVER ? 'none' : `${((moment - from) / 1_000).toFixed(1)} s`;
  return [
    noted('answers', byStatus(entries)),
    noted(
      'sent last that got 401, after the event (its end)',
      `${since(last(refused), begin)} (${since(last(refused), end)})`,
    ),
    noted(
      'sent last that was not served otherwise, after the event (its end)',
      `${since(last(unserved), begin)} (${since(last(unserved), end)})`,
    ),
    atMost(
      `401 for what was signed ${REFUSED_UNTIL_MS / 1_000} s after the event or later`,
      refused.filter(({ sentAt }) => sentAt > begin + REFUSED_UNTIL_MS).length,
      0,
    ),
    {
      ...atMost('answers other than 2xx, 401, 503 with retry-after', odd.length, 0),
      ...(odd.length > 0 && { measured: byStatus(odd) }),
    },
    atMost('longest wait for an answer', longest(entries), WAIT_MS, 'ms'),
    atMost('longest wait for /health/ready', watch.longestMs, WAIT_MS, 'ms'),
    atMost('all requests served again after its end', Math.max(0, last(unhealthy) - end), HEALTHY_WITHIN_MS, 'ms'),
    // One that was killed is proved by `kill` to come up again.
    ...(outage.killsReplica
      ? []
      : [
          atMost(
            'both replicas ready again after its end',
            Math.max(0, watch.lastUnready - end),
            HEALTHY_WITHIN_MS,
            'ms',
          ),
        ]),
    noted('overheard requests sent again', `${overhearer.sent} of ${overhearer.size}: ${overhearer.answers()}`),
    atMost('accepted twice', overhearer.twice(), 0),
    ...(await onPostgres(databaseUrl.href, (query) => stored(query, 'Outage', entries))).slice(1),
    atMost('replicas that ended by themselves', replicas[0].crashes + replicas[1].crashes, 0),
  ];
}
