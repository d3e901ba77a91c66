import pg from 'pg';

/** A PostgreSQL server to test on, by a database in which others can be created; without it the embedded store serves. */
export const SERVER = process.env.TEST_DATABASE_URL || undefined;
/** A Redis to test with; every spec file has a prefix of its own there. */
export const REDIS = process.env.TEST_REDIS_URL || undefined;
/** How many applications stand behind a balancer, each with its own store and clock. */
export const REPLICAS = Number(process.env.TEST_REPLICAS || 1);
/** Whether the services connect through PgBouncer in transaction mode, which global-setup starts before the server. */
export const IS_POOLED = process.env.TEST_PGBOUNCER === 'transaction';
/** The long runs at their full length. */
export const FULL = process.env.TEST_FULL === '1';

/** Where global-setup tells what stores begin as: a dump of the embedded one, or a database on the server. */
export const TEMPLATE_FILE = 'MARQUEE_TEST_TEMPLATE_FILE';
export const TEMPLATE_DATABASE = 'MARQUEE_TEST_TEMPLATE_DATABASE';
/** Where global-setup tells the URL of PgBouncer. */
export const POOLER = 'MARQUEE_TEST_POOLER';

/** Runs a statement on the server, in none of the databases of the tests. */
export async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  try {
    await client.query(text);
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

/** What a service needs to use a database through a pooler in transaction mode; the role has the settings already. */
export function pooledEnvironment(pooler: string, name: string): Record<string, string> {
  const url = new URL(pooler);
  url.pathname = `/${name}`;
  return { DATABASE_URL: url.href, DATABASE_DIRECT_URL: databaseUrl(name), DATABASE_DRIVER: 'plain' };
}
