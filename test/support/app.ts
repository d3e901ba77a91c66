import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ReplayProtection } from '../../src/auth/replay/replay-protection.js';
import { Clock } from '../../src/common/time/clock.js';
import { openInMemoryDatabase, openDatabase, type Database } from '../../src/common/db/database.js';
import { DatabaseNotifications } from '../../src/common/db/cache/notifications.js';
import { run } from '../../src/common/db/query/statement.js';
import { roleSettings } from '../../src/common/db/role-settings.js';
import { restartIds } from '../../src/common/entity/ids.js';
import { Jobs } from '../../src/common/jobs/jobs.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { createApp } from '../../src/create-app.js';
import { ENTITIES } from '../../src/entities.js';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { startBalancer } from './balancer.js';
import { keptBySpecFiles } from './kept.js';
import { freePort } from './nginx.js';
import { ServiceProcess } from './service-process.js';
import { collectStatements, ignoreStatement } from './statements.js';
import {
  databaseUrl,
  forgetKeys,
  HAS_FOLLOWERS,
  IS_IN_PROCESSES,
  onServer,
  pooledEnvironment,
  POOLER,
  REDIS,
  REPLICAS,
  RUN_FOLDER,
  SERVER,
  serverEnvironment,
  TEMPLATE_DATABASE,
  TEMPLATE_FILE,
  untilReplayed,
} from './environment.js';

collectStatements();
// The file before this one may have advanced its clock.
restartIds();

const MODEL = { entities: ENTITIES, migrations: MIGRATIONS };

/** Processes take longer to start. */
const HOOK_MS = IS_IN_PROCESSES ? 400_000 : 60_000;

interface Replica {
  app: NestFastifyApplication;
  store: Database;
  clock: Clock;
  port: number;
}

/** The service as this spec file has it: one application, or several behind a balancer. */
export class World {
  constructor(
    private readonly replicas: Replica[],
    private readonly port: number,
    readonly config: Config,
    /** They serve, if there are some: the replicas then only arrange. */
    readonly processes: readonly ServiceProcess[],
    private readonly database: string,
  ) {}

  /** Where clients call. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** An application itself, with no balancer before it, for what a balancer would not let through. */
  get direct(): string {
    return `http://127.0.0.1:${this.replicas[0].port}`;
  }

  /** One of those that serve, with no balancer before it. */
  at(nth: number): string {
    const serving = this.processes.length > 0 ? this.processes : this.replicas;
    return `http://127.0.0.1:${serving[nth % serving.length].port}`;
  }

  get app(): NestFastifyApplication {
    return this.replicas[0].app;
  }

  /** A provider, to arrange with; tests assert on what comes over HTTP. */
  get<T>(kind: Type<T>): T {
    return this.app.get(kind);
  }

  /** Reads what no endpoint shows. */
  async sql<R>(text: string, ...values: unknown[]): Promise<R[]> {
    ignoreStatement(text);
    return run<R>(this.replicas[0].store.dataSource.manager, { text, values });
  }

  /** The time of all replicas. */
  readonly clock = {
    now: () => this.replicas[0].clock.now(),
    seconds: () => this.replicas[0].clock.seconds(),
    set: (at: Date | null) => this.replicas.forEach(({ clock }) => clock.set(at)),
    advance: (ms: number) => this.replicas.forEach(({ clock }) => clock.advance(ms)),
  };

  /** Time passes for all that serve. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.agree();
  }

  /** Processes have the time of the replicas. */
  async agree(): Promise<void> {
    const ahead = this.clock.now().getTime() - Clock.machineMs();
    await Promise.all(this.processes.map((each) => each.setAhead(ahead)));
  }

  /** Kills a process, and starts it anew. */
  kill = (nth: number): Promise<void> => this.renew(nth, 'SIGKILL');

  /** Ends a process and has it start anew; until it serves, another one is asked. */
  private async renew(nth: number, signal: NodeJS.Signals): Promise<void> {
    await this.untilWhole();
    const process = this.processes[nth % this.processes.length];
    await process.end(signal);
    this.returning = process.start();
    // whoever waits for it hears of it
    this.returning.catch(() => undefined);
  }

  private returning = Promise.resolve();
  /** All that serve are there. */
  untilWhole = (): Promise<void> => this.returning;

  /** Which one is asked instead of that one, or of what a balancer would choose, while a process is away. */
  detour(replica: number | undefined): number | undefined {
    const isAway = this.processes.some(({ isServing }) => !isServing);
    return isAway ? this.processes.findIndex(({ isServing }) => isServing) : replica;
  }

  /** Ends an application and starts it anew on the same port and store: it has nothing in memory. */
  async restart(nth: number): Promise<void> {
    if (this.processes.length > 0) return this.renew(nth, 'SIGTERM');
    const replica = this.replicas[nth % this.replicas.length];
    await replica.app.close();
    Object.assign(replica, await serve({ config: this.config, ...replica }, replica.port));
  }

  /** Waits until every replica has heard what was announced so far: notifications arrive in the order they were sent. */
  async caughtUp(): Promise<void> {
    // whichever of them announced something: a process hears its own marks at once, and so learns nothing from them
    await Promise.all(this.replicas.map((from) => this.heardBy(from)));
    if (SERVER) await untilReplayed(this.database);
  }

  /** Waits until all replicas but this one have heard what this one announces now. */
  private async heardBy(from: Replica): Promise<void> {
    const mark = randomBytes(6).toString('hex');
    const heard: Promise<void>[] = this.replicas
      .filter((replica) => replica !== from)
      .map(({ app }) => {
        const notifications = app.get(DatabaseNotifications);
        return new Promise<void>((resolve) => {
          const unsubscribe = notifications.on('test-mark', (payload) => {
            if (payload !== mark) return;
            unsubscribe();
            resolve();
          });
        });
      });
    heard.push(...this.processes.map((process) => process.heard(mark)));
    await from.app.get(DatabaseNotifications).publish(from.store.dataSource.manager, 'test-mark', mark);
    await Promise.all(heard);
  }
}

let current: World | undefined;

/** The service of this spec file; there is one once its tests run. */
export function world(): World {
  if (!current) throw new Error('This spec file has no service: call useApp() at its top.');
  return current;
}

/**
 * Serves while the tests of this file or `describe` run, with these environment variables; after each test time is the
 * machine's again. A `describe` inside another one can have a service of its own. `replicas` is 1 where a test can only be
 * right about a single process. `pooler` is the URL of a pooler in transaction mode that stands before the server.
 */
export function useApp(
  env: Record<string, string> = {},
  replicas = REPLICAS,
  pooler: () => string | undefined = () => process.env[POOLER],
): void {
  useWorld(async () => {
    // no test uses it for now, and its jobs would take time from these
    if (!current) await kept.service?.close();
    return open(env, replicas, pooler());
  });
}

/**
 * Like `useApp()`, with the service that spec files before this one have used in this process. For tests that look only at what they
 * make: the store has what those files made, and jobs may be about it. Saves a store, two starts and their connections.
 */
export function useSharedApp(): void {
  // mistakes that `scripts/mutants.mjs` makes would stay in what is shared
  if (IS_IN_PROCESSES || process.env.TEST_KEEPS_TEMPLATE) return useApp();
  useWorld(async () => {
    kept.service ??= keep(await openReplicas({}, REPLICAS, process.env[POOLER]));
    return balanced(kept.service);
  });
}

function useWorld(opening: () => Promise<Opened>): void {
  let close = async (): Promise<void> => undefined;
  let outer: World | undefined;
  beforeAll(async () => {
    const opened = await opening();
    outer = current;
    current = opened.world;
    close = opened.close;
  }, HOOK_MS);
  afterEach(async () => {
    current?.clock.set(null);
    await current?.agree();
  });
  afterAll(async () => {
    current?.clock.set(null);
    await close();
    current = outer;
  }, 30_000);
}

interface Opened {
  world: World;
  close(): Promise<void>;
}

/** Replicas on a store that is theirs. */
interface Service {
  replicas: Replica[];
  config: Config;
  database: string;
  close(): Promise<void>;
}

const kept = keptBySpecFiles<Service>();

function keep(service: Service): Service {
  const close = async () => {
    delete kept.service;
    await service.close();
  };
  return { ...service, close };
}

/** The service with a balancer before it, which is closed and leaves the service. */
async function balanced({ replicas, config, database }: Service): Promise<Opened> {
  const ports = replicas.map(({ port }) => port);
  if (ports.length === 1)
    return { world: new World(replicas, ports[0], config, [], database), close: async () => undefined };
  const balancer = await startBalancer(ports);
  return { world: new World(replicas, balancer.port, config, [], database), close: () => balancer.close() };
}

async function open(env: Record<string, string>, count: number, pooler?: string): Promise<Opened> {
  if (IS_IN_PROCESSES) return openProcesses(env, count, pooler);
  const service = await openReplicas(env, count, pooler);
  const { world, close } = await balanced(service);
  return {
    world,
    close: async () => {
      await close();
      await service.close();
    },
  };
}

async function openReplicas(env: Record<string, string>, count: number, pooler?: string): Promise<Service> {
  const { environment, name, closing, close } = await prepare(env, count, pooler);
  try {
    const config = readConfig(environment);
    const replicas: Replica[] = [];
    for (let i = 0; i < count; i++) replicas.push(await openReplica(config, closing));
    // On an embedded store nothing passes that was signed in the second in which it was opened.
    if (!SERVER) await pause(1_000 - (Date.now() % 1_000));
    return { replicas, config, database: name, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes a store, and the environment of a service on it. */
async function prepare(env: Record<string, string>, count: number, pooler?: string) {
  const name = `${process.env[TEMPLATE_DATABASE] ?? 'marquee_test'}_${randomBytes(5).toString('hex')}`;
  const folder = mkdtempSync(join(process.env[RUN_FOLDER]!, 'data-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const each of closing.reverse()) await each();
  };
  if (SERVER) {
    await onServer(`CREATE DATABASE ${name} TEMPLATE ${process.env[TEMPLATE_DATABASE]}`);
    // What a spec file stores need not outlive a crash of the machine, and each commit waited milliseconds for its disk.
    // Behind a pooler, the settings of the database and its role are what is tested.
    if (!HAS_FOLLOWERS && !pooler) await onServer(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    if (pooler) await roleSettings(databaseUrl(name), { apply: true });
    await untilReplayed(name);
  }
  if (REDIS) closing.push(() => forgetKeys(`${name}:`));
  const environment = {
    NODE_ENV: 'test',
    DATA_DIR: folder,
    DEMO: 'false',
    MASTER_KEY: Buffer.alloc(32, 'marquee').toString('base64'),
    RATE_LIMITS: 'relaxed',
    EMBEDDED_STORE: 'allow',
    ...(SERVER && { ...serverEnvironment(name), DATABASE_POOL: '8', DATABASE_PIPELINED_CONNECTIONS: '3' }),
    ...(SERVER && pooler && pooledEnvironment(pooler, name)),
    ...(REDIS && { REDIS_URL: REDIS, REDIS_PREFIX: `${name}:` }),
    ...(count > 1 && { TRUST_PROXY: '127.0.0.1' }),
    ...env,
  };
  return { environment, name, closing, close };
}

/** Processes that serve behind a balancer, and an application that only arranges. */
async function openProcesses(env: Record<string, string>, count: number, pooler?: string): Promise<Opened> {
  const { environment, name, closing, close } = await prepare(env, count, pooler);
  try {
    const config = readConfig({ ...environment, ROLE: 'api' });
    const replica = await openReplica(config, closing);
    await replica.store.readReplicas?.start();
    const processes: ServiceProcess[] = [];
    for (let i = 0; i < count; i++) processes.push(new ServiceProcess(await freePort(), environment));
    closing.push(() => Promise.all(processes.map((each) => each.end('SIGKILL'))));
    await Promise.all(processes.map((each) => each.start()));
    const balancer = await startBalancer(processes.map(({ port }) => port));
    closing.push(() => balancer.close());
    return { world: new World([replica], balancer.port, config, processes, name), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openReplica(config: Config, closing: (() => unknown)[]): Promise<Replica> {
  const template = process.env[TEMPLATE_FILE];
  const store = template
    ? await openInMemoryDatabase(MODEL, readFileSync(template))
    : await openDatabase(config, MODEL);
  closing.push(() => store.close());
  const clock = new Clock();
  const replica = { store, clock, ...(await serve({ config, store, clock }, 0)) };
  closing.push(() => replica.app.close());
  return replica;
}

async function serve(parts: { config: Config; store: Database; clock: Clock }, on: number) {
  const app = await createApp(parts);
  await app.get(ReplayProtection).start();
  await app.get(Jobs).start();
  await app.listen(on, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port };
}
