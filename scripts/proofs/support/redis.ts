import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
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
  ) {
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(stage: Stage): Promise<Redis> {
    const folder = join(stage.folder, 'redis');
    mkdirSync(folder);
    const redis = new Redis(stage, folder, await freePort());
    stage.atEnd(() => redis.stop());
    await redis.restart();
    return redis;
  }

  /** Starts it with the snapshot that was taken last, if one was. */
  async restart(): Promise<void> {
    const server = whereIs('redis-server', '/usr/bin', '/usr/local/bin');
    if (!server) throw new Missing('redis-server is not in PATH; install Redis 7 or newer.');
    const child = spawn(
      server,
      ['--port', `${this.port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.folder],
      { detached: true, stdio: 'ignore' },
    );
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

  private async asked<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(this.port, '127.0.0.1');
    client.on('error', () => undefined);
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }
}
