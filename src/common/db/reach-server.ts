import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartFailure } from '../start-failure.js';
import { NoAnswer } from '../errors/unavailable.js';
import { BoundedClient } from './postgres/bounded-client.js';
import { READ_ONLY } from './postgres/server-hosts.js';
import { serverSettings } from './database.js';
import { UNREACHABLE } from './unreachable.js';

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

export interface Waiting {
  /** How long to wait for a server that does not respond; 0 by default. */
  timeoutMs?: number;
  /** Called once with the reason for waiting. */
  onWait?: (why: string) => void;
}

/**
 * Resolves when a session on the server opens and its version is supported. Waits for temporary errors (a database
 * often starts after its clients); other errors, and a timeout, are a StartFailure.
 */
export async function reachServer(databaseUrl: string, { timeoutMs = 0, onWait }: Waiting = {}): Promise<void> {
  const began = performance.now();
  const settings = serverSettings(databaseUrl);
  for (let attempt = 0; ; attempt++) {
    const client = settings.hosts ? new BoundedClient(settings) : new pg.Client(settings);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
      refuseOld(rows[0].server_version);
      const asked = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
      if (asked.rows[0].transaction_read_only !== 'on') return;
      if (client instanceof BoundedClient) client.avoidHost();
      throw Object.assign(new Error('it is read-only'), { code: READ_ONLY });
    } catch (error) {
      if (error instanceof StartFailure) throw error;
      const waited = performance.now() - began;
      const why = serverFailure(error, client, settings.hosts?.places);
      if (!isPassing(error) || waited >= timeoutMs) {
        const since = isPassing(error) && timeoutMs > 0 ? ` Marquee waited ${Math.round(waited / 1000)} s for it.` : '';
        throw new StartFailure(`${why}${since}`);
      }
      if (attempt === 0) onWait?.(why);
      await pause(Math.min(POLL_MS, timeoutMs));
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  return (
    UNREACHABLE.has(code) ||
    PASSING.test(code) ||
    (code === '' && (error instanceof NoAnswer || SILENT.test(messageOf(error))))
  );
}

function refuseOld(version: string): void {
  if (parseInt(version, 10) >= MIN_VERSION) return;
  throw new StartFailure(
    `DATABASE_URL: the server is PostgreSQL ${version.split(' ', 1)[0]}; Marquee needs ${MIN_VERSION} or newer. Upgrade it, or name another server.`,
  );
}

/** The reason that no session opens, and the remedy. */
function serverFailure(error: unknown, { host, port, user, database }: pg.Client, places?: string): string {
  const code = codeOf(error);
  const place = `${host}:${port}`;
  if (places !== undefined && code === READ_ONLY)
    return `DATABASE_URL: none of the servers at ${places} accepts writes; promote a standby, or name the primary.`;
  if (places !== undefined && isPassing(error) && !/^\d/.test(code))
    return `DATABASE_URL: no PostgreSQL answers at any of ${places} (${code || messageOf(error)}); start one, or correct the URL.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `DATABASE_URL: the host ${host} does not exist (${code}); correct its name, or check name resolution on this machine.`;
  if (code === '28P01')
    return `DATABASE_URL: the server at ${place} rejects the password of ${user}; correct it in the URL, or change it on the server with ALTER ROLE.`;
  if (code.startsWith('28') && !user)
    return `DATABASE_URL: the URL has no user for the server at ${place}; add one, as in postgres://user:password@host/database.`;
  if (code.startsWith('28'))
    return `DATABASE_URL: the server at ${place} rejects the user ${user} (${messageOf(error)}); correct the user, create the role, or allow it in pg_hba.conf.`;
  if (code === '3D000')
    return `DATABASE_URL: the server at ${place} has no database ${database}; correct its name, or create it with CREATE DATABASE.`;
  if (code === READ_ONLY)
    return `DATABASE_URL: the server at ${place} is read-only, such as a standby; promote it, or name the primary.`;
  if (code === '08P01' && /startup parameter/.test(messageOf(error)))
    return `DATABASE_URL: a pooler at ${place} rejects the session (${messageOf(error)}); for PgBouncer, set pool_mode = session and ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options.`;
  if (/^SASL/.test(messageOf(error)))
    return `DATABASE_URL: the server at ${place} requires a password; add it to the URL as user:password@.`;
  if (isPassing(error) && !/^\d/.test(code))
    return `DATABASE_URL: no PostgreSQL answers at ${place} (${code || messageOf(error)}); start it, or correct the URL.`;
  return `DATABASE_URL: the server at ${place} rejects the session (${messageOf(error)}); check its log, or correct the URL.`;
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: string; errors?: { code?: string }[] };
  // An attempt with several addresses has one error for each.
  return code ?? errors?.[0]?.code ?? '';
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
