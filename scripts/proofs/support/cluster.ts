import { makeWorld, type World } from '../../../bench/world.js';
import { FaultyWire } from './faulty-wire.js';
import { startNginx } from './nginx.js';
import { freePort } from './ports.js';
import { Postgres } from './postgres.js';
import { Redis } from './redis.js';
import { Replica } from './replica.js';
import { ask, type Answer, signed } from './requests.js';
import type { Stage } from './stage.js';

/** A whole installation: PostgreSQL, Redis, two replicas and nginx before them, all of them a proof's own. */
export interface Cluster {
  postgres: Postgres;
  /** Follows `postgres` synchronously, where the settings ask for it. */
  standby?: Postgres;
  /** Standbys that serve reads, where the settings ask for them. */
  readReplicas: Postgres[];
  redis: Redis;
  /** Between the replicas and PostgreSQL. */
  wire: FaultyWire;
  world: World;
  replicas: [Replica, Replica];
  /** Of nginx. */
  port: number;
  /** By which clients know the service, and for which they sign. */
  host: string;
  /** What the replicas are started with. */
  environment: Record<string, string>;
  /** Sends a freshly signed request, through nginx unless another port is named. */
  ask(method: string, target: string, body?: string, port?: number): Promise<Answer>;
}

/** The part of it before the database. */
export type Front = Omit<Cluster, 'postgres' | 'standby' | 'wire' | 'readReplicas'>;

export interface ClusterSettings {
  /** How many the first account has. */
  campaigns?: number;
  /** How many accounts are written to. */
  writtenAccounts?: number;
  /** Of PostgreSQL, as `name=value`. */
  postgres?: string[];
  /** Of the replicas, beside what all of them need. */
  environment?: Record<string, string>;
  /** Of the second one alone. */
  secondReplica?: Record<string, string>;
  /** Whether there is a synchronous standby; the replicas know both servers, without the wire. */
  hasStandby?: boolean;
  /** One for each standby that serves reads: its own settings of PostgreSQL, as `name=value`. */
  readReplicas?: string[][];
  /** Prepares the role that the service connects as, and returns its URL of the database; absent, it is the superuser. */
  connectAs?: (postgres: Postgres, databaseUrl: string) => Promise<string>;
}

export async function startCluster(
  stage: Stage,
  {
    campaigns = 0,
    writtenAccounts,
    postgres: settings = [],
    environment = {},
    secondReplica = {},
    hasStandby = false,
    readReplicas: replicaSettings = [],
    connectAs,
  }: ClusterSettings = {},
): Promise<Cluster> {
  const postgres = await Postgres.start(stage, settings);
  const redis = await Redis.start(stage);
  const world = await makeWorld(postgres.url, 'marquee', campaigns, writtenAccounts);
  const wire = await FaultyWire.to(stage, postgres.port);
  const database = new URL((await connectAs?.(postgres, world.databaseUrl)) ?? world.databaseUrl);
  database.port = `${wire.port}`;
  const standby = hasStandby ? await postgres.standby() : undefined;
  if (standby) await postgres.requireStandby();
  const both = standby && database.href.replace(database.host, `127.0.0.1:${postgres.port},127.0.0.1:${standby.port}`);
  const readReplicas: Postgres[] = [];
  for (const [i, own] of replicaSettings.entries()) readReplicas.push(await postgres.standby(own, `replica-${i + 1}`));
  const replicaUrls = readReplicas.map((each) => database.href.replace(database.host, `127.0.0.1:${each.port}`));
  const databaseUrl = both ?? database.href;
  const withReplicas = { ...(replicaUrls.length > 0 && { DATABASE_REPLICA_URLS: replicaUrls.join() }), ...environment };
  const front = await startReplicas(stage, { world, databaseUrl, redis, environment: withReplicas, secondReplica });
  return { postgres, ...(standby && { standby }), readReplicas, wire, ...front };
}

/** Starts two replicas on a database, and nginx before them. */
export async function startReplicas(
  stage: Stage,
  {
    world,
    databaseUrl,
    redis,
    environment = {},
    secondReplica = {},
  }: Pick<Cluster, 'world' | 'redis'> & { databaseUrl: string } & Pick<
      ClusterSettings,
      'environment' | 'secondReplica'
    >,
): Promise<Front> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const common = {
    ...world.environment,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    BASE_URL: `http://${host}`,
    TRUST_PROXY: '127.0.0.1',
    DATA_DIR: stage.folder,
    ...environment,
  };
  const replicas: [Replica, Replica] = [
    new Replica(stage, await freePort(), common),
    new Replica(stage, await freePort(), { ...common, ...secondReplica }),
  ];
  await Promise.all(replicas.map((replica) => replica.start()));
  await startNginx(stage, { replicas: [`127.0.0.1:${replicas[0].port}`, `127.0.0.1:${replicas[1].port}`] }, port);
  return {
    redis,
    world,
    replicas,
    port,
    host,
    environment: common,
    ask: (method, target, body, at = port) => ask(at, signed(host, world.pen, method, target, body)),
  };
}
