import { maskedDatabaseUrl } from './database-url.js';
import { maskedRedisUrl } from './redis-url.js';
import { type Config, type S3Settings, withoutSlash } from './config.js';

/** The value of every variable as `config print` shows it: for secrets only whether they are set. */
export function describeConfig(config: Config): Record<string, unknown> {
  return {
    NODE_ENV: config.mode,
    PORT: config.port,
    HOST: config.host,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ? maskedDatabaseUrl(config.databaseUrl) : null,
    DATABASE_DIRECT_URL: config.databaseDirectUrl ? maskedDatabaseUrl(config.databaseDirectUrl) : null,
    DATABASE_REPLICA_URLS: config.databaseReplicaUrls.map(maskedDatabaseUrl),
    DATABASE_REPLICA_MAX_LAG: config.databaseReplicaMaxLagMs / 1_000,
    EMBEDDED_STORE: config.embeddedStore,
    DATABASE_WAIT_SECONDS: config.databaseWaitMs / 1_000,
    DATABASE_DRIVER: config.databaseDriver,
    DATABASE_POOL: config.databasePool,
    DATABASE_PIPELINED_CONNECTIONS: config.databasePipelinedConnections,
    REDIS_URL: config.redisUrl ? maskedRedisUrl(config.redisUrl) : null,
    REDIS_PREFIX: config.redisPrefix,
    BASE_URL: withoutSlash(config.baseUrl),
    ADS_BASE_URL: withoutSlash(config.adsBaseUrl),
    ADS_SANDBOX_BASE_URL: withoutSlash(config.adsSandboxBaseUrl),
    TRUST_PROXY: config.trustProxy,
    METRICS_ALLOW: config.metricsAllow,
    MASTER_KEY: config.masterKey ? '*** (set)' : null,
    PREVIOUS_MASTER_KEYS: `${config.previousMasterKeys.length} set`,
    BLOB_STORE: config.s3 ? 's3' : 'disk',
    ...(config.s3 && describeS3(config.s3)),
    FFMPEG: config.ffmpeg ?? null,
    ...describeLimits(config),
    ROLE: config.role,
    LOG_LEVEL: config.logLevel,
    LOG_FORMAT: config.logFormat,
    NAMES: config.names,
    DOCS: config.docs,
    WORKBENCH: config.workbench,
    OTEL_TRACES_EXPORTER: config.tracesExporter ?? 'none',
    CLOCK_STARTS_AT: config.clockStartsAt?.toISOString() ?? null,
    SHUTDOWN_DELAY_MS: config.shutdownDelayMs,
    CONVERSATION_CARD_FEATURES: config.conversationCardFeatures,
    AUDIENCE_MATCHING: config.audienceMatching,
    AUDIENCE_PRIVACY: config.audiencePrivacy,
    AUDIENCE_MINIMUM_SIZE: config.audienceMinimumSize,
    AUDIENCE_POPULATION_SCALE: config.audiencePopulationScale,
    DELIVERY: config.delivery,
    DELIVERY_SEED: config.deliverySeed,
    ...describeStorage(config),
    WEBHOOK_RETRY_SECONDS: config.webhookRetrySeconds.join(),
    ACCOUNT_HISTORY_DAYS: config.accountHistoryDays,
    CONVERSION_DAYS: config.conversionDays,
    DEMO: config.demo,
  };
}

const describeS3 = (s3: S3Settings) => ({
  S3_ENDPOINT: s3.endpoint ? withoutSlash(s3.endpoint) : null,
  S3_REGION: s3.region,
  S3_BUCKET: s3.bucket,
  S3_PREFIX: s3.prefix,
  S3_FORCE_PATH_STYLE: s3.forcePathStyle,
  S3_ACCESS_KEY_ID: '*** (set)',
  S3_SECRET_ACCESS_KEY: '*** (set)',
});

const describeLimits = (config: Config) => ({
  RATE_LIMITS: config.rateLimits,
  ...Object.fromEntries(
    Object.entries(config.quotas).map(([name, { limit, seconds }]) => [`RATE_LIMIT_${name}`, `${limit}/${seconds}`]),
  ),
  MAX_CONCURRENT_REQUESTS: config.maxConcurrentRequests,
  MAX_PENDING_BODIES: config.pendingBodies.total,
  MAX_PENDING_BODIES_PER_ADDRESS: config.pendingBodies.perAddress,
  MAX_PENDING_UPLOADS_PER_USER: config.pendingBodies.perUser,
  MAX_CONNECTIONS: config.maxConnections,
  MAX_CONNECTIONS_PER_ADDRESS: config.maxConnectionsPerAddress,
  BODY_MEMORY_MIB: config.bodyMemory / 1024 / 1024,
});

const describeStorage = ({ storageQuotas }: Config) => ({
  MAX_UNFINISHED_UPLOAD_BYTES_PER_USER: storageQuotas.UNFINISHED_UPLOAD_BYTES,
  MAX_MEDIA_BYTES_PER_USER: storageQuotas.USER_MEDIA_BYTES,
  MAX_MEDIA_BYTES_PER_ACCOUNT: storageQuotas.ACCOUNT_MEDIA_BYTES,
  MAX_AUDIENCE_ROWS_PER_ACCOUNT: storageQuotas.AUDIENCE_ROWS,
  MAX_PRODUCTS_PER_CATALOG: storageQuotas.CATALOG_PRODUCTS,
  MAX_CATALOG_BYTES_PER_USER: storageQuotas.CATALOG_BYTES,
  MAX_CONVERSIONS_PER_ACCOUNT: storageQuotas.CONVERSIONS,
  MAX_ENGAGEMENTS_PER_ACCOUNT: storageQuotas.ENGAGEMENTS,
  MAX_LEADS_PER_ACCOUNT: storageQuotas.LEADS,
});
