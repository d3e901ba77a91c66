import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopbackHost, ConfigError, readConfig, readWorkerConfig } from '../../../src/config/config.js';
import { describeConfig } from '../../../src/config/describe-config.js';

const KEY = Buffer.alloc(32, 'config').toString('base64');
const production = {
  NODE_ENV: 'production',
  MASTER_KEY: KEY,
  BASE_URL: 'https://ads.example.com',
  DATABASE_URL: 'postgres://marquee@db/marquee',
};

const mistakesOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
};

describe('configuration', () => {
  it('needs nothing for development', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      mode: 'development',
      port: 3000,
      host: '127.0.0.1',
      demo: true,
      rateLimits: 'relaxed',
      databaseDriver: 'fast',
    });
    expect(config.adsSandboxBaseUrl.href).toBe('http://localhost:3000/sandbox');
  });

  it('starts the clock at a time with a zone, outside production', () => {
    const startsAt = (given: string) => readConfig({ CLOCK_STARTS_AT: given }).clockStartsAt?.toISOString();
    expect(startsAt('2026-12-24T18:00:00+01:00')).toBe('2026-12-24T17:00:00.000Z');
    for (const wrong of [
      'tomorrow',
      '2026-12-24',
      '2026-12-24T18:00:00',
      '2026-06-30T23:59:59Z',
      '2050-01-01T00:00:00Z',
    ])
      expect(mistakesOf({ CLOCK_STARTS_AT: wrong })).toEqual([expect.stringMatching(/^CLOCK_STARTS_AT: .*2026/)]);
    expect(mistakesOf({ ...production, CLOCK_STARTS_AT: '2026-12-24T18:00:00Z' })).toHaveLength(1);
  });

  it('counts everybody of an audience outside production, and multiplies the demo', () => {
    const audiences = ({
      audienceMatching,
      audienceMinimumSize,
      audiencePopulationScale,
    }: ReturnType<typeof readConfig>) => [audienceMatching, audienceMinimumSize, audiencePopulationScale];
    expect(audiences(readConfig({}))).toEqual(['all', 100, 10_000]);
    expect(audiences(readConfig({ DEMO: 'false' }))).toEqual(['all', 100, 1]);
    expect(audiences(readConfig(production))).toEqual(['directory', 100, 1]);
    const own = { AUDIENCE_MATCHING: 'directory', AUDIENCE_MINIMUM_SIZE: '5', AUDIENCE_POPULATION_SCALE: '20' };
    expect(audiences(readConfig(own))).toEqual(['directory', 5, 20]);
    expect(describeConfig(readConfig(own))).toMatchObject({
      ...own,
      AUDIENCE_MINIMUM_SIZE: 5,
      AUDIENCE_POPULATION_SCALE: 20,
    });
    const wrong = { AUDIENCE_MATCHING: 'some', AUDIENCE_MINIMUM_SIZE: '0', AUDIENCE_POPULATION_SCALE: '0.5' };
    expect(mistakesOf(wrong).map((mistake) => mistake.split(':')[0])).toEqual(Object.keys(wrong));
  });

  it('bounds what is on its way', () => {
    const { pendingBodies, maxConnections, maxConnectionsPerAddress } = readConfig({});
    expect(pendingBodies).toEqual({ total: 1_000, perAddress: 100, perUser: 16 });
    expect([maxConnections, maxConnectionsPerAddress]).toEqual([10_000, 1_000]);
    const own = {
      MAX_PENDING_BODIES: '50',
      MAX_PENDING_BODIES_PER_ADDRESS: '5',
      MAX_PENDING_UPLOADS_PER_USER: '2',
      MAX_CONNECTIONS: '200',
      MAX_CONNECTIONS_PER_ADDRESS: '20',
    };
    expect(readConfig(own)).toMatchObject({
      pendingBodies: { total: 50, perAddress: 5, perUser: 2 },
      maxConnections: 200,
      maxConnectionsPerAddress: 20,
    });
    const numbers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, Number(value)]));
    expect(describeConfig(readConfig(own))).toMatchObject(numbers);
    const wrong = Object.fromEntries(Object.keys(own).map((name) => [name, '0']));
    expect(mistakesOf(wrong).map((mistake) => mistake.split(':')[0])).toEqual(Object.keys(own));
  });

  it('protects numbers of people in production always, elsewhere on request', () => {
    expect(readConfig({}).audiencePrivacy).toBe('exact');
    expect(readConfig({ AUDIENCE_PRIVACY: 'protected' }).audiencePrivacy).toBe('protected');
    expect(readConfig(production).audiencePrivacy).toBe('protected');
    expect(describeConfig(readConfig(production))).toMatchObject({ AUDIENCE_PRIVACY: 'protected' });
    const named = (env: Record<string, string>) => mistakesOf(env).map((mistake) => mistake.split(':')[0]);
    expect(named({ ...production, AUDIENCE_PRIVACY: 'exact' })).toEqual(['AUDIENCE_PRIVACY']);
    expect(named({ ...production, AUDIENCE_MINIMUM_SIZE: '99' })).toEqual(['AUDIENCE_MINIMUM_SIZE']);
    expect(named({ AUDIENCE_PRIVACY: 'protected', AUDIENCE_MINIMUM_SIZE: '5' })).toEqual(['AUDIENCE_MINIMUM_SIZE']);
    expect(named({ AUDIENCE_MINIMUM_SIZE: '5' })).toEqual([]);
  });

  it('limits what users and accounts store, with 0 for no limit', () => {
    const GIB = 1024 ** 3;
    expect(readConfig({}).storageQuotas).toEqual({
      UNFINISHED_UPLOAD_BYTES: 10 * GIB,
      USER_MEDIA_BYTES: 100 * GIB,
      ACCOUNT_MEDIA_BYTES: 100 * GIB,
      AUDIENCE_ROWS: 100_000_000,
      CATALOG_PRODUCTS: 1_000_000,
      CATALOG_BYTES: 2 * GIB,
      CONVERSIONS: 100_000_000,
      ENGAGEMENTS: 1_000_000,
      LEADS: 1_000_000,
    });
    const own = {
      MAX_UNFINISHED_UPLOAD_BYTES_PER_USER: '1',
      MAX_MEDIA_BYTES_PER_USER: '0',
      MAX_MEDIA_BYTES_PER_ACCOUNT: '3',
      MAX_AUDIENCE_ROWS_PER_ACCOUNT: '4',
      MAX_PRODUCTS_PER_CATALOG: '8',
      MAX_CATALOG_BYTES_PER_USER: '9',
      MAX_CONVERSIONS_PER_ACCOUNT: '5',
      MAX_ENGAGEMENTS_PER_ACCOUNT: '6',
      MAX_LEADS_PER_ACCOUNT: '7',
    };
    expect(Object.values(readConfig(own).storageQuotas)).toEqual([1, 0, 3, 4, 8, 9, 5, 6, 7]);
    expect(describeConfig(readConfig(own))).toMatchObject(
      Object.fromEntries(Object.entries(own).map(([name, value]) => [name, Number(value)])),
    );
    const wrong = Object.fromEntries(Object.keys(own).map((name) => [name, '-1']));
    expect(mistakesOf(wrong).map((mistake) => mistake.split(':')[0])).toEqual(Object.keys(own));
  });

  it('cannot be changed afterwards', () => {
    const config = readConfig({});
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  it('names every mistake at once', () => {
    const mistakes = mistakesOf({
      PORT: 'high',
      RATE_LIMITS: 'none',
      DATABASE_URL: 'mysql://x',
      MASTER_KEY: 'short',
      TRUST_PROXY: '10.0.0.0/8, nowhere',
    });
    expect(mistakes.map((mistake) => mistake.split(':')[0]).sort()).toEqual([
      'DATABASE_URL',
      'MASTER_KEY',
      'PORT',
      'RATE_LIMITS',
      'TRUST_PROXY',
    ]);
  });

  it('takes sentinels and clusters, and shows them without the password', () => {
    for (const url of ['redis+sentinel://:hunter2@s1:26379,s2/mymaster', 'redis+cluster://:hunter2@n1:6379,n2']) {
      const config = readConfig({ REDIS_URL: url });
      expect(config.redisUrl).toBe(url);
      expect(describeConfig(config).REDIS_URL).toBe(url.replace('hunter2', '***'));
    }
  });

  it.each([
    ['redis-sentinel://s1:26379,s2:26379/mymaster', /^REDIS_URL: must name sentinels as in redis\+sentinel:/],
    ['redis+sentinel://s1', /^REDIS_URL: must end in the name that the sentinels give the primary/],
    ['redis+cluster://n1?tls=true', /^REDIS_URL: has an unknown option/],
    ['redis://:hunter2@n1:6379,n2:6379/0', /^REDIS_URL: lists several hosts/],
    ['redis://n1,redis://n2', /^REDIS_URL: lists several hosts/],
    ['n1:6379,n2:6379', /^REDIS_URL: lists several hosts/],
  ])('refuses a wrong place of Redis in one sentence: %s', (value, why) => {
    expect(mistakesOf({ REDIS_URL: value })).toEqual([expect.stringMatching(why)]);
    expect(mistakesOf({ REDIS_URL: value }).join()).not.toContain('hunter2');
  });

  it('refuses read replicas with a cluster, whose nodes do not share what was written', () => {
    const replicas = { DATABASE_URL: 'postgres://a/m', DATABASE_REPLICA_URLS: 'postgres://b/m' };
    expect(mistakesOf({ ...replicas, REDIS_URL: 'redis+sentinel://s1/primary' })).toEqual([]);
    expect(mistakesOf({ ...replicas, REDIS_URL: 'redis+cluster://n1' })).toEqual([
      expect.stringMatching(/^DATABASE_REPLICA_URLS: does not work with a Redis Cluster/),
    ]);
  });

  it('refuses a prefix that would determine the slots of a cluster', () => {
    expect(mistakesOf({ REDIS_URL: 'redis+cluster://n1', REDIS_PREFIX: '{marquee}:' })).toEqual([
      expect.stringMatching(/^REDIS_PREFIX: must not contain braces with a Redis Cluster/),
    ]);
    expect(mistakesOf({ REDIS_URL: 'redis://n1', REDIS_PREFIX: '{marquee}:' })).toEqual([]);
  });

  it('takes several hosts of PostgreSQL, and shows them without the password', () => {
    const url = 'postgres://me:hunter2@a:5432,b/x?target_session_attrs=read-write';
    const config = readConfig({ DATABASE_URL: url });
    expect(config.databaseUrl).toBe(url);
    expect(describeConfig(config).DATABASE_URL).toBe(url.replace('hunter2', '***'));
  });

  it.each([
    ['postgres://me:hunter2@a,,b/x', /^DATABASE_URL: host 2 of its list is empty/],
    ['postgres://me:hunter2@a,b:0/x', /^DATABASE_URL: the port of host 2 of its list is not/],
    ['postgres://me@a,b/x?target_session_attrs=standby', /^DATABASE_URL: has a target_session_attrs that is none of/],
  ])('refuses a wrong list of hosts in one sentence: %s', (value, why) => {
    expect(mistakesOf({ DATABASE_URL: value })).toEqual([expect.stringMatching(why)]);
    expect(mistakesOf({ DATABASE_URL: value }).join()).not.toContain('hunter2');
  });

  it('takes read replicas, each by a URL of its own that may contain commas', () => {
    const urls = ['postgres://me:hunt,er2@a:5432/x', 'postgresql://me:hunter2@b/x?options=-c%20search_path%3Da%2Cb'];
    const env = { DATABASE_URL: 'postgres://me@a/x', DATABASE_REPLICA_URLS: urls.join(', ') };
    const config = readConfig({ ...env, DATABASE_REPLICA_MAX_LAG: '7' });
    expect(config).toMatchObject({ databaseReplicaUrls: urls, databaseReplicaMaxLagMs: 7_000 });
    expect(JSON.stringify(describeConfig(config))).not.toMatch(/hunt,?er2/);
    expect(readConfig({})).toMatchObject({ databaseReplicaUrls: [], databaseReplicaMaxLagMs: 5_000 });
  });

  it.each([
    ['mysql://b/x', /^DATABASE_REPLICA_URLS: must be a URL that begins with postgres/],
    ['postgres://me:hunter2@b/x,', /^DATABASE_REPLICA_URLS: ends in a comma/],
    ['postgres://me:hunter2@b,c/x', /^DATABASE_REPLICA_URLS: lists several hosts; give each read replica a URL/],
    ['postgres://b/x,postgres://b:hunter2/x', /^DATABASE_REPLICA_URLS: URL 2 of its list must be a URL/],
    ['postgres://b/x,postgres://b/x', /^DATABASE_REPLICA_URLS: URL 2 of its list repeats an earlier one/],
  ])('refuses wrong read replicas in one sentence: %s', (value, why) => {
    const env = { DATABASE_URL: 'postgres://a/x', DATABASE_REPLICA_URLS: value };
    expect(mistakesOf(env)).toEqual([expect.stringMatching(why)]);
    expect(mistakesOf(env).join()).not.toContain('hunter2');
  });

  it('refuses read replicas without a primary, and a lag out of bounds', () => {
    expect(mistakesOf({ DATABASE_REPLICA_URLS: 'postgres://b/x' })).toEqual([
      'DATABASE_REPLICA_URLS: requires DATABASE_URL, the primary whose standbys it lists',
    ]);
    expect(mistakesOf({ DATABASE_REPLICA_MAX_LAG: '0.5' })).toEqual([
      'DATABASE_REPLICA_MAX_LAG: must be a whole number from 1 to 30, not "0.5"',
    ]);
  });

  it.each([
    ['REDIS_URL', 'redis://:a%2Cb@r:6379/0'],
    ['REDIS_URL', 'unix:/run/redis.sock'],
    ['DATABASE_URL', 'postgres://me:hun,ter@db/x?options=-c%20search_path%3Da%2Cb'],
    ['DATABASE_URL', 'postgres://me@[::1]:5432/x'],
  ])('takes one server with commas elsewhere in %s=%s', (name, value) => {
    expect(mistakesOf({ [name]: value })).toEqual([]);
  });

  it('takes a direct URL beside the one of a pooler, and shows it without the password', () => {
    const url = 'postgres://me:hunter2@db:5432/x';
    const config = readConfig({ DATABASE_URL: 'postgres://me:hunter2@pooler:6432/x', DATABASE_DIRECT_URL: url });
    expect(config.databaseDirectUrl).toBe(url);
    expect(describeConfig(config).DATABASE_DIRECT_URL).toBe('postgres://me:***@db:5432/x');
  });

  it.each([
    [
      { DATABASE_DIRECT_URL: 'postgres://me:hunter2@db/x' },
      /^DATABASE_DIRECT_URL: requires DATABASE_URL, the URL of the /,
    ],
    [
      { DATABASE_URL: 'postgres://me@pooler/x', DATABASE_DIRECT_URL: 'mysql://me:hunter2@db/x' },
      /^DATABASE_DIRECT_URL: must be a URL that begins with postgres:/,
    ],
  ])('refuses a wrong direct URL in one sentence: %s', (env: Record<string, string>, why) => {
    expect(mistakesOf(env)).toEqual([expect.stringMatching(why)]);
    expect(mistakesOf(env).join()).not.toContain('hunter2');
  });

  it('never repeats a secret in a mistake', () => {
    const mistakes = mistakesOf({
      MASTER_KEY: 'hunter2',
      DATABASE_URL: 'http://user:hunter2@db/x',
      REDIS_URL: 'hunter2',
    });
    expect(mistakes).toHaveLength(3);
    expect(mistakes.join()).not.toContain('hunter2');
  });

  it('reads a secret from a file, and refuses two sources of one', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'marquee-config-')), 'key');
    writeFileSync(file, `${KEY}\n`);
    expect(readConfig({ MASTER_KEY_FILE: file }).masterKey).toEqual(Buffer.alloc(32, 'config'));
    expect(mistakesOf({ MASTER_KEY_FILE: file, MASTER_KEY: KEY })).toEqual([expect.stringContaining('MASTER_KEY')]);
    expect(mistakesOf({ MASTER_KEY_FILE: `${file}.missing` })).toEqual([expect.stringContaining('MASTER_KEY_FILE')]);
  });

  it('takes a master key in base64 and in hexadecimal', () => {
    expect(readConfig({ MASTER_KEY: Buffer.alloc(32, 7).toString('hex') }).masterKey).toEqual(Buffer.alloc(32, 7));
  });

  describe('in production mode', () => {
    it('is faithful, without demo', () => {
      expect(readConfig(production)).toMatchObject({
        production: true,
        demo: false,
        rateLimits: 'faithful',
        shutdownDelayMs: 5_000,
      });
    });

    it.each([
      ['a missing master key', { MASTER_KEY: '' }, 'MASTER_KEY'],
      ['demo secrets', { DEMO: 'true' }, 'DEMO'],
      ['a public URL without TLS', { ADS_BASE_URL: 'http://ads.example.com' }, 'ADS_BASE_URL'],
    ])('refuses %s', (_, env, name) => {
      expect(mistakesOf({ ...production, ...env }).map((mistake) => mistake.split(':')[0])).toContain(name);
    });

    it.each([
      ['of the example', Buffer.alloc(32).toString('base64')],
      ['in hexadecimal', 'ab'.repeat(32)],
    ])('refuses a master key whose bytes are all the same: %s', (_, key) => {
      expect(mistakesOf({ ...production, MASTER_KEY: key })).toEqual([
        'MASTER_KEY: consists of 32 equal bytes, like an example key; generate a key with `openssl rand -base64 32`',
      ]);
      expect(mistakesOf({ ...production, PREVIOUS_MASTER_KEYS: key })).toEqual([]);
      expect(mistakesOf({ MASTER_KEY: key })).toEqual([]);
    });

    it('takes plain HTTP on loopback', () => {
      expect(mistakesOf({ ...production, BASE_URL: 'http://localhost:8080' })).toEqual([]);
    });
  });

  it('takes the embedded store in production only where it is told to', () => {
    const { DATABASE_URL: url, ...embedded } = production;
    const mistyped = { ...embedded, DATABASE_URI: url };
    expect(mistakesOf(embedded)).toEqual([
      'DATABASE_URL: is not set; correct its name, or set EMBEDDED_STORE=allow to use the embedded store',
    ]);
    expect(mistakesOf(mistyped)).toEqual([
      expect.stringMatching(/^DATABASE_URL: is not set, but DATABASE_URI holds such/),
    ]);
    expect(mistakesOf({ ...embedded, DATABASE_URL: 'mysql://db/x' })).toHaveLength(1);
    expect(readConfig({ ...embedded, EMBEDDED_STORE: 'allow' })).toMatchObject({ databaseUrl: undefined });
    expect(mistakesOf({ EMBEDDED_STORE: 'refuse' })).toHaveLength(1);
  });

  it('records spans where OpenTelemetry is told where to send them, or with what', () => {
    const exporter = (env: Record<string, string>) => readConfig(env).tracesExporter;
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
    expect(exporter({})).toBeUndefined();
    expect(exporter({ OTEL_SERVICE_NAME: 'ads' })).toBeUndefined();
    expect(exporter({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBe('otlp');
    expect(exporter({ OTEL_TRACES_EXPORTER: 'console' })).toBe('console');
    expect(exporter({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(exporter({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(exporter({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBe(
      'otlp',
    );
    expect(mistakesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL/),
    ]);
  });

  it('refuses one URL for the sandbox and for production', () => {
    expect(mistakesOf({ ADS_BASE_URL: 'https://a.example', ADS_SANDBOX_BASE_URL: 'https://a.example/' })).toEqual([
      expect.stringContaining('ADS_SANDBOX_BASE_URL'),
    ]);
  });

  it('multiplies relaxed windows, but not that of totals, and lets every row be set', () => {
    const { quotas } = readConfig({ RATE_LIMITS: 'relaxed', RATE_LIMIT_WRITES: '7/60' });
    expect(quotas).toMatchObject({
      WRITES: { limit: 7, seconds: 60 },
      CORE_READS: { limit: 1_000_000, seconds: 900 },
      TOTAL_COUNT: { limit: 200, seconds: 900 },
    });
    expect(mistakesOf({ RATE_LIMIT_WRITES: 'many' })).toEqual([expect.stringContaining('RATE_LIMIT_WRITES')]);
  });

  it('lets the driver of the database be chosen, and shows which it is', () => {
    expect(describeConfig(readConfig({ DATABASE_DRIVER: 'plain' }))).toMatchObject({ DATABASE_DRIVER: 'plain' });
    expect(mistakesOf({ DATABASE_DRIVER: 'quick' })).toEqual([
      'DATABASE_DRIVER: must be one of fast, plain, not "quick"',
    ]);
  });

  it('has its own names or those of X, and shows which', () => {
    expect(describeConfig(readConfig({}))).toMatchObject({ NAMES: 'marquee' });
    expect(describeConfig(readConfig({ NAMES: 'x' }))).toMatchObject({ NAMES: 'x' });
    expect(mistakesOf({ NAMES: 'twitter' })).toEqual(['NAMES: must be one of marquee, x, not "twitter"']);
  });

  it('takes the pauses before webhooks are tried again', () => {
    expect(readConfig({}).webhookRetrySeconds).toEqual([10, 60, 300, 1_800, 7_200, 18_000, 36_000]);
    expect(readConfig({ WEBHOOK_RETRY_SECONDS: '1, 2,3' }).webhookRetrySeconds).toEqual([1, 2, 3]);
    for (const wrong of ['soon', '1,', '-1', '36001', '1.5', Array.from({ length: 21 }, () => '1').join()])
      expect(mistakesOf({ WEBHOOK_RETRY_SECONDS: wrong })).toEqual([expect.stringContaining('WEBHOOK_RETRY_SECONDS')]);
  });

  it('keeps the history of accounts for ever, or longer than webhook deliveries', () => {
    expect(readConfig({}).accountHistoryDays).toBe(0);
    expect(describeConfig(readConfig({ ACCOUNT_HISTORY_DAYS: '35' }))).toMatchObject({ ACCOUNT_HISTORY_DAYS: 35 });
    expect(mistakesOf({ ACCOUNT_HISTORY_DAYS: '34' })).toEqual([
      'ACCOUNT_HISTORY_DAYS: must be at least 35, because webhook deliveries read their events from the history, or 0 to keep it for ever, not 34',
    ]);
    for (const wrong of ['-1', '1.5', 'always', '36501'])
      expect(mistakesOf({ ACCOUNT_HISTORY_DAYS: wrong })).toEqual([expect.stringContaining('ACCOUNT_HISTORY_DAYS')]);
  });

  it('a worker needs a server, and does nothing else', () => {
    expect(readWorkerConfig({ DATABASE_URL: 'postgres://db/x', ROLE: 'api' }).role).toBe('worker');
    expect(() => readWorkerConfig({})).toThrow(/DATABASE_URL: a worker requires it/);
  });

  it('works on jobs and answers requests unless told to do one of them', () => {
    expect(readConfig({}).role).toBe('both');
    expect(readConfig({ ROLE: 'worker' }).role).toBe('worker');
    const server = { DATABASE_URL: 'postgres://db/x', ROLE: 'api' };
    expect(readConfig(server).role).toBe('api');
    expect(describeConfig(readConfig(server))).toMatchObject({ ROLE: 'api' });
    expect(mistakesOf({ ROLE: 'api' })).toEqual([expect.stringContaining('ROLE: api requires DATABASE_URL')]);
    expect(mistakesOf({ ROLE: 'all' })).toEqual(['ROLE: must be one of both, api, worker, not "all"']);
  });

  it('keeps files on disk, or in a bucket that it can name', () => {
    expect(readConfig({}).s3).toBeUndefined();
    const bucket = { BLOB_STORE: 's3', S3_BUCKET: 'media', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hunter2' };
    expect(readConfig(bucket).s3).toEqual({
      region: 'us-east-1',
      bucket: 'media',
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
      forcePathStyle: false,
      prefix: '',
    });
    expect(readConfig({ ...bucket, S3_ENDPOINT: 'http://minio:9000', S3_PREFIX: 'a/b' }).s3).toMatchObject({
      endpoint: new URL('http://minio:9000'),
      forcePathStyle: true,
      prefix: 'a/b/',
    });
    const mistakes = mistakesOf({ BLOB_STORE: 's3', S3_ENDPOINT: 'minio', S3_PREFIX: '/a', S3_FORCE_PATH_STYLE: 'no' });
    expect(mistakes.map((mistake) => mistake.split(':')[0]).sort()).toEqual([
      'S3_ACCESS_KEY_ID',
      'S3_BUCKET',
      'S3_ENDPOINT',
      'S3_FORCE_PATH_STYLE',
      'S3_PREFIX',
      'S3_SECRET_ACCESS_KEY',
    ]);
    expect(mistakesOf({ BLOB_STORE: 'tape' })).toEqual([expect.stringContaining('BLOB_STORE')]);
    expect(JSON.stringify(describeConfig(readConfig(bucket)))).not.toContain('hunter2');
  });

  it('is described without secrets', () => {
    const shown = JSON.stringify(
      describeConfig(
        readConfig({ MASTER_KEY: KEY, DATABASE_URL: 'postgres://me:hunter2@db/x', REDIS_URL: 'redis://:hunter2@r' }),
      ),
    );
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain(KEY);
    expect(shown).toContain('postgres://me:***@db/x');
  });
});

it('tells this machine from names that look like it', () => {
  const hosts = ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'];
  expect(hosts.filter((host) => !isLoopbackHost(host))).toEqual([]);
  const others = ['127.999.0.999', '127.0.0', '127.0.0.1.example.com', '128.0.0.1', 'localhost.example.com', ''];
  expect(others.filter(isLoopbackHost)).toEqual([]);
});
