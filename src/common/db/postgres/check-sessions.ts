import { randomBytes } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { StartFailure } from '../../start-failure.js';
import { BoundedClient, type BoundedSettings } from './bounded-client.js';
import { sessionSettings, TIMEOUTS } from './session-settings.js';
import { SESSION } from './type-parsers.js';

/** Timeout of a statement of the check, and of a notification. */
const LIMIT_MS = 5_000;
/** The settings that the service relies on; others in the URL are up to the operator. */
export const CHECKED_SETTINGS = [...TIMEOUTS, ...SESSION.map((setting) => setting.split('=', 1)[0])];

const REMEDIES = {
  DATABASE_URL:
    'if it is a pooler in transaction mode, name PostgreSQL itself in DATABASE_DIRECT_URL, otherwise use session mode (PgBouncer: pool_mode = session), or name PostgreSQL itself',
  DATABASE_DIRECT_URL: 'name PostgreSQL itself, or a pooler in session mode',
};

type SessionSettings = Pick<BoundedSettings, 'setsAfterConnect'>;

/** Something that a session must keep is lost. */
class NoSession extends Error {}

/**
 * Checks that the server gives each connection a separate session, as PostgreSQL and a pooler in session mode do:
 * settings stay in force, and prepared statements and LISTEN survive while others are served. Otherwise throws a
 * StartFailure. When settings are dropped at the session start, as with PgBouncer's `ignore_startup_parameters`,
 * connections must set them.
 */
export async function checkSessions(
  settings: BoundedSettings,
  variable: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' = 'DATABASE_URL',
): Promise<SessionSettings> {
  try {
    return (await withSessions(settings, {})) ?? (await withSessions(settings, { setsAfterConnect: true })) ?? {};
  } catch (error) {
    if (!(error instanceof NoSession)) throw error;
    throw new StartFailure(
      `${variable}: the server at ${serverAddresses(settings)} does not keep session state (${error.message}); ${REMEDIES[variable]}.`,
    );
  }
}

/** Where the settings lead: all hosts with their ports. */
export function serverAddresses(settings: BoundedSettings): string {
  const { host, port } = new BoundedClient(settings);
  return settings.hosts?.places ?? `${host}:${port}`;
}

/** Whether a setting has the requested value, or none is requested; a list, such as DateStyle, begins with it. */
export const hasRequestedValue = (asked: string | undefined, setting: string): boolean =>
  asked === undefined || asked === setting.split(',')[0];

/** What connections must do; undefined when settings of the session start are not in force. */
async function withSessions(settings: BoundedSettings, own: SessionSettings): Promise<SessionSettings | undefined> {
  const sessions = [new CheckedSession({ ...settings, ...own }), new CheckedSession({ ...settings, ...own })];
  const [one, other] = sessions;
  try {
    for (const session of sessions) await session.open();
    if (one.process === other.process) throw new NoSession('two connections share one server connection');
    for (const session of sessions) {
      if (await session.hasSettings()) continue;
      if (own.setsAfterConnect) throw new NoSession('session settings have no effect');
      return undefined;
    }
    await one.listen();
    // A pooler reuses the last or the first returned connection: in one of these orders each session gets the other's.
    for (const order of [sessions, sessions.toReversed()]) {
      for (const session of sessions) await session.begin();
      for (const session of order) await session.commit();
    }
    for (const session of sessions)
      if (!(await session.hasSettings())) throw new NoSession('session settings are lost');
    await other.notify(one);
    if (!(await one.isNotified())) throw new NoSession('notifications do not arrive');
    return own;
  } finally {
    for (const session of sessions) session.end();
  }
}

/** A connection like those of requests. */
class CheckedSession {
  /** The server process, once the session is open. */
  process?: number;
  private readonly client: BoundedClient;
  private readonly asked: Map<string, string>;
  private readonly channel = `marquee_check_${randomBytes(6).toString('hex')}`;
  private notified?: Promise<boolean>;

  constructor(settings: BoundedSettings) {
    this.client = new BoundedClient(settings);
    this.client.on('error', () => undefined);
    this.asked = sessionSettings(settings);
  }

  async open(): Promise<void> {
    await this.client.connect();
    this.process = await this.askProcess();
  }

  /** Whether all settings are in force. */
  async hasSettings(): Promise<boolean> {
    const rows = await this.ask<{ name: string; setting: string }>({
      text: 'SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])',
      values: [CHECKED_SETTINGS],
    });
    return rows.every(({ name, setting }) => hasRequestedValue(this.asked.get(name), setting));
  }

  /** Begins a transaction, which must run where the session began, and runs the prepared statement in it. */
  async begin(): Promise<void> {
    await this.ask({ text: 'BEGIN' });
    if ((await this.askProcess()) !== this.process)
      throw new NoSession('a connection moves to another server connection');
  }

  async commit(): Promise<void> {
    await this.ask({ text: 'COMMIT' });
  }

  async listen(): Promise<void> {
    this.notified = new Promise((resolve) => {
      this.client.once('notification', () => resolve(true));
      setTimeout(() => resolve(false), LIMIT_MS).unref();
    });
    await this.ask({ text: `LISTEN ${this.channel}` });
  }

  async notify({ channel }: CheckedSession): Promise<void> {
    await this.ask({ text: 'SELECT pg_notify($1, $2)', values: [channel, ''] });
  }

  async isNotified(): Promise<boolean | undefined> {
    return this.notified;
  }

  end(): void {
    this.client.end().catch(() => undefined);
  }

  /** The server process of this session, from a named statement, which is prepared the first time. */
  private async askProcess(): Promise<number> {
    const [{ pid }] = await this.ask<{ pid: number }>({
      name: 'marquee_session_check',
      text: 'SELECT pg_backend_pid() AS pid',
    });
    return pid;
  }

  private async ask<R>(statement: QueryConfig): Promise<R[]> {
    try {
      return (await this.client.query({ ...statement, query_timeout: LIMIT_MS } as QueryConfig)).rows as R[];
    } catch (error) {
      // a missing prepared statement, or a transaction that is not allowed
      if (/^(26000|42P05|08P01)$/.test((error as { code?: string }).code ?? ''))
        throw new NoSession((error as Error).message);
      throw error;
    }
  }
}
