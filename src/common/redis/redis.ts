import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../../config.js';
import type { Metrics } from '../metrics/metrics.js';
import { type SpanOf, traced } from '../tracing/tracing.js';
import { coalesceWrites } from '../coalesced-writes.js';
import { AnswerTimeouts } from '../answer-timeouts.js';

const COMMAND_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection with timeouts and without any response for this time is replaced. */
const STALLED_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;
/** Reconnecting never stops, and would fill the log. */
const LOG_EVERY_MS = 60_000;
/** In seconds. */
const LATENCIES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2];

/** The effect of an unavailable Redis. */
const WITHOUT_REDIS =
  'requests are still served; each replica counts rate limits for itself, PostgreSQL checks nonces, and requests signed before may get 401 for five minutes: sign them again';

/** The log message for a node of a Redis Cluster. */
const REDIS_CLUSTER =
  'REDIS_URL names a node of a Redis Cluster, which is not supported yet, so Redis is not used; name a Redis without cluster mode';

/** Errors of a cluster node without the requested slot, or without all slots. */
const CLUSTER_ANSWER = /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN|TRYAGAIN)\b/;

/** The identity of a server that does not report one. */
export const UNNAMED = 'unnamed';

/** A Lua script and its SHA-1 digest, by which Redis runs a known script. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export const script = (text: string): Script => ({ text, sha: digestOf(text) });

/**
 * The connection to Redis. It reconnects in the background without limit. Meanwhile commands fail at once. A command
 * without a response within 200 ms fails, too. No command is sent twice.
 */
@Injectable()
export class RedisLink implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly redis: Redis;
  private lastLogAt = -Infinity;
  /** Distinguishes the server of this connection from others; undefined until it has answered INFO. */
  private identity?: string;
  private lastAnswerAt = -Infinity;
  /** The connection is abandoned and not closed yet. */
  private reconnecting = false;
  /** Whether the last message reported it as unavailable. */
  private away = false;
  private cluster = false;
  private closed = false;
  private readonly timeouts = new AnswerTimeouts(COMMAND_TIMEOUT_MS);

  /** `observe` receives the duration of each script in seconds, or undefined for a failed one. */
  constructor(
    { redisUrl }: Pick<Config, 'redisUrl'>,
    private readonly observe?: (seconds: number | undefined) => void,
  ) {
    if (!redisUrl) throw new Error('REDIS_URL is not set');
    const options: RedisOptions = {
      lazyConnect: true,
      enableOfflineQueue: false,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // With 1 a command would wait for the next connection, possibly to another Redis.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), MAX_RECONNECT_DELAY_MS),
      // After a failover the old primary answers with these errors until the client reconnects.
      reconnectOnError: (error) => /^(READONLY|UNBLOCKED)/.test(error.message),
    };
    const socket = redisUrl.startsWith('unix:') ? new URL(redisUrl).pathname : undefined;
    this.redis = socket ? new Redis(socket, options) : new Redis(redisUrl, options);
    this.redis.on('error', (error: Error) => this.logError(error));
    this.redis.on('close', () => {
      this.identity = undefined;
      this.reconnecting = false;
      this.tellAway();
    });
    this.redis.on('ready', () => void this.identify());
    this.redis.connect().catch(() => undefined);
  }

  /** The configured connection, or null without one. */
  static from(config: Pick<Config, 'redisUrl'>, metrics: Metrics): RedisLink | null {
    if (!config.redisUrl) return null;
    const latency = metrics.histogram('redis_command_seconds', 'Response time of Redis', LATENCIES);
    const failures = metrics.counter('redis_failures_total', 'Commands that Redis did not answer in time');
    const link = new RedisLink(config, (seconds) => (seconds === undefined ? failures() : latency(seconds)));
    metrics.gauge('redis_up', 'Whether commands are sent to Redis', () => Number(link.ready));
    return link;
  }

  /** Whether commands are sent rather than fail at once. */
  get ready(): boolean {
    return this.identity !== undefined && this.redis.status === 'ready';
  }

  /** Whether Redis is in use, or why not: `cluster` is a node of a Redis Cluster. */
  get state(): 'ok' | 'away' | 'cluster' {
    if (this.ready) return 'ok';
    return this.cluster ? 'cluster' : 'away';
  }

  /** The message for operators while it is not in use. */
  get trouble(): string | undefined {
    if (this.ready) return undefined;
    return this.cluster ? `${REDIS_CLUSTER}. Meanwhile ${WITHOUT_REDIS}` : WITHOUT_REDIS;
  }

  /**
   * Identifies the run of the Redis server. When it changes, the server was restarted or replaced: stored data may be
   * lost, or as old as the last snapshot, even if the keys exist.
   */
  get serverIdentity(): string | undefined {
    return this.ready ? this.identity : undefined;
  }

  /** Waits until commands can be sent; false after the timeout. */
  async whenReady(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (!this.ready && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.ready;
  }

  /** Runs a script. After a timeout the script may or may not have run. */
  async run(code: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    const began = performance.now();
    try {
      const answer = await traced(spanOfScript, () => this.ask(code, keys, values));
      this.observe?.((performance.now() - began) / 1_000);
      return answer;
    } catch (error) {
      this.observe?.(undefined);
      throw error;
    }
  }

  private async ask(code: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    const server = this.serverIdentity;
    if (!server) throw new Error('Redis is not available');
    try {
      coalesceWrites(this.redis.stream);
      const answer = await this.timeouts.race(this.redis.evalsha(code.sha, keys.length, ...keys, ...values));
      this.lastAnswerAt = performance.now();
      return answer;
    } catch (error) {
      if (error instanceof Error && CLUSTER_ANSWER.test(error.message)) this.refuseCluster();
      const unknown = error instanceof Error && error.message.startsWith('NOSCRIPT');
      // NOSCRIPT: the script has not run. It is not sent to another server that replaced this one meanwhile.
      if (unknown && this.serverIdentity === server) {
        return await this.timeouts.race(this.redis.eval(code.text, keys.length, ...keys, ...values));
      }
      // ioredis's socketTimeout does not work here: its timer outlives the connection and ends the next one.
      if (this.serverIdentity === server && performance.now() - this.lastAnswerAt > STALLED_MS) this.reconnect();
      throw error;
    }
  }

  /** The duration of one round trip, for readiness checks. */
  async ping(): Promise<number> {
    if (!this.ready) throw new Error('Redis is not available');
    const started = performance.now();
    await this.timeouts.race(this.redis.ping());
    return performance.now() - started;
  }

  onApplicationShutdown(): void {
    this.close();
  }

  /** Logs the effect, once per outage. */
  private tellAway(): void {
    if (this.away || this.closed) return;
    this.away = true;
    this.logger.warn(`is not available: ${WITHOUT_REDIS}`);
  }

  /** Keys would belong to other nodes, or to none: nothing is sent while it is connected to this node. */
  private refuseCluster(): void {
    this.identity = undefined;
    if (this.cluster) return;
    this.cluster = true;
    this.logger.warn(`${REDIS_CLUSTER}. Meanwhile ${WITHOUT_REDIS}`);
    this.away = true;
  }

  private tellBack(): void {
    if (this.away) this.logger.warn('answers again: rate limits are counted across all replicas');
    this.away = false;
  }

  /** Closes the connection; unanswered commands fail. */
  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  private reconnect(): void {
    if (this.reconnecting) return;
    this.reconnecting = true;
    this.redis.disconnect(true);
  }

  private async identify(): Promise<void> {
    try {
      const text = await this.timeouts.race(this.redis.info());
      const lines = text.split('\r\n');
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? '';
      this.lastAnswerAt = performance.now();
      if (field('cluster_enabled') === '1') return this.refuseCluster();
      this.cluster = false;
      this.identity = digestOf(`${field('run_id')}.${field('master_replid')}`).slice(0, 10);
      this.tellBack();
    } catch (error) {
      if (error instanceof Error && /^(NOPERM|ERR)/.test(error.message)) {
        this.identity = UNNAMED;
        this.cluster = false;
        this.tellBack();
        this.logger.warn('this user may not run INFO, so Marquee cannot detect a restart from a snapshot');
      } else this.reconnect();
    }
  }

  private logError(error: Error): void {
    if (performance.now() - this.lastLogAt < LOG_EVERY_MS) return;
    this.lastLogAt = performance.now();
    this.logger.warn(error.message || String(error));
  }
}

const spanOfScript = (): SpanOf => ({
  name: 'EVALSHA',
  kind: 'CLIENT',
  attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' },
});

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
