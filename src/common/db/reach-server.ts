import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Config } from '../../config/config.js';
import { StartFailure } from '../start-failure.js';
import { NoAnswer } from '../errors/unavailable.js';
import { BoundedClient } from './postgres/bounded-client.js';
import { READ_ONLY } from './postgres/server-hosts.js';
import { pooledSettings, serverSettings } from './database.js';
import { UNREACHABLE } from './sqlstate.js';

/** The oldest PostgreSQL version that the statements support. */
const MIN_VERSION = 15;
const POLL_MS = 500;

/**
 * Temporary errors of a starting server, besides being unreachable: no socket yet, recovery, no free connection, not
 * promoted yet.
 */
const PASSING = /^(EPIPE|ENOENT|57P0[1-3]|53300|25006)$/;
/** The same in pg's messages, which have no code. */
const SILENT = /timeout|terminated/i;
/** The same in PgBouncer's messages, all with the code 08P01, while it does not reach the server. */
const POOLER_WAITS =
  /cannot connect to server|login has been failing|server login failed|query_wait_timeout|shutting down/;

export interface WaitOptions {
  /** Time to wait for a server that does not respond; 0 by default. */
  timeoutMs?: number;
  /** Called once with the reason for waiting. */
  onWait?: (why: string) => void;
}

/** Which URL is reached, and how. */
export interface ReachedServer {
  /** The variable that names it in errors; DATABASE_URL by default. */
  variable?: 'DATABASE_URL' | 'DATABASE_DIRECT_URL';
  /** Whether it leads to a pooler in transaction mode. */
  isPooled?: boolean;
}

type Urls = Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>;

/** The variable that names PostgreSQL itself. */
export const variableOf = ({ databaseDirectUrl }: Urls) =>
  databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';

/** Resolves when the servers of a configuration are reached; those of the embedded store are none. */
export async function reachServers({ databaseUrl, databaseDirectUrl }: Urls, waiting: WaitOptions = {}): Promise<void> {
  if (!databaseUrl) return;
  const isPooled = databaseDirectUrl !== undefined;
  if (isPooled) await reachServer(databaseDirectUrl, { ...waiting, variable: 'DATABASE_DIRECT_URL' });
  await reachServer(databaseUrl, { ...waiting, isPooled });
}

/**
 * Resolves when a session on the server opens and its version is supported. Waits for temporary errors (a database
 * often starts after its clients); other errors, and a timeout, are a StartFailure.
 */
export async function reachServer(
  databaseUrl: string,
  { timeoutMs = 0, onWait, variable = 'DATABASE_URL', isPooled = false }: WaitOptions & ReachedServer = {},
): Promise<void> {
  const began = performance.now();
  const settings = isPooled ? pooledSettings(databaseUrl) : serverSettings(databaseUrl);
  for (let attempt = 0; ; attempt++) {
    // a pooler lets clients wait for the server, so that their statements need a timeout
    const client = settings.hosts || isPooled ? new BoundedClient(settings) : new pg.Client(settings);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
      refuseOld(rows[0].server_version, variable);
      const asked = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
      if (asked.rows[0].transaction_read_only !== 'on') return;
      if (client instanceof BoundedClient) client.avoidHost();
      throw Object.assign(new Error('it is read-only'), { code: READ_ONLY });
    } catch (error) {
      if (error instanceof StartFailure) throw error;
      const waited = performance.now() - began;
      const why = serverFailure(error, client, { places: settings.hosts?.places, variable });
      if (!isTransient(error) || waited >= timeoutMs) {
        const since =
          isTransient(error) && timeoutMs > 0 ? ` Marquee waited ${Math.round(waited / 1000)} s for it.` : '';
        throw new StartFailure(`${why}${since}`);
      }
      if (attempt === 0) onWait?.(why);
      await pause(Math.min(POLL_MS, timeoutMs));
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** Whether the error of a connection attempt may pass by itself. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return (
    UNREACHABLE.has(code) ||
    PASSING.test(code) ||
    (code === '08P01' && POOLER_WAITS.test(messageOf(error))) ||
    (code === '' && (error instanceof NoAnswer || SILENT.test(messageOf(error))))
  );
}

function refuseOld(version: string, variable: string): void {
  if (parseInt(version, 10) >= MIN_VERSION) return;
  throw new StartFailure(
    `${variable}: the server is PostgreSQL ${version.split(' ', 1)[0]}; Marquee needs ${MIN_VERSION} or newer. Upgrade it, or name another server.`,
  );
}

/** The reason that no session opens, and the remedy. */
export function serverFailure(
  error: unknown,
  { host, port, user, database }: pg.Client,
  { places, variable = 'DATABASE_URL' }: { places?: string; variable?: string } = {},
): string {
  const code = codeOf(error);
  const place = `${host}:${port}`;
  if (places !== undefined && code === READ_ONLY)
    return `${variable}: none of the servers at ${places} accepts writes; promote a standby, or name the primary.`;
  if (places !== undefined && isTransient(error) && !/^\d/.test(code))
    return `${variable}: no PostgreSQL answers at any of ${places} (${code || messageOf(error)}); start one, or correct the URL.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${variable}: the host ${host} does not exist (${code}); correct its name, or check name resolution on this machine.`;
  if (code === '28P01')
    return `${variable}: the server at ${place} rejects the password of ${user}; correct it in the URL, or change it on the server with ALTER ROLE.`;
  if (code.startsWith('28') && !user)
    return `${variable}: the URL has no user for the server at ${place}; add one, as in postgres://user:password@host/database.`;
  if (code.startsWith('28'))
    return `${variable}: the server at ${place} rejects the user ${user} (${messageOf(error)}); correct the user, create the role, or allow it in pg_hba.conf.`;
  if (code === '3D000')
    return `${variable}: the server at ${place} has no database ${database}; correct its name, or create it with CREATE DATABASE.`;
  if (code === READ_ONLY)
    return `${variable}: the server at ${place} is read-only, such as a standby; promote it, or name the primary.`;
  if (code === '08P01' && /startup parameter/.test(messageOf(error)))
    return `${variable}: a pooler at ${place} rejects the session (${messageOf(error)}); for PgBouncer, set pool_mode = session and ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options, or use transaction mode with DATABASE_DIRECT_URL.`;
  if (/^SASL/.test(messageOf(error)))
    return `${variable}: the server at ${place} requires a password; add it to the URL as user:password@.`;
  if (isTransient(error) && !/^\d/.test(code))
    return `${variable}: no PostgreSQL answers at ${place} (${code || messageOf(error)}); start it, or correct the URL.`;
  return `${variable}: the server at ${place} rejects the session (${messageOf(error)}); check its log, or correct the URL.`;
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: string; errors?: { code?: string }[] };
  // An attempt with several addresses has one error for each.
  return code ?? errors?.[0]?.code ?? '';
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
