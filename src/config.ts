import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';

export const MODES = ['production', 'development', 'test'] as const;
export const RATE_LIMIT_MODES = ['faithful', 'relaxed', 'off'] as const;
export const DATABASE_DRIVERS = ['fast', 'plain'] as const;
export const ROLES = ['both', 'api', 'worker'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const BLOB_STORES = ['disk', 's3'] as const;
export const AUDIENCE_MATCHINGS = ['directory', 'all'] as const;

/** A bucket of S3 or of what speaks like it, and the key to it. */
export interface S3Settings {
  /** Absent: Amazon's own, of the region. */
  endpoint?: URL;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether the bucket stands in the path of URLs, not in the host name. */
  forcePathStyle: boolean;
  /** What every key begins with: nothing, or a text that ends in a slash. */
  prefix: string;
}

/** How many requests a window takes, and how long it lasts. */
export interface Quota {
  limit: number;
  seconds: number;
}

/**
 * The rows of the rate limit table as the public service has them. `RATE_LIMITS=relaxed` multiplies those that are not
 * marked fixed by 100; `RATE_LIMIT_<NAME>=<limit>/<seconds>` replaces a row whatever the mode.
 */
export const QUOTAS = {
  /** All POST, PUT and DELETE of a user token together. */
  WRITES: { limit: 450, seconds: 60 },
  /** Uploads of users to audiences and do-not-reach lists, per account; they do not count in WRITES. */
  AUDIENCE_USERS: { limit: 1_500, seconds: 60, fixed: true },
  /** Reads of campaigns, line items, promoted posts and targeting criteria, per account. */
  CORE_READS: { limit: 10_000, seconds: 900 },
  /** The other reads under an account, per account. */
  ACCOUNT_READS: { limit: 2_000, seconds: 900 },
  /** Reads without an account, per user token. */
  GLOBAL_READS: { limit: 300, seconds: 900 },
  /** Keyword insights, per user token. */
  KEYWORD_INSIGHTS: { limit: 500, seconds: 900 },
  /** Requests with `with_total_count`, per account, or per user token where there is none. */
  TOTAL_COUNT: { limit: 200, seconds: 900, fixed: true },
  /** The authentication endpoints, per application; per address where none proved who it is. */
  OAUTH: { limit: 180, seconds: 900 },
  /** Requests for a bearer token, which clients are to keep, per application. */
  BEARER_TOKEN: { limit: 15, seconds: 900 },
  /** The pages on which people sign in and approve applications, per address. */
  PAGES: { limit: 600, seconds: 900 },
  /** The pages that previews of posts show, of which a site may frame many, per address. */
  PREVIEWS: { limit: 6_000, seconds: 900 },
} satisfies Record<string, Quota & { fixed?: boolean }>;
export type QuotaName = keyof typeof QUOTAS;

/** Everything the environment decides, read once at start and frozen. Injected under this class. */
export class Config {
  mode: (typeof MODES)[number];
  production: boolean;
  port: number;
  host: string;
  dataDir: string;
  /** PostgreSQL to use; without it the embedded store in `dataDir` serves. */
  databaseUrl?: string;
  /** Whether statements on a server use what pg documents (`plain`), or also its inside, which is faster. */
  databaseDriver: (typeof DATABASE_DRIVERS)[number];
  /** Connections to PostgreSQL, those that requests share (`databasePipelinedConnections`) among them. */
  databasePool: number;
  /** Of the fast driver; the plain one has all its connections in the pool. */
  databasePipelinedConnections: number;
  redisUrl?: string;
  redisPrefix: string;
  baseUrl: URL;
  adsBaseUrl: URL;
  adsSandboxBaseUrl: URL;
  /** Addresses and networks whose `X-Forwarded-*` is believed. */
  trustProxy: string[];
  /** Who may read `/metrics` besides loopback. */
  metricsAllow: string[];
  /** 32 bytes under which secrets are stored; absent: generated into `dataDir` (never in production). */
  masterKey?: Buffer;
  /** Earlier master keys, still able to read what they sealed. */
  previousMasterKeys: Buffer[];
  /** Where files are kept when it is not `dataDir`. */
  s3?: S3Settings;
  /** The program that takes the first frame of a video; without it videos have a neutral poster. */
  ffmpeg?: string;
  rateLimits: (typeof RATE_LIMIT_MODES)[number];
  quotas: Record<QuotaName, Quota>;
  /** The most bytes that all request bodies together may take while they are held as a whole. */
  bodyMemory: number;
  /** How many requests are answered at a time; those beyond are refused with 503 at once. */
  maxConcurrentRequests: number;
  /** What this process does: answer requests, work on jobs, or both. A worker answers too, but is not meant to be asked. */
  role: (typeof ROLES)[number];
  logLevel: (typeof LOG_LEVELS)[number];
  /** How long a stopping process keeps answering while the balancer turns away from it. */
  shutdownDelayMs: number;
  /** Whether conversation cards take the features `CONVERSATION_CARD...`, as they do on the public service. */
  conversationCardFeatures: boolean;
  /** Who of an audience counts for its size: active users of the directory, or everybody, as always in the sandbox. */
  audienceMatching: (typeof AUDIENCE_MATCHINGS)[number];
  /** How many people an audience needs to be targeted, and for its size to be told (facts 6.5). */
  audienceMinimumSize: number;
  /** What estimates of audiences multiply the users they count with. */
  audiencePopulationScale: number;
  /** Whether an empty store is filled with the demo world at start. */
  demo: boolean;
}

/** A start that cannot succeed because of the environment; the message names every mistake, several in lines of their own. */
export class ConfigError extends Error {
  constructor(readonly mistakes: string[]) {
    const listed = mistakes.length === 1 ? ` ${mistakes[0]}` : mistakes.map((mistake) => `\n  - ${mistake}`).join('');
    super(`The configuration is not usable:${listed}`);
  }
}

type Environment = Record<string, string | undefined>;

/** Reads and checks the whole environment; throws one ConfigError that names everything that is wrong. */
export function readConfig(env: Environment = process.env): Config {
  const mistakes: string[] = [];
  const refuse = (name: string, problem: string) => void mistakes.push(`${name}: ${problem}`);

  /** A variable's text; for secrets also the content of the file that `<NAME>_FILE` names. Empty counts as absent. */
  const text = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    if (!file) return env[name]?.trim() || undefined;
    if (env[name]) refuse(name, `is set, and so is ${name}_FILE; keep one of them`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch {
      refuse(`${name}_FILE`, 'names a file that cannot be read');
      return undefined;
    }
  };
  const whole = (name: string, byDefault: number, least: number, most: number): number => {
    const given = text(name);
    if (given === undefined) return byDefault;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    refuse(name, `must be a whole number from ${least} to ${most}, not "${given}"`);
    return byDefault;
  };
  const oneOf = <T extends string>(name: string, allowed: readonly T[], byDefault: T): T => {
    const given = text(name);
    if (given === undefined) return byDefault;
    const value = allowed.find((each) => each === given);
    if (!value) refuse(name, `must be one of ${allowed.join(', ')}, not "${given}"`);
    return value ?? byDefault;
  };
  const flag = (name: string, byDefault: boolean): boolean =>
    oneOf(name, ['true', 'false', '1', '0'], byDefault ? 'true' : 'false').match(/^(true|1)$/) !== null;
  const url = (name: string, byDefault: string): URL => {
    const given = text(name) ?? byDefault;
    const value = URL.canParse(given) ? new URL(given) : undefined;
    if (value && /^https?:$/.test(value.protocol) && !value.search && !value.hash && !value.username) return value;
    refuse(name, 'must be an http or https URL without query, fragment or user');
    return new URL(byDefault);
  };
  const service = (name: string, protocols: string[]): string | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given;
    refuse(name, `must be a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    return undefined;
  };
  const networks = (name: string): string[] => {
    const given = (text(name) ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
    for (const each of given) {
      if (!isNetwork(each)) refuse(name, `"${each}" is neither an address nor a network such as 10.0.0.0/8`);
    }
    return given;
  };
  const key = (name: string, given: string): Buffer | undefined => {
    const value = /^[0-9a-f]{64}$/i.test(given) ? Buffer.from(given, 'hex') : Buffer.from(given, 'base64');
    if (value.length === 32) return value;
    refuse(name, 'must be 32 bytes, written in base64 or as 64 hexadecimal digits');
    return undefined;
  };

  const mode = oneOf('NODE_ENV', MODES, 'development');
  const production = mode === 'production';
  const port = whole('PORT', 3000, 0, 65535);
  const own = `http://localhost:${port}`;
  const baseUrl = url('BASE_URL', own);
  const adsBaseUrl = url('ADS_BASE_URL', baseUrl.href);
  const adsSandboxBaseUrl = url('ADS_SANDBOX_BASE_URL', `${withoutSlash(adsBaseUrl)}/sandbox`);
  if (sameBase(adsBaseUrl, adsSandboxBaseUrl)) {
    refuse('ADS_SANDBOX_BASE_URL', 'must differ from ADS_BASE_URL, or nobody could tell the sandbox from production');
  }
  const databaseUrl = service('DATABASE_URL', ['postgres:', 'postgresql:']);
  const demo = flag('DEMO', !databaseUrl && !production);
  const masterText = text('MASTER_KEY');
  const previous = (text('PREVIOUS_MASTER_KEYS') ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const rateLimits = oneOf('RATE_LIMITS', RATE_LIMIT_MODES, production ? 'faithful' : 'relaxed');

  const s3 = (): S3Settings => {
    const needed = (name: string): string => {
      const given = text(name);
      if (given === undefined) refuse(name, 'is required with BLOB_STORE=s3');
      return given ?? '';
    };
    const endpoint = text('S3_ENDPOINT') === undefined ? undefined : url('S3_ENDPOINT', 'http://localhost');
    const prefix = text('S3_PREFIX') ?? '';
    if (!/^(?!\/)(?!.*\/\/)[\w./-]*$/.test(prefix))
      refuse('S3_PREFIX', 'must be letters, digits and . _ - between slashes');
    return {
      endpoint,
      region: text('S3_REGION') ?? 'us-east-1',
      bucket: needed('S3_BUCKET'),
      accessKeyId: needed('S3_ACCESS_KEY_ID'),
      secretAccessKey: needed('S3_SECRET_ACCESS_KEY'),
      forcePathStyle: flag('S3_FORCE_PATH_STYLE', endpoint !== undefined),
      prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    };
  };

  const ffmpeg = (): string | undefined => {
    const given = text('FFMPEG') ?? 'ffmpeg';
    if (given === 'none') return undefined;
    const places = given.includes('/')
      ? [resolve(given)]
      : (env.PATH ?? '').split(delimiter).map((folder) => join(folder, given));
    const found = places.find((place) => existsSync(place));
    if (!found && text('FFMPEG') !== undefined) refuse('FFMPEG', `names a program that is not there: "${given}"`);
    return found;
  };

  const config: Config = {
    mode,
    production,
    port,
    host: text('HOST') ?? '127.0.0.1',
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    databaseUrl,
    databaseDriver: oneOf('DATABASE_DRIVER', DATABASE_DRIVERS, 'fast'),
    databasePool: whole('DATABASE_POOL', 10, 2, 500),
    databasePipelinedConnections: whole('DATABASE_PIPELINED_CONNECTIONS', 4, 0, 100),
    redisUrl: service('REDIS_URL', ['redis:', 'rediss:', 'unix:']),
    redisPrefix: text('REDIS_PREFIX') ?? 'marquee:',
    baseUrl,
    adsBaseUrl,
    adsSandboxBaseUrl,
    trustProxy: networks('TRUST_PROXY'),
    metricsAllow: networks('METRICS_ALLOW'),
    masterKey: masterText === undefined ? undefined : key('MASTER_KEY', masterText),
    previousMasterKeys: previous.flatMap((each) => key('PREVIOUS_MASTER_KEYS', each) ?? []),
    ...(oneOf('BLOB_STORE', BLOB_STORES, 'disk') === 's3' && { s3: s3() }),
    ffmpeg: ffmpeg(),
    rateLimits,
    quotas: quotasOf(rateLimits, text, refuse),
    maxConcurrentRequests: whole('MAX_CONCURRENT_REQUESTS', 500, 10, 100_000),
    bodyMemory: whole('BODY_MEMORY_MIB', 64, 8, 65_536) * 1024 * 1024,
    role: oneOf('ROLE', ROLES, 'both'),
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS, mode === 'test' ? 'silent' : 'info'),
    shutdownDelayMs: whole('SHUTDOWN_DELAY_MS', production ? 5_000 : 0, 0, 20_000),
    conversationCardFeatures: flag('CONVERSATION_CARD_FEATURES', false),
    audienceMatching: oneOf('AUDIENCE_MATCHING', AUDIENCE_MATCHINGS, production ? 'directory' : 'all'),
    audienceMinimumSize: whole('AUDIENCE_MINIMUM_SIZE', 100, 1, 1_000_000),
    audiencePopulationScale: whole('AUDIENCE_POPULATION_SCALE', demo ? 10_000 : 1, 1, 1_000_000),
    demo,
  };

  if (config.databasePipelinedConnections >= config.databasePool) {
    refuse(
      'DATABASE_PIPELINED_CONNECTIONS',
      `must be below DATABASE_POOL (${config.databasePool}), which keeps room for transactions`,
    );
  }
  if (config.role === 'api' && !databaseUrl) {
    refuse('ROLE', 'api needs DATABASE_URL: no other process could work on the jobs of an embedded store');
  }
  if (production) {
    if (masterText === undefined)
      refuse('MASTER_KEY', 'is required in production mode (32 bytes, base64), or MASTER_KEY_FILE');
    if (config.demo) refuse('DEMO', 'puts secrets that everybody can read into the store; not in production mode');
    for (const [name, value] of Object.entries({
      BASE_URL: baseUrl,
      ADS_BASE_URL: adsBaseUrl,
      ADS_SANDBOX_BASE_URL: adsSandboxBaseUrl,
    })) {
      if (value.protocol === 'http:' && !isLoopbackHost(value.hostname)) {
        refuse(name, 'must be https in production mode, unless it is on loopback');
      }
    }
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze(Object.assign(new Config(), config));
}

/** Every variable's present value as `config print` shows it: secrets are said to be set, never shown. */
export function describeConfig(config: Config): Record<string, unknown> {
  const hidden = (url?: string) => {
    if (!url) return null;
    const shown = new URL(url);
    if (shown.password) shown.password = '***';
    return shown.href;
  };
  return {
    NODE_ENV: config.mode,
    PORT: config.port,
    HOST: config.host,
    DATA_DIR: config.dataDir,
    DATABASE_URL: hidden(config.databaseUrl),
    DATABASE_DRIVER: config.databaseDriver,
    DATABASE_POOL: config.databasePool,
    DATABASE_PIPELINED_CONNECTIONS: config.databasePipelinedConnections,
    REDIS_URL: hidden(config.redisUrl),
    REDIS_PREFIX: config.redisPrefix,
    BASE_URL: withoutSlash(config.baseUrl),
    ADS_BASE_URL: withoutSlash(config.adsBaseUrl),
    ADS_SANDBOX_BASE_URL: withoutSlash(config.adsSandboxBaseUrl),
    TRUST_PROXY: config.trustProxy,
    METRICS_ALLOW: config.metricsAllow,
    MASTER_KEY: config.masterKey ? '*** (set)' : null,
    PREVIOUS_MASTER_KEYS: `${config.previousMasterKeys.length} set`,
    BLOB_STORE: config.s3 ? 's3' : 'disk',
    ...(config.s3 && {
      S3_ENDPOINT: config.s3.endpoint ? withoutSlash(config.s3.endpoint) : null,
      S3_REGION: config.s3.region,
      S3_BUCKET: config.s3.bucket,
      S3_PREFIX: config.s3.prefix,
      S3_FORCE_PATH_STYLE: config.s3.forcePathStyle,
      S3_ACCESS_KEY_ID: '*** (set)',
      S3_SECRET_ACCESS_KEY: '*** (set)',
    }),
    FFMPEG: config.ffmpeg ?? null,
    RATE_LIMITS: config.rateLimits,
    ...Object.fromEntries(
      Object.entries(config.quotas).map(([name, { limit, seconds }]) => [`RATE_LIMIT_${name}`, `${limit}/${seconds}`]),
    ),
    MAX_CONCURRENT_REQUESTS: config.maxConcurrentRequests,
    BODY_MEMORY_MIB: config.bodyMemory / 1024 / 1024,
    ROLE: config.role,
    LOG_LEVEL: config.logLevel,
    SHUTDOWN_DELAY_MS: config.shutdownDelayMs,
    CONVERSATION_CARD_FEATURES: config.conversationCardFeatures,
    AUDIENCE_MATCHING: config.audienceMatching,
    AUDIENCE_MINIMUM_SIZE: config.audienceMinimumSize,
    AUDIENCE_POPULATION_SCALE: config.audiencePopulationScale,
    DEMO: config.demo,
  };
}

/** A URL's text without the slash that a bare origin ends in. */
export const withoutSlash = (url: URL): string => url.href.replace(/\/+$/, '');

/** Whether a host name means this machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  ['localhost', '[::1]', '::1'].includes(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));

const sameBase = (one: URL, other: URL) => withoutSlash(one) === withoutSlash(other);

const isNetwork = (given: string) => (given.includes('/') ? ipaddr.isValidCIDR(given) : ipaddr.isValid(given));

function quotasOf(
  mode: Config['rateLimits'],
  text: (name: string) => string | undefined,
  refuse: (name: string, problem: string) => void,
): Record<QuotaName, Quota> {
  const quotas = Object.entries(QUOTAS).map(([name, { limit, seconds, ...row }]) => {
    const variable = `RATE_LIMIT_${name}`;
    const given = text(variable);
    const own = /^([1-9]\d{0,9})\/([1-9]\d{0,5})$/.exec(given ?? '');
    if (given !== undefined && !own) refuse(variable, `must be <requests>/<seconds>, such as 450/60, not "${given}"`);
    if (own) return [name, { limit: Number(own[1]), seconds: Number(own[2]) }];
    const factor = mode === 'relaxed' && !('fixed' in row) ? 100 : 1;
    return [name, { limit: limit * factor, seconds }];
  });
  return Object.fromEntries(quotas) as Record<QuotaName, Quota>;
}

/** What `MARQUEE_<NAME>` gives the command line to sign requests with, as `<name>`: consumer_key, access_token, account_id, ... */
export function readCredentialsEnv(env: Environment = process.env): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) => {
    const key = /^MARQUEE_([A-Z][A-Z0-9_]*)$/.exec(name)?.[1].toLowerCase();
    return key && value ? [[key, value]] : [];
  });
  return Object.fromEntries(given) as Record<string, string>;
}
