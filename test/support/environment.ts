import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';

/** A PostgreSQL server to test on, by a database in which others can be created; without it the embedded store serves. */
export const SERVER = process.env.TEST_DATABASE_URL || undefined;
/** A Redis to test with; every spec file has a prefix of its own there. */
export const REDIS = process.env.TEST_REDIS_URL || undefined;
/** How many applications stand behind a balancer, each with its own store and clock. */
export const REPLICAS = Number(process.env.TEST_REPLICAS || 1);
/** Whether those are processes, which can be killed, and not applications in the process of the tests. */
export const IS_IN_PROCESSES = process.env.TEST_PROCESSES === '1';
/** Hosts with ports, separated by commas: standbys of the server that may take over, and those that serve reads. */
const STANDBYS = process.env.TEST_DATABASE_STANDBYS || undefined;
const READ_REPLICAS = process.env.TEST_READ_REPLICAS || undefined;
/** Whether other servers follow that one, which may take over or serve reads: commits then wait for them. */
export const HAS_FOLLOWERS = STANDBYS !== undefined || READ_REPLICAS !== undefined;
/** Whether the services connect through PgBouncer in transaction mode, which global-setup starts before the server. */
export const IS_POOLED = process.env.TEST_PGBOUNCER === 'transaction';
/** The long runs at their full length. */
export const FULL = process.env.TEST_FULL === '1';

/** Where global-setup tells the folder of a run, which is gone when the run ends. */
export const RUN_FOLDER = 'MARQUEE_TEST_FOLDER';
/** Where global-setup tells what stores begin as: a dump of the embedded one, or a database on the server. */
export const TEMPLATE_FILE = 'MARQUEE_TEST_TEMPLATE_FILE';
export const TEMPLATE_DATABASE = 'MARQUEE_TEST_TEMPLATE_DATABASE';
/** Where global-setup tells the URL of PgBouncer. */
export const POOLER = 'MARQUEE_TEST_POOLER';

const hosts = (list: string | undefined) => list?.split(',') ?? [];
const at = (url: string, host: string) => url.replace(new URL(SERVER!).host, host);

/** Runs a statement on the server, in none of the databases of the tests; on a standby that has taken over. */
export async function onServer<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
  const urls = [SERVER!, ...hosts(STANDBYS).map((host) => at(SERVER!, host))];
  for (const [index, url] of urls.entries()) {
    try {
      return (await query<R>(url, text, values)).rows;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!['ECONNREFUSED', READ_ONLY].includes(code) || index === urls.length - 1) throw error;
    }
  }
  return [];
}

/**
 * Drops the databases of all spec files, whose names begin with that of their template. Each drop waits for a checkpoint; at
 * the end, some at a time, they share it.
 */
export async function dropDatabases(template: string): Promise<void> {
  const named = `SELECT datname FROM pg_database WHERE datname = $1 OR starts_with(datname, $1 || '_')`;
  const databases = (await onServer<{ datname: string }>(named, [template])).values();
  const dropNext = async () => {
    for (const { datname } of databases) await onServer(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  };
  await Promise.all(Array.from({ length: 8 }, dropNext));
}

/** Deletes the keys whose names begin so. */
export async function forgetKeys(prefix: string): Promise<void> {
  const redis = new Redis(REDIS!);
  for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 }) as AsyncIterable<string[]>) {
    if (keys.length > 0) await redis.del(...keys);
  }
  redis.disconnect();
}

const READ_ONLY = '25006';

async function query<R extends pg.QueryResultRow>(connectionString: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query<R>(text, values);
  } finally {
    await client.end();
  }
}

/** The URL of another database on the server. */
export function databaseUrl(name: string): string {
  const url = new URL(SERVER!);
  url.pathname = `/${name}`;
  return url.href;
}

/** What a service needs for its database: all servers that may be its primary, and those that serve reads. */
export function serverEnvironment(name: string): Record<string, string> {
  const url = databaseUrl(name);
  const replicas = hosts(READ_REPLICAS).map((host) => at(url, host));
  return {
    DATABASE_URL: at(url, [new URL(url).host, ...hosts(STANDBYS)].join()),
    ...(replicas.length > 0 && { DATABASE_REPLICA_URLS: replicas.join() }),
  };
}

/** Waits until all servers have what the primary has now: each may serve reads, or be tried first by a service that starts. */
export async function untilReplayed(name: string): Promise<void> {
  const others = [...hosts(STANDBYS), ...hosts(READ_REPLICAS)].map((host) => at(databaseUrl(name), host));
  if (others.length === 0) return;
  const all = [databaseUrl(name), ...others];
  const written = await Promise.any(all.map((url) => positionOf(url, 'pg_current_wal_flush_lsn()')));
  for (const url of all)
    for (let tries = 0; tries < MAX_LOOKS; tries++) {
      const replayed = await positionOf(url, REPLAYED).catch(() => -1n);
      if (replayed >= written) break;
      await pause(LOOK_MS);
    }
}

/** What a server has: a standby what it replayed, the primary everything. */
const REPLAYED = 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END';
const LOOK_MS = 20;
const MAX_LOOKS = 3_000;

/** A place in the log of a server, as a number. It throws where a standby is asked for that of a primary. */
async function positionOf(url: string, place: string): Promise<bigint> {
  const { rows } = await query(url, `SELECT (${place} - '0/0')::text AS place`);
  return BigInt((rows as { place: string }[])[0].place);
}

/** What a service needs to use a database through a pooler in transaction mode; the role has the settings already. */
export function pooledEnvironment(pooler: string, name: string): Record<string, string> {
  const url = new URL(pooler);
  url.pathname = `/${name}`;
  return { DATABASE_URL: url.href, DATABASE_DIRECT_URL: databaseUrl(name), DATABASE_DRIVER: 'plain' };
}
