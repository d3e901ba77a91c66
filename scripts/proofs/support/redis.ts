import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { endChild, lives, Missing, whereIs } from './child.js';
import { freePort, untilListening } from './ports.js';
import type { Stage } from './stage.js';

/** A Redis of our own. It writes to the disk only when a proof says so. */
export class Redis {
  readonly url: string;
  private child?: ChildProcess;

  private constructor(
    private readonly stage: Stage,
    private readonly folder: string,
    readonly port: number,
    private readonly options: string[],
  ) {
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** `options`: of the command line, beside the usual ones. */
  static async start(stage: Stage, name = 'redis', options: string[] = []): Promise<Redis> {
    const folder = join(stage.folder, name);
    mkdirSync(folder);
    const redis = new Redis(stage, folder, await freePort(), options);
    stage.atEnd(() => redis.stop());
    await redis.restart();
    return redis;
  }

  /** A sentinel with this configuration. */
  static async startSentinel(stage: Stage, name: string, configuration: string[]): Promise<Redis> {
    const file = join(stage.folder, `${name}.conf`);
    writeFileSync(file, configuration.map((line) => `${line}\n`).join(''));
    return Redis.start(stage, name, [file, '--sentinel']);
  }

  /** Starts it with the snapshot that was taken last, if one was. */
  async restart(...more: string[]): Promise<void> {
    const server = whereIs('redis-server', '/usr/bin', '/usr/local/bin');
    if (!server) throw new Missing('redis-server is not in PATH; install Redis 7 or newer.');
    const isSentinel = this.options.includes('--sentinel');
    const usual = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.folder];
    const forgetful = ['--save', '', '--appendonly', 'no'];
    const child = spawn(server, [...this.options, ...usual, ...(isSentinel ? [] : forgetful), ...more], {
      detached: true,
      stdio: 'ignore',
    });
    this.child = child;
    this.stage.owns(child, 'SIGKILL');
    await untilListening(this.port, 'Redis', () => lives(child));
  }

  /** It loses whatever was not in a snapshot. */
  async stop(): Promise<void> {
    if (!this.child) return;
    this.thaw();
    await endChild(this.child, 'SIGKILL');
  }

  get lives(): boolean {
    return this.child !== undefined && lives(this.child);
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  flush(): Promise<unknown> {
    return this.asked((client) => client.flushall());
  }

  /** Writes down what it holds now, for the next start. */
  snapshot(): Promise<unknown> {
    return this.asked((client) => client.save());
  }

  keys(): Promise<number> {
    return this.asked((client) => client.dbsize());
  }

  /** Runs a command that it may refuse. */
  ask<T>(command: string, ...values: (string | number)[]): Promise<T> {
    return this.asked((client) => client.call(command, ...values)) as Promise<T>;
  }

  /** A field of INFO. */
  async info(field: string): Promise<string | undefined> {
    const text = await this.ask<string>('INFO', 'all');
    return new RegExp(`^${field}:(.*)\\r$`, 'm').exec(text)?.[1];
  }

  private async asked<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(this.port, '127.0.0.1', { enableReadyCheck: false, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }
}
