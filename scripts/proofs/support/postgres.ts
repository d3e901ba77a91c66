import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { childrenOf, endChild, lives, Missing, signalTo, whereIs } from './child.js';
import { freePort } from './ports.js';
import type { Stage } from './stage.js';

const PATIENCE_MS = 60_000;

/** A PostgreSQL of our own, which can be stopped, frozen and killed. It flushes as it would in life. */
export class Postgres {
  readonly url: string;
  private child?: ChildProcess;

  private constructor(
    private readonly stage: Stage,
    private readonly folder: string,
    readonly port: number,
    private readonly user: { uid?: number; gid?: number },
    private readonly settings: string[],
  ) {
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /** Of its first process. */
  get pid(): number {
    return this.child!.pid!;
  }

  /** `settings` are further ones, as `name=value`. */
  static async start(stage: Stage, settings: string[] = []): Promise<Postgres> {
    const user = unprivileged();
    const folder = join(stage.folder, 'postgres');
    mkdirSync(folder);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const initdb = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
    execFileSync(program('initdb'), initdb, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const postgres = new Postgres(stage, folder, await freePort(), user, settings);
    stage.atEnd(() => postgres.stop());
    await postgres.restart();
    return postgres;
  }

  /**
   * A standby of this one, which follows it until it is promoted. `settings` are those it has beside those of this one;
   * each standby needs a name of its own.
   */
  async standby(settings: string[] = [], name = 'standby'): Promise<Postgres> {
    const { stage, user } = this;
    const folder = join(stage.folder, `postgres-${name}`);
    mkdirSync(folder);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const standby = new Postgres(stage, folder, await freePort(), user, [...this.settings, ...settings]);
    stage.atEnd(() => standby.stop());
    await standby.follow(this);
    return standby;
  }

  /** Makes it a standby of another one, with a copy of its data. It must not run. */
  async follow(primary: Postgres): Promise<void> {
    const data = join(this.folder, 'data');
    rmSync(data, { recursive: true, force: true });
    const copy = ['-D', data, '-d', primary.url, '-R', '-c', 'fast', '--no-sync'];
    const ran = spawn(program('pg_basebackup'), copy, {
      ...this.user,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(ran, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`);
    await this.restart();
  }

  /**
   * From now on, commits wait until a standby has them on disk; resolves when one follows. `name`: of the standbys that count,
   * as they call themselves.
   */
  async requireStandby(name = '*'): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await client.query('SELECT pg_reload_conf()');
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(20)) {
        const { rows } = await client.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
        if (rows.length > 0) return;
      }
      throw new Error('no standby follows synchronously');
    } finally {
      await client.end();
    }
  }

  /** Has a standby take writes from now on. */
  async promote(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      // a busy machine takes longer than the role's timeout allows
      await client.query('SET statement_timeout = 0');
      await client.query(`SELECT pg_promote(true, ${PATIENCE_MS / 1000})`);
    } finally {
      await client.end();
    }
  }

  /** Starts it again on its data and waits until it answers. */
  async restart(): Promise<void> {
    const log = openSync(join(this.stage.folder, 'postgres.log'), 'a');
    const own = [`port=${this.port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const settings = [...own, ...this.settings];
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(20)) {
      // It refuses to start while a process of the one before is still about to notice its death.
      if (!this.child || !lives(this.child)) this.child = this.spawned(settings, log);
      if (await answers(this.url)) return closeSync(log);
    }
    closeSync(log);
    throw new Error('PostgreSQL does not start');
  }

  private spawned(settings: string[], log: number): ChildProcess {
    const child = spawn(
      program('postgres'),
      ['-D', join(this.folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])],
      { ...this.user, cwd: this.folder, detached: true, stdio: ['ignore', log, log] },
    );
    this.stage.owns(child, 'SIGQUIT');
    return child;
  }

  /** A fast shutdown: connections are told and ended. */
  async stop(): Promise<void> {
    if (!this.child || !lives(this.child)) return;
    this.thaw();
    await endChild(this.child, 'SIGINT');
  }

  /** `kill -9` of all its processes at once. */
  async kill(): Promise<void> {
    const child = this.child!;
    const ended = once(child, 'exit');
    child.kill('SIGSTOP'); // or it would start others while its own are being killed
    for (const pid of childrenOf(child.pid!)) signalTo(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops all its processes where they are, as a machine that hangs; connections stay open. */
  freeze(): void {
    this.child!.kill('SIGSTOP');
    for (const pid of childrenOf(this.child!.pid!)) signalTo(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of childrenOf(this.child!.pid!)) signalTo(pid, 'SIGCONT');
    this.child!.kill('SIGCONT');
  }
}

/** PostgreSQL and PgBouncer refuse to run as root, so that another user has to. */
export function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // the next one may exist
    }
  }
  throw new Missing('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
}

/** Where a program of PostgreSQL is. */
export function program(name: string): string {
  const found = whereIs(name, ...configured(), ...debian());
  if (found) return found;
  throw new Missing(
    `${name} of PostgreSQL is neither in PATH nor where pg_config says; install PostgreSQL 15 or newer.`,
  );
}

function configured(): string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()];
  } catch {
    return [];
  }
}

/** Where Debian keeps the servers, the newest first. */
function debian(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(root).toSorted((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
