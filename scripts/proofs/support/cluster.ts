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

export interface ClusterSettings {
  /** How many the first account has. */
  campaigns?: number;
  /** Of PostgreSQL, as `name=value`. */
  postgres?: string[];
  /** Of the replicas, beside what all of them need. */
  environment?: Record<string, string>;
  /** Of the second one alone. */
  secondReplica?: Record<string, string>;
  /** Whether there is a synchronous standby; the replicas know both servers, without the wire. */
  hasStandby?: boolean;
  /** Prepares the role that the service connects as, and returns its URL of the database; absent, it is the superuser. */
  connectAs?: (postgres: Postgres, databaseUrl: string) => Promise<string>;
}

export async function startCluster(
  stage: Stage,
  {
    campaigns = 0,
    postgres: settings = [],
    environment = {},
    secondReplica = {},
    hasStandby = false,
    connectAs,
  }: ClusterSettings = {},
): Promise<Cluster> {
  const postgres = await Postgres.start(stage, settings);
  const redis = await Redis.start(stage);
  const world = await makeWorld(postgres.url, 'marquee', campaigns);
  const wire = await FaultyWire.to(stage, postgres.port);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const database = new URL((await connectAs?.(postgres, world.databaseUrl)) ?? world.databaseUrl);
  database.port = `${wire.port}`;
  const standby = hasStandby ? await postgres.standby() : undefined;
  if (standby) await postgres.requireStandby();
  const both = standby && database.href.replace(database.host, `127.0.0.1:${postgres.port},127.0.0.1:${standby.port}`);
  const common = {
    ...world.environment,
    DATABASE_URL: both ?? database.href,
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
    postgres,
    ...(standby && { standby }),
    redis,
    wire,
    world,
    replicas,
    port,
    host,
    environment: common,
    ask: (method, target, body, at = port) => ask(at, signed(host, world.pen, method, target, body)),
  };
}
