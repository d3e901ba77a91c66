import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { surviveRejections } from './common/concurrency/background.js';
import { loggerFor } from './common/logging/log.js';
import { databasePlace } from './config/database-url.js';
import { serverVersion } from './common/db/migrate.js';
import { Metrics } from './common/metrics/metrics.js';
import { RedisLink } from './common/redis/redis.js';
import { type Config, ConfigError, readConfig, readWorkerConfig, withoutSlash } from './config/config.js';
import { CREDENTIALS_FILE, readDemoCredentials, docsLink } from './demo/credentials-file.js';
import { Lifecycle } from './operations/lifecycle.js';
import { VERSION } from './operations/version.js';
import type { Service } from './service.js';
import { startFailureOf } from './start-failure-of.js';
import { startService, type StartedService } from './start-service.js';
import { unknownSettings } from './config/unknown-settings.js';

/** Timeout of a graceful stop. */
const HARD_STOP_MS = 25_000;

/** Runs jobs until a signal stops it, and answers health checks. */
export const work = (): Promise<void> => serve(readWorkerConfig);

/**
 * Turns off pretenuring of V8, for a process that serves. V8 would allocate the rows of large answers as old objects as
 * soon as some outlive a collection. Dead ones then keep what they refer to, and on Node 26 a list takes twice as long.
 * Compiled code that is kept for the next start must be written before: V8 accepts it only under the same options.
 */
export const keepRowsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring');

/** Serves until a signal stops it; a failed start is reported in a sentence. */
export async function serve(read: () => Config = readConfig): Promise<void> {
  try {
    const config = read();
    const logger = loggerFor(config);
    for (const sentence of unknownSettings()) logger.warn(sentence);
    const started = await startService(config, logger);
    surviveRejections();
    stopOnSignals(config, started, logger);
    logger.info(
      await startedWith(config, started.service),
      `Marquee ${VERSION} listens on ${config.host}:${config.port}, ready after ${seconds(performance.now())}`,
    );
    greet(config);
  } catch (error) {
    const sentence = startFailureOf(error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    // what is missing may have another name
    if (error instanceof ConfigError) for (const each of unknownSettings()) console.error(each);
    process.exit(1);
  }
}

/** Logs the settings and versions that explain most of the behaviour of this process. */
async function startedWith(config: Config, { app, store }: Service): Promise<object> {
  const redis = app.get<RedisLink | null>(RedisLink);
  return {
    version: VERSION,
    node: process.version,
    mode: config.mode,
    role: config.role,
    store: {
      // it may have become unreachable, which must not end the process
      postgresql: await serverVersion(store).catch(() => 'away'),
      ...(store.embedded
        ? { embedded: config.dataDir }
        : { server: databasePlace(config.databaseUrl!), pool: config.databasePool }),
      ...(store.readReplicas && {
        read_replicas: store.readReplicas.reports.map(({ name, state }) => `${name} ${state}`),
      }),
    },
    redis: redis?.state ?? 'not configured',
    files: config.s3 ? `s3 bucket ${config.s3.bucket}` : config.dataDir,
    urls: {
      base: withoutSlash(config.baseUrl),
      ads: withoutSlash(config.adsBaseUrl),
      ads_sandbox: withoutSlash(config.adsSandboxBaseUrl),
    },
    trusted_proxies: config.trustProxy,
    limits: {
      rate_limits: config.rateLimits,
      concurrent_requests: config.maxConcurrentRequests,
      body_memory_mib: config.bodyMemory / 1024 / 1024,
    },
    docs: config.docs,
    workbench: config.workbench,
    traces: config.tracesExporter ?? 'none',
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Shows people what they need first; operators read the log. */
function greet(config: Config): void {
  if (config.production || config.role === 'worker') return;
  const path = join(config.dataDir, CREDENTIALS_FILE);
  const credentials = readDemoCredentials(config.dataDir);
  const baseUrl = withoutSlash(config.baseUrl);
  // Needed where the command line would not look by default.
  const named = config.dataDir === resolve('data') ? '' : ` --credentials ${path}`;
  // Standard output that is not a terminal is a log, which must not contain keys.
  const withKey = credentials && process.stdout.isTTY;
  const lines = [
    'Marquee is ready.',
    '',
    `  API             ${withoutSlash(config.adsBaseUrl)}/12/accounts`,
    `  Sandbox         ${withoutSlash(config.adsSandboxBaseUrl)}/12/accounts`,
    ...(config.workbench ? [`  Workbench       ${baseUrl}/workbench`] : []),
    ...(config.docs ? [`  Swagger UI      ${withKey ? docsLink(baseUrl, credentials) : `${baseUrl}/docs`}`] : []),
    ...(credentials
      ? [
          ...(withKey || !config.docs
            ? []
            : ['                  (`npx marquee docs` prints the link with the keys of the demo)']),
          `  Credentials     ${path}`,
          '',
          `  Try             npx marquee request GET /12/accounts${named}`,
        ]
      : []),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** On SIGTERM and SIGINT: becomes not ready, keeps answering, then closes. */
function stopOnSignals(config: Config, { service, stop }: StartedService, logger: Logger): void {
  const stopOn = async (signal: NodeJS.Signals) => {
    if (service.app.get(Lifecycle).stopping) return;
    const began = performance.now();
    logger.info(
      { signal },
      `Stopping: no longer ready, but serving requests for another ${seconds(config.shutdownDelayMs)} until load balancers notice`,
    );
    setTimeout(() => {
      const { underway } = service.app.get(Metrics);
      logger.error({ underway }, `Forced to stop after ${seconds(HARD_STOP_MS)}: some requests were interrupted`);
      process.exit(1);
    }, HARD_STOP_MS).unref();
    await stop(config.shutdownDelayMs);
    logger.info(`Stopped after ${seconds(performance.now() - began)}, up for ${seconds(performance.now())}`);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopOn(signal).catch((error: unknown) => {
        logger.error({ err: error }, 'The stop failed');
        process.exit(1);
      });
    });
  }
}
