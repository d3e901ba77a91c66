import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { parseRedisUrl } from './redis-url.js';
import { type Environment, EnvironmentReader, tracesExporterOf } from './environment.js';
import { RATE_LIMIT_MODES, readQuotas, readStorageQuotas } from './quotas.js';
import type { Quota, QuotaName, RateLimitMode, StorageQuotaName } from './quotas.js';
import { readS3, type S3Settings } from './s3-settings.js';

export type { S3Settings };

export const MODES = ['production', 'development', 'test'] as const;
export const DATABASE_DRIVERS = ['fast', 'plain'] as const;
export const PROCESS_ROLES = ['both', 'api', 'worker'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
export const BLOB_STORES = ['disk', 's3'] as const;
export const EMBEDDED_STORES = ['refuse', 'allow'] as const;
/** Vocabularies of paths, parameters, fields and words: that of this service, and that of X's documentation. */
export const VOCABULARIES = ['marquee', 'x'] as const;
/** Pauses between delivery attempts of an event to a webhook, in seconds. */
export const WEBHOOK_RETRY_SECONDS = [10, 60, 300, 1_800, 7_200, 18_000, 36_000] as const;
export const AUDIENCE_MATCHINGS = ['directory', 'all'] as const;
export const DELIVERIES = ['off', 'simulated'] as const;
export const AUDIENCE_PRIVACIES = ['protected', 'exact'] as const;
/** A smaller AUDIENCE_MINIMUM_SIZE does not protect individuals (docs/decisions/0026). */
const MIN_PROTECTED_AUDIENCE_SIZE = 100;

/** All settings from the environment, read once at startup and frozen. Injected under this class. */
export class Config {
  mode: (typeof MODES)[number];
  production: boolean;
  port: number;
  host: string;
  dataDir: string;
  /** The PostgreSQL server, or several of which one is the primary; without it the embedded store in `dataDir` is used. */
  databaseUrl?: string;
  /**
   * The same database without the pooler in transaction mode that `databaseUrl` leads to, for what needs a session; absent
   * without such a pooler.
   */
  databaseDirectUrl?: string;
  /** Standbys of that server, which serve reads that do not need the primary. */
  databaseReplicaUrls: readonly string[];
  /** A standby that lags more than this serves no reads, in milliseconds. */
  databaseReplicaMaxLagMs: number;
  /** How long startup waits for a database that does not respond, in milliseconds; commands do not wait. */
  databaseWaitMs: number;
  /** Whether the embedded store may be used without a `databaseUrl`. */
  embeddedStore: (typeof EMBEDDED_STORES)[number];
  /** Whether statements on a server use pg's documented interface (`plain`) or also its internals, which is faster. */
  databaseDriver: (typeof DATABASE_DRIVERS)[number];
  /** Connections to PostgreSQL, including those that requests share (`databasePipelinedConnections`). */
  databasePool: number;
  /** For the fast driver; with the plain one all connections are in the pool. */
  databasePipelinedConnections: number;
  /** One Redis, or the sentinels of one, or nodes of a Redis Cluster. */
  redisUrl?: string;
  redisPrefix: string;
  baseUrl: URL;
  adsBaseUrl: URL;
  adsSandboxBaseUrl: URL;
  /** Addresses and networks whose `X-Forwarded-*` is trusted. */
  trustProxy: string[];
  /** Peers that may read `/metrics`, besides loopback. */
  metricsAllow: string[];
  /** 32 bytes that encrypt stored secrets; when absent, generated into `dataDir` (never in production). */
  masterKey?: Buffer;
  /** Earlier master keys, which can still decrypt what they encrypted. */
  previousMasterKeys: Buffer[];
  /** Where files are stored if not in `dataDir`. */
  s3?: S3Settings;
  /** The program that extracts the first frame of a video; without it videos have a neutral poster. */
  ffmpeg?: string;
  rateLimits: RateLimitMode;
  quotas: Record<QuotaName, Quota>;
  /** Maximum number of bytes of all buffered request bodies together. */
  bodyMemory: number;
  /**
   * Maximum number of concurrent requests, counted once their bodies have arrived; further ones are rejected with 503
   * at once.
   */
  maxConcurrentRequests: number;
  /**
   * Maximum numbers of arriving bodies: in total (then 503), from one address, and of uploads of one user (then 429).
   */
  pendingBodies: { total: number; perAddress: number; perUser: number };
  /** Maximum number of connections beside those of trusted proxies; further ones are closed at once. */
  maxConnections: number;
  /** Maximum number of connections from one address. */
  maxConnectionsPerAddress: number;
  /**
   * What this process does: answer requests, run jobs, or both. A worker answers too, but should receive no traffic.
   */
  role: (typeof PROCESS_ROLES)[number];
  logLevel: (typeof LOG_LEVELS)[number];
  /** `auto`: readable lines on a terminal, JSON elsewhere. */
  logFormat: (typeof LOG_FORMATS)[number];
  /** The exporter of spans; absent when none are recorded. OpenTelemetry reads all else from its own variables. */
  tracesExporter?: string;
  /** The vocabulary of requests that choose none with `x-marquee-names`, and of webhooks. */
  names: (typeof VOCABULARIES)[number];
  /**
   * The date whose behavior of X requests get that choose none with `x-marquee-as-of`, and of delivery; absent for that of
   * the specification.
   */
  asOf?: string;
  /** Whether `/docs` is served. */
  docs: boolean;
  /** Whether `/workbench` is served, and requests are recorded for it. */
  workbench: boolean;
  /** The time at which the clock of the service starts; absent for the real time. */
  clockStartsAt?: Date;
  /** How long a stopping process keeps answering while the load balancer removes it. */
  shutdownDelayMs: number;
  /** Whether conversation cards require the features `CONVERSATION_CARD...`, as on the public service. */
  conversationCardFeatures: boolean;
  /** Who counts for the size of an audience: active users of the directory, or everybody, as always in the sandbox. */
  audienceMatching: (typeof AUDIENCE_MATCHINGS)[number];
  /** Whether numbers of people are reported exactly, or so that they reveal nothing about individuals. */
  audiencePrivacy: (typeof AUDIENCE_PRIVACIES)[number];
  /** Minimum number of people for an audience to be targeted and for its size to be reported. */
  audienceMinimumSize: number;
  /** The factor of audience estimates, applied to the number of users. */
  audiencePopulationScale: number;
  /** Whether line items of sandbox accounts are served as formulas say. */
  delivery: (typeof DELIVERIES)[number];
  /** What the simulated figures depend on besides the line items. */
  deliverySeed: string;
  /** Storage limit of a user or an account for each kind, in bytes or rows; 0 for unlimited. */
  storageQuotas: Readonly<Record<StorageQuotaName, number>>;
  /** Pauses between delivery attempts of an event to a webhook, in seconds; after the last one the delivery fails. */
  webhookRetrySeconds: readonly number[];
  /** How long the change history of accounts is kept, in days; 0 for ever. */
  accountHistoryDays: number;
  /** How long conversions are kept, in days. */
  conversionDays: number;
  /** Whether startup fills an empty store with the demo world. */
  demo: boolean;
}

/** The environment prevents the start; the message names every mistake, several on separate lines. */
export class ConfigError extends Error {
  constructor(readonly mistakes: string[]) {
    const listed = mistakes.length === 1 ? ` ${mistakes[0]}` : mistakes.map((mistake) => `\n  - ${mistake}`).join('');
    super(`The configuration is not usable:${listed}`);
  }
}

/** Webhook deliveries are kept for 30 days, and read their events from the history. */
const MIN_HISTORY_DAYS = 35;

/** Maximum pause before another delivery attempt, whoever requests it. */
export const MAX_RETRY_SECONDS = 36_000;

/** Reads and validates the whole environment; throws one ConfigError that names every mistake. */
export function readConfig(env: Environment = process.env, read = new EnvironmentReader(env)): Config {
  const addresses = readAddresses(read);
  const mode = readMode(read);
  const config: Config = {
    ...addresses,
    ...mode,
    ...readStore(read, mode),
    ...readNetwork(read),
    ...readSecrets(read),
    ...readFiles(read),
    ...readLimits(read, mode),
    ...readOperation(read, mode),
    ...readAudiences(read, mode),
    webhookRetrySeconds: readRetries(read),
    accountHistoryDays: readHistoryDays(read),
    conversionDays: read.int('CONVERSION_DAYS', 120, 1, 36_500),
  };
  refuseContradictions(config, read);
  if (config.production) refuseInProduction(config, read);
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes);
  return Object.freeze(Object.assign(new Config(), config));
}

/** Settings that the defaults of others depend on. */
function readMode(read: EnvironmentReader) {
  const mode = read.oneOf('NODE_ENV', MODES, 'development');
  const production = mode === 'production';
  const databaseUrl = read.databaseUrl('DATABASE_URL');
  return { mode, production, databaseUrl, demo: read.flag('DEMO', !databaseUrl && !production) };
}
type Mode = ReturnType<typeof readMode>;

function readAddresses(read: EnvironmentReader) {
  const port = read.int('PORT', 3000, 0, 65535);
  const baseUrl = read.url('BASE_URL', `http://localhost:${port}`);
  const adsBaseUrl = read.url('ADS_BASE_URL', baseUrl.href);
  const adsSandboxBaseUrl = read.url('ADS_SANDBOX_BASE_URL', `${withoutSlash(adsBaseUrl)}/sandbox`);
  if (withoutSlash(adsBaseUrl) === withoutSlash(adsSandboxBaseUrl)) {
    read.refuse(
      'ADS_SANDBOX_BASE_URL',
      'must differ from ADS_BASE_URL, because the URL distinguishes the sandbox from production',
    );
  }
  return { port, baseUrl, adsBaseUrl, adsSandboxBaseUrl };
}

const readStore = (read: EnvironmentReader, { production }: Mode) => ({
  dataDir: resolve(read.text('DATA_DIR') ?? './data'),
  databaseDirectUrl: read.databaseUrl('DATABASE_DIRECT_URL'),
  databaseReplicaUrls: read.databaseUrls('DATABASE_REPLICA_URLS'),
  databaseReplicaMaxLagMs: read.int('DATABASE_REPLICA_MAX_LAG', 5, 1, 30) * 1_000,
  databaseWaitMs: read.int('DATABASE_WAIT_SECONDS', 30, 0, 600) * 1_000,
  embeddedStore: read.oneOf('EMBEDDED_STORE', EMBEDDED_STORES, production ? 'refuse' : 'allow'),
  databaseDriver: read.oneOf('DATABASE_DRIVER', DATABASE_DRIVERS, 'fast'),
  databasePool: read.int('DATABASE_POOL', 10, 2, 500),
  databasePipelinedConnections: read.int('DATABASE_PIPELINED_CONNECTIONS', 4, 0, 100),
  redisUrl: read.redisUrl('REDIS_URL'),
  redisPrefix: read.text('REDIS_PREFIX') ?? 'marquee:',
});

const readNetwork = (read: EnvironmentReader) => ({
  host: read.text('HOST') ?? '127.0.0.1',
  trustProxy: read.networks('TRUST_PROXY'),
  metricsAllow: read.networks('METRICS_ALLOW'),
});

function readSecrets(read: EnvironmentReader) {
  const masterKey = read.text('MASTER_KEY');
  const previous = read.list('PREVIOUS_MASTER_KEYS').filter(Boolean);
  return {
    masterKey: masterKey === undefined ? undefined : read.key('MASTER_KEY', masterKey),
    previousMasterKeys: previous.flatMap((each) => read.key('PREVIOUS_MASTER_KEYS', each) ?? []),
  };
}

const readFiles = (read: EnvironmentReader) => ({
  ...(read.oneOf('BLOB_STORE', BLOB_STORES, 'disk') === 's3' && { s3: readS3(read) }),
  ffmpeg: read.program('FFMPEG', 'ffmpeg'),
});

function readLimits(read: EnvironmentReader, { production }: Mode) {
  const rateLimits = read.oneOf('RATE_LIMITS', RATE_LIMIT_MODES, production ? 'faithful' : 'relaxed');
  return {
    rateLimits,
    quotas: readQuotas(read, rateLimits),
    maxConcurrentRequests: read.int('MAX_CONCURRENT_REQUESTS', 500, 10, 100_000),
    pendingBodies: {
      total: read.int('MAX_PENDING_BODIES', 1_000, 10, 100_000),
      perAddress: read.int('MAX_PENDING_BODIES_PER_ADDRESS', 100, 1, 100_000),
      perUser: read.int('MAX_PENDING_UPLOADS_PER_USER', 16, 1, 100_000),
    },
    maxConnections: read.int('MAX_CONNECTIONS', 10_000, 10, 1_000_000),
    maxConnectionsPerAddress: read.int('MAX_CONNECTIONS_PER_ADDRESS', 1_000, 1, 1_000_000),
    bodyMemory: read.int('BODY_MEMORY_MIB', 64, 8, 65_536) * 1024 * 1024,
    storageQuotas: readStorageQuotas(read),
  };
}

const readOperation = (read: EnvironmentReader, { mode, production }: Mode) => ({
  role: read.oneOf('ROLE', PROCESS_ROLES, 'both'),
  logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, mode === 'test' ? 'silent' : 'info'),
  logFormat: read.oneOf('LOG_FORMAT', LOG_FORMATS, 'auto'),
  tracesExporter: readTracesExporter(read),
  names: read.oneOf('NAMES', VOCABULARIES, 'marquee'),
  asOf: read.date('AS_OF'),
  docs: read.flag('DOCS', true),
  workbench: read.flag('WORKBENCH', !production),
  clockStartsAt: read.time('CLOCK_STARTS_AT'),
  shutdownDelayMs: read.int('SHUTDOWN_DELAY_MS', production ? 5_000 : 0, 0, 20_000),
});

function readTracesExporter(read: EnvironmentReader): string | undefined {
  const { env } = read;
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
    // gRPC takes a host and a port, too
    const isUrl = !/^grpc$/i.test(env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? '');
    if (env[name] && isUrl) read.url(name, 'http://localhost');
  }
  return tracesExporterOf(env);
}

const readAudiences = (read: EnvironmentReader, { production, demo }: Mode) => ({
  conversationCardFeatures: read.flag('CONVERSATION_CARD_FEATURES', false),
  audienceMatching: read.oneOf('AUDIENCE_MATCHING', AUDIENCE_MATCHINGS, production ? 'directory' : 'all'),
  audiencePrivacy: read.oneOf('AUDIENCE_PRIVACY', AUDIENCE_PRIVACIES, production ? 'protected' : 'exact'),
  audienceMinimumSize: read.int('AUDIENCE_MINIMUM_SIZE', 100, 1, 1_000_000),
  delivery: read.oneOf('DELIVERY', DELIVERIES, 'off'),
  deliverySeed: read.text('DELIVERY_SEED') ?? 'marquee',
  audiencePopulationScale: read.int('AUDIENCE_POPULATION_SCALE', demo ? 10_000 : 1, 1, 1_000_000),
});

function readRetries(read: EnvironmentReader): readonly number[] {
  const given = read.list('WEBHOOK_RETRY_SECONDS');
  if (given.length === 0) return WEBHOOK_RETRY_SECONDS;
  if (given.length > 20 || given.some((each) => !/^\d{1,5}$/.test(each) || Number(each) > MAX_RETRY_SECONDS))
    read.refuse(
      'WEBHOOK_RETRY_SECONDS',
      `must be at most 20 whole numbers from 0 to ${MAX_RETRY_SECONDS}, separated by commas`,
    );
  return given.map(Number);
}

function readHistoryDays(read: EnvironmentReader): number {
  const days = read.int('ACCOUNT_HISTORY_DAYS', 0, 0, 36_500);
  if (days > 0 && days < MIN_HISTORY_DAYS) {
    read.refuse(
      'ACCOUNT_HISTORY_DAYS',
      `must be at least ${MIN_HISTORY_DAYS}, because webhook deliveries read their events from the history, or 0 to keep it for ever, not ${days}`,
    );
  }
  return days;
}

function refuseContradictions(config: Config, read: EnvironmentReader): void {
  const { databaseUrl, databasePool, audienceMinimumSize } = config;
  if (config.databasePipelinedConnections >= databasePool) {
    read.refuse(
      'DATABASE_PIPELINED_CONNECTIONS',
      `must be below DATABASE_POOL (${databasePool}), to leave connections for transactions`,
    );
  }
  if (config.databaseDirectUrl && !databaseUrl && !read.isRefused('DATABASE_URL')) {
    read.refuse('DATABASE_DIRECT_URL', 'requires DATABASE_URL, the URL of the pooler; without a pooler, set only that');
  }
  if (config.databaseReplicaUrls.length > 0 && !databaseUrl && !read.isRefused('DATABASE_URL')) {
    read.refuse('DATABASE_REPLICA_URLS', 'requires DATABASE_URL, the primary whose standbys it lists');
  }
  if (config.role === 'api' && !databaseUrl) {
    read.refuse('ROLE', 'api requires DATABASE_URL, because no other process can run the jobs of an embedded store');
  }
  const isCluster = config.redisUrl !== undefined && parseRedisUrl(config.redisUrl).kind === 'cluster';
  if (config.databaseReplicaUrls.length > 0 && isCluster)
    read.refuse(
      'DATABASE_REPLICA_URLS',
      'does not work with a Redis Cluster, where the last write of an account is on another node than the nonce; use redis:// or redis+sentinel:// in REDIS_URL',
    );
  if (/[{}]/.test(config.redisPrefix) && isCluster)
    read.refuse(
      'REDIS_PREFIX',
      'must not contain braces with a Redis Cluster, because they determine the slot of a key',
    );
  // An invalid value is not reported as missing, too.
  if (!databaseUrl && !read.isRefused('DATABASE_URL') && config.embeddedStore === 'refuse') {
    const meant = Object.keys(read.env).find(
      (name) => name !== 'DATABASE_URL' && /^postgres(ql)?:\/\//.test(read.env[name] ?? ''),
    );
    read.refuse(
      'DATABASE_URL',
      `is not set${meant ? `, but ${meant} holds such a URL` : ''}; correct its name, or set EMBEDDED_STORE=allow to use the embedded store`,
    );
  }
  if (config.audiencePrivacy === 'protected' && audienceMinimumSize < MIN_PROTECTED_AUDIENCE_SIZE) {
    read.refuse(
      'AUDIENCE_MINIMUM_SIZE',
      `must be at least ${MIN_PROTECTED_AUDIENCE_SIZE} with AUDIENCE_PRIVACY=protected, not ${audienceMinimumSize}`,
    );
  }
}

function refuseInProduction(config: Config, read: EnvironmentReader): void {
  const { masterKey, baseUrl, adsBaseUrl, adsSandboxBaseUrl } = config;
  if (config.audiencePrivacy === 'exact')
    read.refuse(
      'AUDIENCE_PRIVACY',
      'exact reveals who is a user of the platform, and is not allowed in production mode',
    );
  if (masterKey === undefined && !read.isRefused('MASTER_KEY'))
    read.refuse('MASTER_KEY', 'is required in production mode (32 bytes, base64), or MASTER_KEY_FILE');
  // A leaked key or one from an example may remain a previous key, so that it can be rotated.
  if (masterKey?.every((byte, _, [first]) => byte === first))
    read.refuse(
      'MASTER_KEY',
      'consists of 32 equal bytes, like an example key; generate a key with `openssl rand -base64 32`',
    );
  if (config.clockStartsAt) read.refuse('CLOCK_STARTS_AT', 'is for tests, and is not allowed in production mode');
  if (config.demo) read.refuse('DEMO', 'stores publicly known secrets, and is not allowed in production mode');
  const urls = { BASE_URL: baseUrl, ADS_BASE_URL: adsBaseUrl, ADS_SANDBOX_BASE_URL: adsSandboxBaseUrl };
  for (const [name, value] of Object.entries(urls)) {
    // those that are absent follow from the others
    const given = name === 'BASE_URL' || read.env[name] || read.env[`${name}_FILE`];
    if (given && value.protocol === 'http:' && !isLoopbackHost(value.hostname)) {
      read.refuse(name, 'must be https in production mode, unless it is on loopback');
    }
  }
}

/** The same for a worker process. Throws a ConfigError without a server, since an embedded store has one process. */
export function readWorkerConfig(env: Environment = process.env): Config {
  const config = readConfig({ ...env, ROLE: 'worker' });
  if (config.databaseUrl) return config;
  throw new ConfigError([
    'DATABASE_URL: a worker requires it; with the embedded store, the service itself runs the jobs',
  ]);
}

/** A URL's text without the trailing slash of a bare origin. */
export const withoutSlash = ({ href }: URL): string => href.replace(/(?<!\/)\/+$/, '');

/** Whether a host name is that of this machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  ['localhost', '[::1]', '::1'].includes(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
