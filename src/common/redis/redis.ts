import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import { inBackground } from '../concurrency/background.js';
import type { Config } from '../../config/config.js';
import type { Metrics } from '../metrics/metrics.js';
import { type SpanOf, traced } from '../tracing/tracing.js';
import { coalesceWrites } from '../concurrency/coalesced-writes.js';
import { AnswerTimeouts } from '../concurrency/answer-timeouts.js';
import { type Address, type ClusterRedis, parseRedisUrl, type RedisPlace } from '../../config/redis-url.js';
import { Sentinels, tlsOptions } from './sentinels.js';

const COMMAND_TIMEOUT_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
/** A connection with timeouts and without any response for this time is replaced. */
const STALLED_MS = 2_000;
/** How long a server may take to close a connection before it is cut. */
const DISCONNECT_TIMEOUT_MS = 200;
const MAX_RECONNECT_DELAY_MS = 2_000;
/** Where another server may take over: after its promotion it must not wait for the next attempt. */
const MAX_FAILOVER_DELAY_MS = 200;
/** A node that got slots of another one without a request for them is known within this time. */
const SLOTS_REFRESH_MS = 1_000;
/** A script that a node redirects has not run. */
const MAX_REDIRECTIONS = 4;
/** A server that is not used is asked again after this time. */
const RETRY_MS = 5_000;
/** Reconnecting never stops, and would fill the log. */
const LOG_EVERY_MS = 60_000;
/** In seconds. */
const LATENCIES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2];

/** The effect of an unavailable Redis. */
const WITHOUT_REDIS =
  'requests are still served; each replica counts rate limits for itself, PostgreSQL checks nonces, and requests signed before may get 401 for five minutes: sign them again';

/** The log messages for servers that answer and are not used. */
const REDIS_CLUSTER =
  'REDIS_URL names a node of a Redis Cluster, so Redis is not used; write redis+cluster:// instead of redis://';
const NO_CLUSTER =
  'REDIS_URL names a Redis without cluster mode, so Redis is not used; write redis:// instead of redis+cluster://';
const NO_INFO =
  'the user of REDIS_URL may not run INFO, without which a failover goes unnoticed, so Redis is not used; grant it (ACL SETUSER ... +info)';

/** Errors of a cluster node without the requested slot, or without all slots. */
const CLUSTER_ANSWER = /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN|TRYAGAIN)\b/;

/** The errors of a script with a command that its user may not run, which may be INFO. */
const SCRIPT_DENIED = /ACL failure in script|can't run this command/;

/** The identity of a server that does not report one. */
export const UNIDENTIFIED_SERVER = 'unnamed';
/** The identity of a cluster as a whole: scripts find out which node they run on. */
const CLUSTER = 'cluster';

/** A Lua script and its SHA-1 digest, by which Redis runs a known script. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export const script = (text: string): Script => ({ text, sha: digestOf(text) });

/**
 * The connection to Redis, or to each node of a Redis Cluster. It reconnects in the background without limit. Meanwhile
 * commands fail at once. A command without a response within 200 ms fails, too. No command is sent twice, except to the
 * node that another one names.
 */
@Injectable()
export class RedisLink implements OnApplicationShutdown {
  /** Whether keys are divided into the groups of `key-groups.ts`, and a script may only use keys of one group. */
  readonly isCluster: boolean;
  /** Whether another server may take over, so that scripts must find out themselves which one they run on. */
  readonly mayFailOver: boolean;
  private readonly logger = new Logger('Redis');
  private readonly redis: Redis | Cluster;
  private readonly sentinels?: Sentinels;
  private lastLogAt = -Infinity;
  /** Distinguishes the server of this connection from others; undefined until it has answered INFO. */
  private identity?: string;
  private connectedAt = -Infinity;
  /** When each group of keys of a cluster, or the one Redis, last answered: nodes stall independently. */
  private readonly answeredAt = new Map<string, number>();
  /** The connection is abandoned and not closed yet. */
  private reconnecting = false;
  /** Whether the last message reported it as unavailable. */
  private away = false;
  /** Why a server that answers is not used. */
  private refusal?: string;
  private closed = false;
  private readonly timeouts = new AnswerTimeouts(COMMAND_TIMEOUT_MS);

  /** `observe` receives the duration of each script in seconds, or undefined for a failed one. */
  constructor(
    { redisUrl }: Pick<Config, 'redisUrl'>,
    private readonly observe?: (seconds: number | undefined) => void,
  ) {
    if (!redisUrl) throw new Error('REDIS_URL is not set');
    const place = parseRedisUrl(redisUrl);
    this.isCluster = place.kind === 'cluster';
    this.mayFailOver = place.kind !== 'single';
    this.redis = clientFor(place);
    this.redis.on('error', (error: Error) => this.logError(error));
    this.redis.on('node error', (error: Error) => this.logError(error));
    this.redis.on('close', () => {
      this.identity = undefined;
      this.reconnecting = false;
      this.tellAway();
    });
    this.redis.on('ready', () => {
      this.reconnecting = false;
      this.connectNodes();
      this.identifyInBackground();
    });
    if (place.kind === 'sentinel') {
      this.sentinels = new Sentinels(place, (primary) => this.moveTo(primary));
      setTimeout(() => this.ready || this.tellAway(), CONNECT_TIMEOUT_MS).unref();
    } else this.redis.connect().catch(() => undefined);
    // later than the command for which a node was added: ioredis sends none to a node that is just connecting
    if (this.isCluster) this.redis.on('+node', () => setImmediate(() => this.connectNodes()));
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
    if (this.identity === undefined || this.redis.status !== 'ready') return false;
    return this.redis instanceof Redis || this.redis.nodes('master').every(({ status }) => status === 'ready');
  }

  /** Whether Redis is in use, or why not: `cluster` is a node of a Redis Cluster that is not named as one. */
  get state(): 'ok' | 'away' | 'cluster' {
    if (this.ready) return 'ok';
    return this.refusal === REDIS_CLUSTER ? 'cluster' : 'away';
  }

  /** The message for operators while it is not in use. */
  get trouble(): string | undefined {
    if (this.ready) return undefined;
    const reason = this.refusal ?? this.sentinels?.trouble;
    return reason ? `${reason}. Meanwhile ${WITHOUT_REDIS}` : WITHOUT_REDIS;
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

  /**
   * Whether the sentinels still name the server with this identity as the primary; true without sentinels. A server
   * that was replaced accepts writes until it hears of it.
   */
  async isPrimary(server: string | undefined): Promise<boolean> {
    if (!this.sentinels) return true;
    await this.sentinels.confirm();
    return this.serverIdentity === server;
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
    const group = this.isCluster ? keys[0].slice(0, keys[0].indexOf('}')) : '';
    try {
      this.coalesce();
      const answer = await this.timeouts.race(this.redis.evalsha(code.sha, keys.length, ...keys, ...values));
      this.answeredAt.set(group, performance.now());
      return answer;
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (!this.isCluster && CLUSTER_ANSWER.test(message)) this.refuse(REDIS_CLUSTER);
      if (this.mayFailOver && SCRIPT_DENIED.test(message)) this.identifyInBackground();
      // NOSCRIPT: the script has not run. It is not sent to another server that replaced this one meanwhile.
      if (message.startsWith('NOSCRIPT') && this.serverIdentity === server) {
        return await this.timeouts.race(this.redis.eval(code.text, keys.length, ...keys, ...values));
      }
      // ioredis's socketTimeout does not work here: its timer outlives the connection and ends the next one.
      const lastAnswerAt = Math.max(this.connectedAt, this.answeredAt.get(group) ?? -Infinity);
      if (this.serverIdentity === server && performance.now() - lastAnswerAt > STALLED_MS) this.reconnect();
      throw error;
    }
  }

  private coalesce(): void {
    if (this.redis instanceof Redis) return coalesceWrites(this.redis.stream);
    for (const { stream } of this.redis.nodes('master')) coalesceWrites(stream);
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
    this.logger.warn(`is not available: ${this.trouble}`);
  }

  /** Nothing is sent while it is connected to this server, because answers could not be trusted. */
  private refuse(refusal: string): void {
    this.identity = undefined;
    if (this.mayFailOver)
      setTimeout(() => this.redis.status === 'ready' && this.identifyInBackground(), RETRY_MS).unref();
    if (this.refusal === refusal) return;
    this.refusal = refusal;
    this.away = true;
    this.logger.warn(`${refusal}. Meanwhile ${WITHOUT_REDIS}`);
  }

  private tellBack(): void {
    if (this.away) this.logger.warn('answers again: rate limits are counted across all replicas');
    this.away = false;
  }

  /** Closes the connection; unanswered commands fail. */
  close(): void {
    this.closed = true;
    this.sentinels?.close();
    this.redis.disconnect();
  }

  private reconnect(): void {
    if (this.reconnecting) return;
    this.reconnecting = true;
    this.redis.disconnect(true);
  }

  /** Connects to the primary that the sentinels name, for the first time or instead of another. */
  private moveTo(primary: Address): void {
    const { redis } = this;
    if (!(redis instanceof Redis) || this.closed) return;
    if (redis.status !== 'wait')
      this.logger.warn(`the sentinels name another server as the primary: ${primary.host}:${primary.port}`);
    this.identity = undefined;
    // the next connection of the client goes there
    Object.assign(redis.options, primary);
    if (redis.status === 'wait') redis.connect().catch(() => undefined);
    else if (!['close', 'reconnecting'].includes(redis.status)) this.reconnect();
  }

  /** Connects to the new nodes of a cluster before the first command to them. */
  private connectNodes(): void {
    if (this.redis instanceof Redis || this.redis.status !== 'ready') return;
    for (const node of this.redis.nodes()) if (node.status === 'wait') node.connect().catch(() => undefined);
  }

  private identifyInBackground(): void {
    inBackground(this.identify(), 'identifying Redis');
  }

  private async identify(): Promise<void> {
    try {
      const servers = this.redis instanceof Redis ? [this.redis] : this.redis.nodes('master');
      const text = await this.timeouts.race(Promise.any(servers.map((server) => server.info())));
      const lines = text.split('\r\n');
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? '';
      this.connectedAt = performance.now();
      if (!this.isCluster && field('cluster_enabled') === '1') return this.refuse(REDIS_CLUSTER);
      // The sentinels have named it before its promotion, or it was replaced since.
      if (this.sentinels && field('role') !== 'master') return this.reconnectLater();
      const server = digestOf(`${field('run_id')}.${field('master_replid')}`).slice(0, 10);
      this.accept(this.isCluster ? CLUSTER : server);
    } catch (failure) {
      const error: unknown = failure instanceof AggregateError ? failure.errors[0] : failure;
      const isForbidden = error instanceof Error && /^(NOPERM|ERR)/.test(error.message);
      if (!isForbidden) return this.reconnect();
      if (this.mayFailOver) return this.refuse(NO_INFO);
      this.accept(UNIDENTIFIED_SERVER);
      this.logger.warn('this user may not run INFO, so Marquee cannot detect a restart from a snapshot');
    }
  }

  private accept(identity: string): void {
    this.identity = identity;
    this.refusal = undefined;
    this.tellBack();
  }

  private reconnectLater(): void {
    setTimeout(() => this.reconnect(), MAX_FAILOVER_DELAY_MS).unref();
  }

  private logError(error: Error): void {
    if (error.message.includes('cluster support disabled')) return this.refuse(NO_CLUSTER);
    if (performance.now() - this.lastLogAt < LOG_EVERY_MS) return;
    this.lastLogAt = performance.now();
    this.logger.warn(error.message || String(error));
  }
}

/** The client of one Redis or of a cluster; for sentinels it connects once they have named the primary. */
function clientFor(place: RedisPlace): Redis | Cluster {
  if (place.kind === 'cluster') return clusterFor(place);
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
  if (place.kind === 'sentinel') {
    const { username, password, db, tls } = place;
    const disconnectTimeout = DISCONNECT_TIMEOUT_MS;
    const login = { username, password, db, ...tlsOptions(tls) };
    return new Redis({ ...options, ...login, disconnectTimeout, retryStrategy: failoverDelay });
  }
  const socket = place.url.startsWith('unix:') ? new URL(place.url).pathname : undefined;
  return socket ? new Redis(socket, options) : new Redis(place.url, options);
}

function clusterFor({ nodes, username, password, tls }: ClusterRedis): Cluster {
  const options: ClusterOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: failoverDelay,
    maxRedirections: MAX_REDIRECTIONS,
    // Zero: a command that may have run is not repeated. The caller decides.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // A certificate is for the name, which a look-up would replace by an address.
    ...(tls && { dnsLookup: (name, done) => done(null, name) }),
    redisOptions: {
      username,
      password,
      ...tlsOptions(tls),
      connectTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
    },
  };
  return new Cluster(nodes, options);
}

const failoverDelay = (attempt: number): number => Math.min(10 * 2 ** Math.min(attempt, 10), MAX_FAILOVER_DELAY_MS);

const spanOfScript = (): SpanOf => ({
  name: 'EVALSHA',
  kind: 'CLIENT',
  attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' },
});

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
