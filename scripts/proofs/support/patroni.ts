import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { childrenOf, endChild, lives, Missing, signalTo, whereIs } from './child.js';
import { ROOT } from './paths.js';
import { freePort, untilListening } from './ports.js';
import { program, unprivileged } from './postgres.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

const NAMES = ['db-a', 'db-b', 'db-c'] as const;
const PATIENCE_MS = 120_000;
/** Of the shipped configuration that this changes. */
interface Sample {
  name: string;
  restapi: { listen: string; connect_address: string };
  etcd3: { hosts: string };
  bootstrap: { pg_hba: string[] };
  postgresql: {
    listen: string;
    connect_address: string;
    data_dir: string;
    bin_dir: string;
    pgpass: string;
    parameters?: Record<string, string>;
    authentication: { superuser: { username: string; password: string } };
  };
}

/** Three nodes of Patroni with one etcd and HAProxy, with the shipped configuration: addresses and folders differ. */
export class PatroniCluster {
  private constructor(
    readonly nodes: PatroniNode[],
    readonly haproxyPort: number,
  ) {}

  /** Resolves when two standbys follow the primary, one of them synchronously. */
  static async start(stage: Stage): Promise<PatroniCluster> {
    const etcd = await startEtcd(stage);
    const nodes: PatroniNode[] = [];
    for (const name of NAMES) nodes.push(new PatroniNode(stage, name, await freePort(), await freePort(), etcd));
    const cluster = new PatroniCluster(nodes, await freePort());
    // last first: standbys end before their primary
    for (const node of nodes) stage.atEnd(() => node.stop());
    nodes[0].start();
    await nodes[0].until('SELECT 1 WHERE NOT pg_is_in_recovery()');
    for (const node of nodes.slice(1)) node.start();
    await cluster.whole();
    await startHaproxy(stage, nodes, cluster.haproxyPort);
    // its first check of the nodes takes a moment
    while (!(await returnsRow(cluster.urlOf('postgres', [cluster.haproxyPort]), 'SELECT 1'))) await pause(50);
    return cluster;
  }

  /** Waits until there is a primary with two standbys, one of them synchronous. */
  async whole(): Promise<PatroniNode> {
    const text = `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND NOT pg_is_in_recovery()
      HAVING count(*) = 2 AND count(*) FILTER (WHERE sync_state = 'sync') = 1`;
    return Promise.any(this.nodes.map(async (node) => (await node.until(text), node)));
  }

  /** The URL of a database on these nodes, in the form that libpq takes. */
  urlOf(database: string, ports: number[]): string {
    const { username, password } = sample().postgresql.authentication.superuser;
    return `postgres://${username}:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`;
  }
}

/** Patroni with its PostgreSQL. */
export class PatroniNode {
  private child?: ChildProcess;
  private readonly folder: string;

  constructor(
    private readonly stage: Stage,
    readonly name: (typeof NAMES)[number],
    readonly port: number,
    readonly restPort: number,
    etcd: string,
  ) {
    this.folder = join(stage.folder, name);
    const user = unprivileged();
    mkdirSync(this.folder, { mode: 0o700 });
    const own = sample();
    const { authentication } = own.postgresql;
    writeFileSync(
      this.file,
      stringify({
        ...own,
        name,
        restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
        etcd3: { hosts: etcd },
        bootstrap: {
          ...own.bootstrap,
          pg_hba: own.bootstrap.pg_hba.map((line) => line.replace('10.0.0.0/8', '127.0.0.1/32')),
        },
        postgresql: {
          ...own.postgresql,
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: this.data,
          bin_dir: dirname(realpathSync(program('postgres'))),
          pgpass: join(this.folder, 'pgpass'),
          parameters: { unix_socket_directories: this.folder },
          authentication,
        },
      }),
    );
    if (user.uid !== undefined && user.gid !== undefined)
      for (const path of [this.folder, this.file]) chownSync(path, user.uid, user.gid);
  }

  private get file(): string {
    return join(this.folder, 'patroni.yml');
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private get url(): string {
    const { username, password } = sample().postgresql.authentication.superuser;
    return `postgres://${username}:${password}@127.0.0.1:${this.port}/postgres`;
  }

  start(): void {
    const patroni = whereIs('patroni');
    if (!patroni) throw new Missing('patroni is not installed; install it (Debian: apt-get install patroni).');
    const log = openSync(join(settings.logs ?? this.stage.folder, `patroni-${this.name}.log`), 'a');
    this.child = spawn(patroni, [this.file], {
      ...unprivileged(),
      cwd: this.folder,
      detached: true,
      env: { PATH: process.env.PATH, HOME: this.folder, LANG: 'C.UTF-8' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.stage.owns(this.child, 'SIGTERM');
  }

  /** `kill -9` of Patroni and of all processes of its PostgreSQL, as when the machine loses power. */
  async kill(): Promise<void> {
    const child = this.child!;
    const ended = once(child, 'exit');
    const postmaster = this.postmaster();
    if (postmaster !== undefined) {
      signalTo(postmaster, 'SIGSTOP'); // or it would start others while its own are being killed
      for (const pid of childrenOf(postmaster)) signalTo(pid, 'SIGKILL');
      signalTo(postmaster, 'SIGKILL');
    }
    child.kill('SIGKILL');
    await ended;
  }

  /** Ends Patroni, which ends its PostgreSQL. */
  async stop(): Promise<void> {
    if (!this.child || !lives(this.child)) return;
    await this.kill();
  }

  /** Waits until a statement returns a row here, and returns the time. */
  async until(text: string, everyMs = 20): Promise<number> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(everyMs)) {
      if (!this.child || !lives(this.child))
        throw new Error(`Patroni of ${this.name} ended; --logs keeps what it wrote`);
      if (await returnsRow(this.url, text)) return Date.now();
    }
    throw new Error(`${this.name} does not reach the expected state: ${text}`);
  }

  private postmaster(): number | undefined {
    try {
      return Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]) || undefined;
    } catch {
      return undefined;
    }
  }
}

async function returnsRow(connectionString: string, text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(text)).rows.length > 0;
  } catch {
    return false;
  } finally {
    client.end().catch(() => undefined);
  }
}

const sample = (): Sample => parse(readFileSync(join(ROOT, 'deploy/patroni/patroni.yml'), 'utf8')) as Sample;

/** Returns its address. */
async function startEtcd(stage: Stage): Promise<string> {
  const etcd = whereIs('etcd');
  if (!etcd) throw new Missing('etcd is not installed; install it (Debian: apt-get install etcd-server).');
  const [clients, peers] = [await freePort(), await freePort()];
  const urls = (port: number) => `http://127.0.0.1:${port}`;
  const child = spawn(
    etcd,
    [
      ['--data-dir', join(stage.folder, 'etcd')],
      ['--listen-client-urls', urls(clients), '--advertise-client-urls', urls(clients)],
      ['--listen-peer-urls', urls(peers), '--initial-advertise-peer-urls', urls(peers)],
      ['--initial-cluster', `default=${urls(peers)}`],
    ].flat(),
    { cwd: stage.folder, detached: true, stdio: 'ignore' },
  );
  stage.owns(child, 'SIGKILL');
  stage.atEnd(() => endChild(child, 'SIGKILL'));
  await untilListening(clients, 'etcd', () => lives(child));
  return `127.0.0.1:${clients}`;
}

async function startHaproxy(stage: Stage, nodes: PatroniNode[], port: number): Promise<void> {
  const haproxy = whereIs('haproxy', '/usr/sbin');
  if (!haproxy) throw new Missing('haproxy is not installed; install it (Debian: apt-get install haproxy).');
  const file = join(stage.folder, 'haproxy.cfg');
  let text = readFileSync(join(ROOT, 'deploy/patroni/haproxy.cfg'), 'utf8').replace(
    'bind *:5432',
    `bind 127.0.0.1:${port}`,
  );
  for (const node of nodes) {
    text = text.replace(`${node.name}:5432 maxconn`, `127.0.0.1:${node.port} maxconn`);
    text = text.replace(new RegExp(`(server ${node.name} .* check port) 8008`), `$1 ${node.restPort}`);
  }
  writeFileSync(file, text);
  chmodSync(file, 0o644);
  const child = spawn(haproxy, ['-db', '-f', file], { cwd: stage.folder, detached: true, stdio: 'ignore' });
  stage.owns(child, 'SIGKILL');
  stage.atEnd(() => endChild(child, 'SIGKILL'));
  await untilListening(port, 'HAProxy', () => lives(child));
}
