import {
  HandedOverNonce,
  NonceEpoch,
  NonceGeneration,
  Replica,
  UsedNonce,
} from '../../../src/auth/replay/nonces.entity.js';
import { Unavailable } from '../../../src/common/errors/unavailable.js';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  ReplayProtection,
  type SignedNonce,
  type AdmissionResult,
} from '../../../src/auth/replay/replay-protection.js';
import { Clock } from '../../../src/common/time/clock.js';
import { openInMemoryDatabase, openDatabase, type Database } from '../../../src/common/db/database.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import type { RateWindow } from '../../../src/auth/limits/windows.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { RedisLink } from '../../../src/common/redis/redis.js';
import type { ModuleRef } from '@nestjs/core';
import { HealthController } from '../../../src/operations/health.controller.js';
import { Lifecycle } from '../../../src/operations/lifecycle.js';
import { readConfig, type Config } from '../../../src/config/config.js';

export const DATABASE_URL = process.env.TEST_DATABASE_URL;
export const REDIS_URL = process.env.TEST_REDIS_URL;
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

Logger.overrideLogger(false);

const model = { entities: [UsedNonce, NonceGeneration, HandedOverNonce, NonceEpoch, Replica], migrations: [] };

const TABLES = `
CREATE UNLOGGED TABLE used_nonces ("digest" varchar COLLATE "C" PRIMARY KEY, "expiresAt" timestamptz(3) NOT NULL);
CREATE INDEX "IDX_used_nonces_expiresAt" ON used_nonces ("expiresAt");
CREATE UNLOGGED TABLE nonce_generations ("one" boolean PRIMARY KEY, "generation" varchar NOT NULL);
CREATE TABLE handed_over_nonces ("digest" varchar COLLATE "C" PRIMARY KEY, "expiresAt" timestamptz(3) NOT NULL);
CREATE INDEX "IDX_handed_over_nonces_expiresAt" ON handed_over_nonces ("expiresAt");
CREATE TABLE nonce_epochs ("one" boolean PRIMARY KEY, "epoch" integer NOT NULL, "beganAt" timestamptz(3) NOT NULL,
  "store" varchar NOT NULL, "generation" varchar NOT NULL);
CREATE TABLE replicas ("id" varchar COLLATE "C" PRIMARY KEY, "seenAt" timestamptz(3) NOT NULL, "nonceEpoch" integer NOT NULL,
  "redisSince" timestamptz(3));
`;

/** A database of its own on the server of TEST_DATABASE_URL, or an embedded one, and the replicas on it. */
export class World {
  readonly prefix = `test-${randomBytes(5).toString('hex')}:`;
  private readonly name = `replay_${randomBytes(5).toString('hex')}`;
  private readonly closing: (() => Promise<void>)[] = [];
  private memory?: Database;

  constructor(private readonly redisUrl?: string) {}

  static async onServer(redisUrl?: string): Promise<World> {
    const world = new World(redisUrl);
    await world.asAdmin(`CREATE DATABASE ${world.name}`);
    await world.sql(TABLES);
    return world;
  }

  static async embedded(): Promise<World> {
    const world = new World();
    world.memory = await openInMemoryDatabase(model);
    for (const each of TABLES.split(';').filter((text) => text.trim())) await world.memory.dataSource.query(each);
    return world;
  }

  /** A process more, on a machine whose clock is so far ahead. It stops with the world. */
  async replica(skewMs = 0): Promise<TestReplica> {
    const config = readConfig({
      NODE_ENV: 'test',
      REDIS_PREFIX: this.prefix,
      ...(this.memory
        ? {}
        : { DATABASE_URL: this.databaseUrl, DATABASE_POOL: '6', DATABASE_PIPELINED_CONNECTIONS: '2' }),
      ...(this.redisUrl && { REDIS_URL: this.redisUrl }),
    });
    const store = this.memory ?? (await openDatabase({ ...config, machineTime: () => Date.now() + skewMs }, model));
    const replica = new TestReplica(config, store, RedisLink.from(config, new Metrics()));
    this.closing.push(() => replica.stop());
    await replica.start();
    return replica;
  }

  async sql(text: string): Promise<Record<string, unknown>[]> {
    if (this.memory) return await this.memory.dataSource.query(text);
    return await query(this.databaseUrl, text);
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
    if (this.memory) await this.memory.close();
    else await this.asAdmin(`DROP DATABASE ${this.name} WITH (FORCE)`);
  }

  private get databaseUrl(): string {
    const url = new URL(DATABASE_URL!);
    url.pathname = `/${this.name}`;
    return url.href;
  }

  private asAdmin(text: string) {
    return query(DATABASE_URL!, text);
  }
}

export class TestReplica {
  readonly clock: Clock;
  readonly replayProtection: ReplayProtection;
  private readonly notifications: DatabaseNotifications;
  private stopped = false;

  constructor(
    config: Config,
    readonly store: Database,
    readonly redis: RedisLink | null,
  ) {
    this.clock = new Clock(store.time);
    this.notifications = new DatabaseNotifications(store);
    // on an embedded store the process before is one of the test
    const own = store.embedded ? { ...store, ownedSince: undefined } : store;
    this.replayProtection = new ReplayProtection(config, this.clock, redis, store.dataSource, this.notifications, own);
  }

  async start(): Promise<void> {
    await this.notifications.start();
    await this.replayProtection.start();
  }

  /** As at the end of the process. */
  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.replayProtection.onApplicationShutdown();
    await this.notifications.stop();
    this.redis?.close();
    if (!this.store.embedded) await this.store.close();
  }

  admit(nonce: SignedNonce, windows: RateWindow[] = []): Promise<AdmissionResult> {
    return this.replayProtection.admit(nonce, windows);
  }

  async verdict(nonce: SignedNonce): Promise<string> {
    try {
      return (await this.admit(nonce)).verdict;
    } catch (error) {
      if (error instanceof Unavailable) return 'undecided';
      throw error;
    }
  }

  /** A nonce that was never used before, signed now by this replica's clock, or so many seconds from now. */
  signedNonce(ahead = 0): SignedNonce {
    return {
      consumer: 'consumer',
      token: 'token',
      timestamp: this.clock.seconds() + ahead,
      nonce: randomBytes(8).toString('hex'),
    };
  }
}

/** A Redis of the test's own, which it can end and begin again. */
export class RedisServer {
  readonly url: string;
  private process?: ChildProcess;

  constructor(readonly port = 6390) {
    this.url = `redis://127.0.0.1:${port}/0`;
  }

  async start(...options: string[]): Promise<void> {
    await this.launch(...options);
    const link = new RedisLink({ redisUrl: this.url });
    const ready = await link.whenReady(5_000);
    link.close();
    if (!ready) throw new Error('redis-server does not start');
  }

  /** Starts it, and waits until it answers at all. */
  async launch(...options: string[]): Promise<void> {
    const given = ['--port', String(this.port), '--bind', '127.0.0.1', '--appendonly', 'no'];
    await this.spawn([...given, ...(options.length ? options : ['--save', ''])]);
  }

  /** Starts it as a sentinel with this configuration file. */
  launchSentinel(file: string): Promise<void> {
    return this.spawn([file, '--sentinel', '--port', String(this.port), '--bind', '127.0.0.1']);
  }

  private async spawn(options: string[]): Promise<void> {
    this.process = spawn('redis-server', options, { stdio: 'ignore' });
    await until(async () => /PONG|NOAUTH/.test(String(await this.ask('PING').catch((error: Error) => error.message))));
  }

  /**
   * Makes it another server by its own account, without its nonces: as a replica that was promoted before they reached
   * it. Connections stay open.
   */
  async replaceByReplica(prefix: string): Promise<void> {
    await this.asked(async (client) => {
      const keys = await client.keys(`${prefix}*nonce:*`);
      const commands = keys.map((key) => ['del', key]);
      await client.multi([...commands, ['debug', 'CHANGE-REPL-ID']]).exec();
    });
  }

  /** Runs a command. */
  ask(command: string, ...values: string[]): Promise<unknown> {
    return this.asked((client) => client.call(command, ...values));
  }

  private async asked<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await question(client);
    } finally {
      client.disconnect();
    }
  }

  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.process?.once('exit', resolve));
    this.process?.kill('SIGKILL');
    if (this.process?.exitCode === null && this.process.signalCode === null) await ended;
  }

  /** Redis stays connected and does not answer. */
  freeze(): void {
    this.process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.process?.kill('SIGCONT');
  }
}

/** What `/health/ready` says of a replica. */
export async function healthOf({ store, redis }: TestReplica): Promise<{ status: number; body: object }> {
  const health = new HealthController(
    readConfig({ NODE_ENV: 'test' }),
    store,
    new Metrics(),
    new Lifecycle(),
    redis,
    {} as ModuleRef,
  );
  let status = 0;
  const reply = {
    status(code: number) {
      status = code;
      return reply;
    },
    header: () => reply,
  };
  return { body: await health.ready(reply as unknown as FastifyReply), status };
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How often each verdict was given. */
export const tally = (verdicts: string[]): Record<string, number> =>
  verdicts.reduce<Record<string, number>>((counts, each) => ({ ...counts, [each]: (counts[each] ?? 0) + 1 }), {});

/** Every nonce twenty times at once, over all replicas; how often each was accepted. */
export async function storm(replicas: TestReplica[], nonces: SignedNonce[]): Promise<number[]> {
  const verdicts = await Promise.all(
    nonces.map((nonce) =>
      Promise.all(Array.from({ length: 20 }, (_, i) => patientVerdict(replicas[i % replicas.length], nonce))),
    ),
  );
  return verdicts.map((each) => tally(each).fresh ?? 0);
}

/** The verdict, asked for again, as a client does after a 503, while a busy machine lets nobody decide in time. */
async function patientVerdict(replica: TestReplica, nonce: SignedNonce): Promise<string> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    try {
      return (await replica.admit(nonce)).verdict;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      // what was signed before a change stays undecided
      if (error.message.startsWith('the service cannot tell') || performance.now() > deadline) return 'undecided';
    }
  }
}

export const once = (nonces: SignedNonce[]) => nonces.map(() => 1);
export const never = (nonces: SignedNonce[]) => nonces.map(() => 0);
export const noncesOf = (replica: TestReplica, count: number) =>
  Array.from({ length: count }, () => replica.signedNonce());
export const epochOf = async (world: World) =>
  (await world.sql('SELECT "epoch", "store" FROM nonce_epochs'))[0] as { epoch: number; store: string };
/** So that what follows does not run into the next second. */
export const earlyInASecond = async (replica: TestReplica) => {
  while (replica.clock.ms() % 1000 > 300) await sleep(10);
};
export const until = async (condition: () => Promise<boolean>, patience = 10_000) => {
  const deadline = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('does not happen');
    await sleep(50);
  }
};

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
