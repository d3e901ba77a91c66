import { randomBytes } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { NoAnswer } from '../../errors/unavailable.js';
import { StartFailure } from '../../start-failure.js';
import { BoundedClient, type BoundedSettings } from './bounded-client.js';
import { CHECKED_SETTINGS, hasRequestedValue, serverAddresses } from './check-sessions.js';
import { sessionSettings } from './session-settings.js';

/** Timeout of a statement of the check, and of a notification. */
const LIMIT_MS = 5_000;
/** The number of server connections that are checked. */
const CONNECTIONS = 3;

const SETTINGS = 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])';
/** The settings that new sessions of the role get in this database. */
const OF_ROLE = `SELECT session_user AS role, ARRAY(
    SELECT unnest(setconfig) FROM pg_db_role_setting JOIN pg_roles r ON r.oid = setrole JOIN pg_database d ON d.oid = setdatabase
    WHERE r.rolname = session_user AND d.datname = current_database()) AS stored`;

/** The way of statements to a database through a pooler in transaction mode. */
export interface Pooler {
  /** Connections through the pooler. */
  pooled: BoundedSettings;
  /** Connections to the same database around it. */
  direct: BoundedSettings;
  /** Whether the driver names its statements. */
  namesStatements: boolean;
}

/**
 * Checks what the service needs behind a pooler in transaction mode: the role has the settings of its sessions, the
 * pooler keeps named statements if the driver uses them, and notifications arrive on direct connections. Otherwise
 * throws a StartFailure.
 */
export async function checkPooler({ pooled, direct, namesStatements }: Pooler): Promise<void> {
  const clients = Array.from({ length: CONNECTIONS }, () => opened(pooled));
  try {
    for (const client of clients) await client.connect();
    await inTransactions(clients, pooled, async () => {
      for (const client of clients) await demandSettings(client, pooled);
    });
    if (namesStatements) await demandNamedStatements(clients, pooled);
    await demandNotifications(clients[0], pooled, direct);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new StartFailure(
      `DATABASE_URL: the pooler at ${serverAddresses(pooled)} does not provide ${CONNECTIONS} connections within ${LIMIT_MS / 1_000} s (${error.message}); raise its pool size (PgBouncer: default_pool_size).`,
    );
  } finally {
    for (const client of clients) client.end().catch(() => undefined);
  }
}

/** Works while each client has a transaction in progress, and so a server connection of its own. */
async function inTransactions(clients: BoundedClient[], pooled: BoundedSettings, work: () => Promise<void>) {
  for (const client of clients) {
    await ask(client, { text: 'BEGIN' }).catch((error: { code?: string; message: string }) => {
      if (error.code !== '08P01') throw error;
      throw new StartFailure(
        `DATABASE_URL: the pooler at ${serverAddresses(pooled)} allows no transactions (${error.message}); use transaction mode (PgBouncer: pool_mode = transaction).`,
      );
    });
  }
  await work();
  for (const client of clients) await ask(client, { text: 'COMMIT' });
}

async function demandSettings(client: BoundedClient, pooled: BoundedSettings): Promise<void> {
  const asked = sessionSettings(pooled);
  const found = await ask<{ name: string; setting: string }>(client, { text: SETTINGS, values: [CHECKED_SETTINGS] });
  const wrong = found.filter(({ name, setting }) => !hasRequestedValue(asked.get(name), setting));
  if (wrong.length === 0) return;
  const [{ role, stored }] = await ask<{ role: string; stored: string[] }>(client, { text: OF_ROLE });
  const place = serverAddresses(pooled);
  const listed = wrong.map(({ name, setting }) => `${name} is ${setting} instead of ${asked.get(name)}`).join(', ');
  const isStored = wrong.every(({ name }) => stored.includes(`${name}=${asked.get(name)}`));
  throw new StartFailure(
    isStored
      ? `DATABASE_URL: the pooler at ${place} uses connections that are older than the settings of the role ${role} (${listed}); let it open new ones (PgBouncer: RECONNECT).`
      : `DATABASE_URL: behind the pooler at ${place} the role ${role} lacks settings (${listed}); run \`marquee database settings --apply\`, then let the pooler open new connections (PgBouncer: RECONNECT).`,
  );
}

/** Each client prepares a statement on one server connection and runs it on another. */
async function demandNamedStatements(clients: BoundedClient[], pooled: BoundedSettings): Promise<void> {
  const names = clients.map(() => `marquee_check_${randomBytes(6).toString('hex')}`);
  try {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      for (const i of order) {
        await ask(clients[i], { text: 'BEGIN' });
        await ask(clients[i], { name: names[i], text: 'SELECT 1' });
      }
      for (const i of order) await ask(clients[i], { text: 'COMMIT' });
    }
  } catch (error) {
    // it is missing, or another client has prepared one with its name
    if (!/^(26000|42P05|08P01)$/.test((error as { code?: string }).code ?? '')) throw error;
    throw new StartFailure(
      `DATABASE_DRIVER: the pooler at ${serverAddresses(pooled)} does not keep prepared statements (${(error as Error).message}); set DATABASE_DRIVER=plain, or use PgBouncer 1.21 or newer with max_prepared_statements.`,
    );
  }
}

/** A notification through the pooler arrives, so both URLs lead to the same database of the same server. */
async function demandNotifications(client: BoundedClient, pooled: BoundedSettings, direct: BoundedSettings) {
  const listener = opened(direct);
  const channel = `marquee_check_${randomBytes(6).toString('hex')}`;
  let timer: NodeJS.Timeout | undefined;
  try {
    await listener.connect();
    const notified = new Promise<boolean>((resolve) => {
      listener.once('notification', () => resolve(true));
      timer = setTimeout(() => resolve(false), LIMIT_MS);
    });
    await ask(listener, { text: `LISTEN ${channel}` });
    await ask(client, { text: 'SELECT pg_notify($1, $2)', values: [channel, ''] });
    if (await notified) return;
    throw new StartFailure(
      `DATABASE_DIRECT_URL: notifications through the pooler at ${serverAddresses(pooled)} do not arrive at ${serverAddresses(direct)}; name the server and the database that the pooler of DATABASE_URL leads to.`,
    );
  } finally {
    clearTimeout(timer);
    listener.end().catch(() => undefined);
  }
}

function opened(settings: BoundedSettings): BoundedClient {
  const client = new BoundedClient(settings);
  client.on('error', () => undefined);
  return client;
}

async function ask<R>(client: BoundedClient, statement: QueryConfig): Promise<R[]> {
  return (await client.query({ ...statement, query_timeout: LIMIT_MS } as QueryConfig)).rows as R[];
}
