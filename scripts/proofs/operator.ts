import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../bench/world.js';
import { endChild, lives } from './support/child.js';
import { MAIN, ROOT } from './support/paths.js';
import { freePort } from './support/ports.js';
import { Postgres } from './support/postgres.js';
import { untilReady } from './support/ready.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';
import { MASTER_KEY, type Premises, WRONG_SETTINGS, type WrongSetting } from './support/wrong-settings.js';

/** A start with wrong settings that has not ended after so long hangs. */
const PATIENCE_MS = 20_000;
const READY_MS = 60_000;
/** How long the database is away when the service is started before it. */
const AWAY_MS = 3_000;
const NOBODY = 65_534;

/** Roles that a start can fail by, each in its own way. */
const ROLES = [
  `CREATE ROLE locked LOGIN PASSWORD 'right'`,
  'CREATE ROLE poor LOGIN',
  'CREATE ROLE jobless LOGIN',
  'CREATE ROLE crowded LOGIN CONNECTION LIMIT 0',
];

/** Every setting that can be wrong, one by one: what the operator is told, and that the start ends with it. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const postgres = await startPostgres(stage);
    const premises = await premisesOn(stage, postgres);
    const [made, left] = [[] as Told[], [] as string[]];
    const width = Math.max(...WRONG_SETTINGS.map(({ name }) => name.length));
    for (const setting of WRONG_SETTINGS) {
      if (setting.needs && premises[setting.needs] === undefined) {
        left.push(setting.name);
        continue;
      }
      const told = await startWith(stage, setting, premises);
      made.push(told);
      console.log(`  ${setting.name.padEnd(width)}  ${told.sentence || '(nothing)'}`);
      for (const fault of faultsOf(told, setting)) console.log(`  ${''.padEnd(width)}  FAILED: ${fault}`);
    }
    const count = (fault: string) =>
      made.filter((told, i) => faultsOf(told, settingsMade(left)[i]).includes(fault)).length;
    return [
      noted('wrong settings', `${made.length}${left.length > 0 ? `; not possible here: ${left.join(', ')}` : ''}`),
      ...FAULTS.map((fault) => atMost(fault, count(fault), 0)),
      atMost('longest until it was told', Math.max(...made.map(({ ms }) => ms)) / 1_000, PATIENCE_MS / 1_000, 's'),
      ...(await startedBefore(stage, postgres, premises)),
    ];
  });
}

const settingsMade = (left: string[]) => WRONG_SETTINGS.filter(({ name }) => !left.includes(name));

/** How a start with a wrong setting ended. */
interface Told {
  /** The last line on standard error. */
  sentence: string;
  /** All that stands there. */
  printed: string;
  /** Null where it had to be killed. */
  exitCode: number | null;
  ms: number;
}

const FAULTS = [
  'hangs',
  'ends otherwise than with 1',
  'has a stack',
  'says more than a sentence',
  'says something else',
];

function faultsOf({ sentence, printed, exitCode }: Told, { says }: WrongSetting): string[] {
  const lines = printed.trimEnd().split('\n');
  const found = [
    exitCode === null,
    exitCode !== null && exitCode !== 1,
    /^\s+at .+:\d+/m.test(printed),
    lines.length > 1,
    !says.test(sentence),
  ];
  return FAULTS.filter((_, i) => found[i]);
}

async function startWith(stage: Stage, { environment, asNobody }: WrongSetting, premises: Premises): Promise<Told> {
  const isRoot = process.getuid?.() === 0;
  const began = performance.now();
  const { child, errors } = await start(
    stage,
    { DATA_DIR: join(stage.folder, 'fresh'), ...environment(premises) },
    asNobody && isRoot ? { uid: NOBODY, gid: NOBODY } : {},
  );
  const ended = once(child, 'close') as Promise<[number | null]>;
  const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() => undefined);
  const end = await Promise.race([ended, late]);
  if (!end) await endChild(child, 'SIGKILL');
  const printed = errors();
  return {
    sentence: printed.trimEnd().split('\n').at(-1) ?? '',
    printed,
    exitCode: end?.[0] ?? null,
    ms: performance.now() - began,
  };
}

/** A service that is started before its database waits for it, says so once, and serves. */
async function startedBefore(stage: Stage, postgres: Postgres, { databaseUrl }: Premises): Promise<Figure[]> {
  await postgres.stop();
  const port = await freePort();
  const environment = { PORT: `${port}`, DATABASE_URL: databaseUrl('marquee'), MASTER_KEY };
  const began = performance.now();
  const { child, lines } = await start(stage, { ...environment, DATA_DIR: join(stage.folder, 'late') });
  await pause(AWAY_MS);
  const isUp = lives(child);
  await postgres.restart();
  await untilReady(port, child, READY_MS);
  const readyAfter = performance.now() - began - AWAY_MS;
  const waits = lines().filter((line) => line.includes('Marquee waits up to')).length;
  await endChild(child, 'SIGTERM');
  return [
    atLeast('starts that waited for a database that came up later', Number(isUp), 1),
    atMost('times that it says so', waits, 1),
    noted('ready after the database was started', `${(readyAfter / 1_000).toFixed(1)} s`),
  ];
}

interface Started {
  child: ChildProcess;
  errors: () => string;
  lines: () => string[];
}

/** Starts the service with these settings and without any other. */
async function start(
  stage: Stage,
  environment: Record<string, string>,
  user: { uid?: number; gid?: number } = {},
): Promise<Started> {
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: `${port}`, LOG_LEVEL: 'warn', ...environment },
    cwd: stage.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  stage.owns(child, 'SIGKILL');
  const [out, errors] = [[] as string[], [] as string[]];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  return { child, errors: () => errors.join(''), lines: () => out.join('').split('\n') };
}

/** One that asks the role `locked` for its password, and nobody else. */
async function startPostgres(stage: Stage): Promise<Postgres> {
  const rules = join(stage.folder, 'pg_hba.conf');
  writeFileSync(rules, 'host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
  return Postgres.start(stage, [`hba_file=${rules}`]);
}

async function premisesOn(stage: Stage, postgres: Postgres): Promise<Premises> {
  const databaseUrl = (database: string, user = 'postgres') =>
    `postgres://${user}@127.0.0.1:${postgres.port}/${database}`;
  for (const text of ['CREATE DATABASE marquee', 'CREATE DATABASE empty', ...ROLES]) await query(postgres.url, text);
  execFileSync(process.execPath, [join(ROOT, 'bin/marquee.mjs'), 'migrate'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl('marquee') },
    stdio: 'ignore',
  });
  await query(postgres.url, 'CREATE DATABASE shared TEMPLATE marquee');
  await query(databaseUrl('shared'), `INSERT INTO blob_folder (id, marker) VALUES (1, 'of other replicas')`);
  await query(databaseUrl('marquee'), 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO jobless');

  const [file, closed] = [join(stage.folder, 'file'), join(stage.folder, 'closed')];
  writeFileSync(file, '');
  mkdirSync(closed, { mode: 0o555 });
  const running = { port: await freePort(), dataDir: join(stage.folder, 'running') };
  const service = await start(stage, { PORT: `${running.port}`, DATA_DIR: running.dataDir });
  stage.atEnd(() => endChild(service.child, 'SIGTERM'));
  await untilReady(running.port, service.child, READY_MS);
  return {
    databaseUrl,
    closedPort: await freePort(),
    silentPort: await silent(stage),
    running,
    used: await used(stage),
    file,
    closed,
    full: full(stage),
  };
}

/** A data directory with a store in it that was sealed under a key. */
async function used(stage: Stage): Promise<string> {
  const dataDir = join(stage.folder, 'used');
  const port = await freePort();
  const { child } = await start(stage, { PORT: `${port}`, DATA_DIR: dataDir, MASTER_KEY });
  await untilReady(port, child, READY_MS);
  await endChild(child, 'SIGTERM');
  return dataDir;
}

/** Somebody who accepts connections and says nothing. */
async function silent(stage: Stage): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A disk of a few megabytes, where this user may make one. */
function full(stage: Stage): string | undefined {
  const folder = join(stage.folder, 'full');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  stage.atEnd(() => execFileSync('umount', [folder]));
  chmodSync(folder, 0o700);
  return folder;
}
