import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../../config.js';
import { coalesceWrites } from '../coalesced-writes.js';
import { CommandTimeouts } from './command-timeouts.js';

const COMMAND_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection on which nothing was answered for so long is closed and opened anew: the network may have dropped it silently. */
const SILENCE_MS = 2_000;
const LONGEST_PAUSE_MS = 2_000;
const LOG_EVERY_MS = 1_000;

/** A Lua script; Redis is sent its digest, and its text only where it does not know that. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export const script = (text: string): Script => ({ text, sha: digestOf(text) });

/**
 * The connection to Redis. It is reopened whenever it is lost, and no command waits for it: without a connection a command
 * fails at once, and one that Redis does not answer fails after 200 ms. No command is sent again by itself.
 */
@Injectable()
export class RedisLink implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly redis: Redis;
  private lastLogAt = -Infinity;
  private server?: string;
  private lastAnswerAt = -Infinity;
  private readonly patience = new CommandTimeouts(COMMAND_TIMEOUT_MS);

  constructor({ redisUrl }: Pick<Config, 'redisUrl'>) {
    if (!redisUrl) throw new Error('REDIS_URL is not set');
    const options: RedisOptions = {
      lazyConnect: true,
      enableOfflineQueue: false,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // With 1 a command would wait for the next connection, and be sent to whatever Redis answers there.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS),
      // After a failover the old primary answers so, until somebody connects anew.
      reconnectOnError: (error) => /^(READONLY|UNBLOCKED)/.test(error.message),
    };
    const socket = redisUrl.startsWith('unix:') ? new URL(redisUrl).pathname : undefined;
    this.redis = socket ? new Redis(socket, options) : new Redis(redisUrl, options);
    this.redis.on('error', (error: Error) => this.log(error));
    this.redis.on('close', () => (this.server = undefined));
    this.redis.on('ready', () => void this.identify());
    this.redis.connect().catch(() => undefined);
  }

  /** The connection of REDIS_URL, or null where that is not set. */
  static from(config: Pick<Config, 'redisUrl'>): RedisLink | null {
    return config.redisUrl ? new RedisLink(config) : null;
  }

  /** Whether there is a connection to a server that has been identified, so that a command would be sent now. */
  get ready(): boolean {
    return this.server !== undefined && this.redis.status === 'ready';
  }

  /**
   * Identifies the server process that answers, from its start to its end; undefined without a connection. Another value
   * means that the server was restarted or failed over: whatever keys it has may be as old as its last snapshot.
   */
  get life(): string | undefined {
    return this.ready ? this.server : undefined;
  }

  /** Waits for the connection for at most this time; answers whether it is ready. */
  async whenReady(patienceMs: number): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    while (!this.ready && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.ready;
  }

  /** Runs a script. Rejects where Redis is away or too slow; after a timeout it may have run all the same. */
  async run(code: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    const { life } = this;
    if (!life) throw new Error('Redis is away');
    try {
      coalesceWrites(this.redis.stream);
      const answer = await this.patience.await(this.redis.evalsha(code.sha, keys.length, ...keys, ...values));
      this.lastAnswerAt = performance.now();
      return answer;
    } catch (error) {
      const unknown = error instanceof Error && error.message.startsWith('NOSCRIPT');
      // A command for one server process is not sent to the one that came after it.
      if (unknown && this.life === life) {
        return await this.patience.await(this.redis.eval(code.text, keys.length, ...keys, ...values));
      }
      // ioredis's own socketTimeout outlives its connection and ends the next one.
      if (this.life === life && performance.now() - this.lastAnswerAt > SILENCE_MS) this.redis.disconnect(true);
      throw error;
    }
  }

  /** How long one round trip took, in milliseconds, for readiness checks. Rejects where Redis is away. */
  async ping(): Promise<number> {
    if (!this.ready) throw new Error('Redis is away');
    const started = performance.now();
    await this.patience.await(this.redis.ping());
    return performance.now() - started;
  }

  onApplicationShutdown(): void {
    this.close();
  }

  /** Closes the connection; commands that are underway fail. */
  close(): void {
    this.redis.disconnect();
  }

  private async identify(): Promise<void> {
    try {
      const text = await this.patience.await(this.redis.info());
      const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1] ?? '';
      this.lastAnswerAt = performance.now();
      this.server = digestOf(`${field('run_id')}.${field('master_replid')}`).slice(0, 10);
    } catch (error) {
      if (error instanceof Error && /^(NOPERM|ERR)/.test(error.message)) {
        this.server = 'unnamed';
        this.logger.warn('may not ask INFO: a restart from a snapshot will not be noticed');
      } else this.redis.disconnect(true);
    }
  }

  private log(error: Error): void {
    if (performance.now() - this.lastLogAt < LOG_EVERY_MS) return;
    this.lastLogAt = performance.now();
    this.logger.warn(error.message || String(error));
  }
}

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
