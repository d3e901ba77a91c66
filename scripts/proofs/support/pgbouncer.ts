import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, lives, Missing, whereIs } from './child.js';
import { freePort, untilListening } from './ports.js';
import { unprivileged } from './postgres.js';
import type { Stage } from './stage.js';

/** What it is asked to let pass at the start of a session: without it PgBouncer refuses the session. */
const DROPPED = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options';

/** Where PgBouncer is; undefined where it is not installed. */
export const pgbouncerProgram = (): string | undefined => whereIs('pgbouncer', '/usr/sbin', '/usr/local/sbin');

/** Starts PgBouncer before a PostgreSQL that trusts whoever comes, and answers the URL of the same database through it. */
export async function startPgBouncer(
  stage: Stage,
  databaseUrl: string,
  mode: 'session' | 'transaction' | 'statement',
  settings: string[] = [`ignore_startup_parameters = ${DROPPED}`],
): Promise<string> {
  const pgbouncer = pgbouncerProgram();
  if (!pgbouncer) throw new Missing('pgbouncer is not installed; install it (Debian: apt-get install pgbouncer).');
  const url = new URL(databaseUrl);
  const port = await freePort();
  const folder = join(stage.folder, `pgbouncer-${port}`);
  const file = join(folder, 'pgbouncer.ini');
  const user = unprivileged();
  mkdirSync(folder);
  writeFileSync(
    file,
    `[databases]
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
`,
  );
  chmodSync(folder, 0o711);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const child = spawn(pgbouncer, ['-q', file], { ...user, cwd: folder, detached: true, stdio: 'ignore' });
  stage.owns(child, 'SIGKILL');
  stage.atEnd(() => endChild(child, 'SIGKILL'));
  await untilListening(port, 'PgBouncer', () => lives(child));
  url.hostname = '127.0.0.1';
  url.port = `${port}`;
  return url.href;
}
