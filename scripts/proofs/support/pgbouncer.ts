import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, lives, Missing, whereIs } from './child.js';
import { freePort, untilListening } from './ports.js';
import { unprivileged } from './postgres.js';
import type { Stage } from './stage.js';

/** What it is asked to let pass at the start of a session: without it PgBouncer refuses the session. */
const DROPPED = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** Where PgBouncer is; undefined where it is not installed. */
export const pgbouncerProgram = (): string | undefined => whereIs('pgbouncer', '/usr/sbin', '/usr/local/sbin');

/** A PgBouncer before all databases of a PostgreSQL that trusts whoever comes; it can be stopped and started again. */
export class PgBouncer {
  private child?: ChildProcess;

  private constructor(
    private readonly stage: Stage,
    private readonly program: string,
    private readonly folder: string,
    readonly port: number,
    private readonly databaseUrl: URL,
  ) {}

  static async start(
    stage: Stage,
    databaseUrl: string,
    mode: PoolMode,
    settings: string[] = [`ignore_startup_parameters = ${DROPPED}`],
  ): Promise<PgBouncer> {
    const pgbouncer = pgbouncerProgram();
    if (!pgbouncer) throw new Missing('pgbouncer is not installed; install it (Debian: apt-get install pgbouncer).');
    const url = new URL(databaseUrl);
    const port = await freePort();
    const folder = join(stage.folder, `pgbouncer-${port}`);
    const user = unprivileged();
    mkdirSync(folder);
    writeFileSync(join(folder, 'pgbouncer.ini'), configuration(url, port, mode, settings));
    chmodSync(folder, 0o711);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const started = new PgBouncer(stage, pgbouncer, folder, port, url);
    stage.atEnd(() => started.stop());
    await started.restart();
    return started;
  }

  /** The URL of the same database through it. */
  get url(): string {
    return this.urlOf(this.databaseUrl.pathname.slice(1));
  }

  /** The URL of another database of the server through it. */
  urlOf(database: string): string {
    const url = new URL(this.databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = `${this.port}`;
    url.pathname = `/${database}`;
    return url.href;
  }

  /** Starts it, again if need be, and waits until it listens. */
  async restart(): Promise<void> {
    await this.stop();
    const child = spawn(this.program, ['-q', join(this.folder, 'pgbouncer.ini')], {
      ...unprivileged(),
      cwd: this.folder,
      detached: true,
      stdio: 'ignore',
    });
    this.child = child;
    this.stage.owns(child, 'SIGKILL');
    await untilListening(this.port, 'PgBouncer', () => lives(child));
  }

  /** Ends it at once: all its connections are gone. */
  async stop(): Promise<void> {
    if (this.child) await endChild(this.child, 'SIGKILL');
  }
}

/** Starts PgBouncer before a PostgreSQL that trusts whoever comes, and answers the URL of the same database through it. */
export async function startPgBouncer(
  stage: Stage,
  databaseUrl: string,
  mode: PoolMode,
  settings?: string[],
): Promise<string> {
  return (await PgBouncer.start(stage, databaseUrl, mode, settings)).url;
}

const configuration = (url: URL, port: number, mode: PoolMode, settings: string[]): string => `[databases]
* = host=${url.hostname} port=${url.port || 5432} user=${url.username || 'postgres'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = 40
${settings.join('\n')}
`;
