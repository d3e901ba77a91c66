import type { PoolConfig } from 'pg';
import type { Config } from '../../../config/config.js';
import { parseDatabaseUrl } from '../../../config/database-url.js';
import { BoundedClient, type BoundedSettings } from './bounded-client.js';
import { checkPooler } from './check-pooler.js';
import { checkSessions } from './check-sessions.js';
import { ServerHosts } from './server-hosts.js';
import { TIMEOUTS } from './session-settings.js';
import { SESSION, types } from './type-parsers.js';

/** Together with the time to get a connection and some network time, a request is answered within five seconds. */
const STATEMENT_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** Maximum time for which a suspended process keeps rows locked within a transaction. */
const IDLE_TRANSACTION_TIMEOUT_MS = 3_000;
/** Lock timeout of connections that no other statements wait for. */
const LOCK_TIMEOUT_MS = 1_000;
/**
 * Lock timeout of shared connections: short locks of other requests are awaited here, longer ones on other connections.
 */
export const QUICK_LOCK_TIMEOUT_MS = 20;
/** The connection settings of every session on a server, inside and outside the pool. */
export function serverSettings(databaseUrl: string, { timeouts = true } = {}): BoundedSettings {
  const { urls: given, target } = parseDatabaseUrl(databaseUrl);
  // options in the URL take precedence over separate ones, so these are appended to them
  const options = new URL(given[0]).searchParams.get('options');
  const urls = given.map((each) => withoutParameters(each, ['options']));
  return {
    connectionString: urls[0],
    ...(urls.length > 1 && { hosts: new ServerHosts(urls, target) }),
    options: [options, ...SESSION.map((setting) => `-c ${setting}`)].filter(Boolean).join(' '),
    application_name: 'marquee',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    ...(timeouts && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    }),
  };
}

/**
 * The settings of connections through a pooler in transaction mode. The settings of sessions, including those in the URL,
 * are those that the role must have. Its `lock_timeout` is that of shared connections; transactions set their own.
 */
export function pooledSettings(databaseUrl: string): BoundedSettings {
  const { urls, target } = parseDatabaseUrl(databaseUrl);
  const given = new URL(urls[0]).searchParams;
  const timeout = (name: string, byDefault: number) => parseInt(given.get(name) ?? String(byDefault), 10);
  const pooled = urls.map((url) => withoutParameters(url, ['options', ...TIMEOUTS]));
  return {
    ...serverSettings(databaseUrl),
    connectionString: pooled[0],
    ...(pooled.length > 1 && { hosts: new ServerHosts(pooled, target) }),
    statement_timeout: timeout('statement_timeout', STATEMENT_TIMEOUT_MS),
    lock_timeout: timeout('lock_timeout', QUICK_LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: timeout('idle_in_transaction_session_timeout', IDLE_TRANSACTION_TIMEOUT_MS),
    transactionSettings: `SET LOCAL lock_timeout = ${timeout('lock_timeout', LOCK_TIMEOUT_MS)}`,
  };
}

function withoutParameters(text: string, names: readonly string[]): string {
  const url = new URL(text);
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

/**
 * The pool of TypeORM's commands: migrations may take as long as they need. `overRole`: also when the role has timeouts,
 * as behind a pooler.
 */
export function commandPool(databaseUrl: string, { overRole = false } = {}): PoolConfig {
  const settings = serverSettings(databaseUrl, { timeouts: false });
  const unlimited = TIMEOUTS.map((name) => `-c ${name}=0`).join(' ');
  return unlimitedPool({ ...settings, ...(overRole && { options: `${settings.options} ${unlimited}` }) });
}

/** A pool for statements that may take as long as they need. */
export const unlimitedPool = (settings: BoundedSettings): PoolConfig => ({
  ...settings,
  statement_timeout: undefined,
  lock_timeout: undefined,
  idle_in_transaction_session_timeout: undefined,
  max: 2,
  Client: BoundedClient,
});

/** The checked settings of connections; `direct` are those around a pooler in transaction mode, where there is one. */
export async function checkedServer(
  { databaseDirectUrl, databaseDriver }: Pick<Config, 'databaseDirectUrl' | 'databaseDriver'>,
  databaseUrl: string,
): Promise<{ server: BoundedSettings; direct?: BoundedSettings }> {
  if (databaseDirectUrl === undefined) {
    const asked = serverSettings(databaseUrl);
    return { server: { ...asked, ...(await checkSessions(asked)) } };
  }
  const asked = serverSettings(databaseDirectUrl);
  const direct = { ...asked, ...(await checkSessions(asked, 'DATABASE_DIRECT_URL')) };
  const server = pooledSettings(databaseUrl);
  await checkPooler({ pooled: server, direct, namesStatements: databaseDriver === 'fast' });
  return { server, direct };
}
