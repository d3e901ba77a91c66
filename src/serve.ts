import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger as NestLogger } from '@nestjs/common';
import type { Logger } from 'pino';
import { adminPath, replicaAdminPath } from './cli/admin-path.js';
import { openAdminSocket } from './cli/admin-socket.js';
import { Jobs } from './common/jobs/jobs.js';
import { loggerFor, nestLogger } from './common/log.js';
import { assertSharedFolder } from './common/blobs/blob-folder.js';
import { BlobStore } from './common/blobs/blob-store.js';
import { DiskBlobStore } from './common/blobs/disk-blob-store.js';
import { databasePlace } from './common/database-url.js';
import { dataDirFailure } from './common/data-dir-failure.js';
import { serverVersion } from './common/db/migrate.js';
import { startReadReplicas } from './common/db/start-read-replicas.js';
import { Metrics } from './common/metrics/metrics.js';
import { RedisLink } from './common/redis/redis.js';
import { type Config, readConfig, readWorkerConfig, withoutSlash } from './config.js';
import { ReplayProtection } from './auth/replay/replay-protection.js';
import { CREDENTIALS_FILE, readDemoCredentials } from './demo/credentials-file.js';
import { followBaseUrls, seedDemo } from './demo/demo.js';
import { docsLink } from './demo/docs-key.js';
import { Lifecycle } from './operations/lifecycle.js';
import { startTraces } from './operations/traces.js';
import { VERSION } from './operations/version.js';
import { Listener } from './listener.js';
import { openService, type Service } from './service.js';
import { startFailureOf } from './start-failure-of.js';

/** Timeout of a graceful stop. */
const HARD_STOP_MS = 25_000;

/** Runs jobs until a signal stops it, and answers health checks. */
export const work = (): Promise<void> => serve(readWorkerConfig);

/** Serves until a signal stops it; a failed start is reported in a sentence. */
export async function serve(read: () => Config = readConfig): Promise<void> {
  let service: Service | undefined;
  try {
    const config = read();
    const logger = loggerFor(config);
    // for messages before the application exists
    NestLogger.overrideLogger(nestLogger(logger));
    const listener = await Listener.prepare(config);
    const endTraces = await startTraces(config);
    service = await openService(config, {
      serverFactory: listener.serverFactory,
      timeoutMs: config.databaseWaitMs,
      onWait: (why) => logger.warn(`${why} Marquee waits up to ${config.databaseWaitMs / 1_000} seconds for it.`),
    });
    await prepareFiles(config, service);
    if (config.demo) await seedDemo(service.app, config);
    if (config.role !== 'worker') await followBaseUrls(service.app, config);
    const { readReplicas } = service.store;
    if (readReplicas) await startReadReplicas(readReplicas);
    if (readReplicas && !config.redisUrl)
      logger.warn(
        'DATABASE_REPLICA_URLS has no effect without REDIS_URL: nothing remembers writes, and all reads use the primary',
      );
    await service.app.get(ReplayProtection).start();
    const path = service.store.embedded ? adminPath(config.dataDir) : replicaAdminPath(config);
    const closeAdmin = await openAdminSocket(path, service.app);
    await listener.open();
    await service.app.get(Jobs).start();
    stopOnSignals(config, service, logger, {
      closeDoors: async () => {
        await listener.close();
        await closeAdmin();
      },
      endTraces,
    });
    logger.info(
      await startedWith(config, service),
      `Marquee ${VERSION} listens on ${config.host}:${config.port}, ready after ${seconds(performance.now())}`,
    );
    greet(config);
  } catch (error) {
    const sentence = startFailureOf(service?.store.explain?.(error) ?? error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exit(1);
  }
}

/** Reports at startup, rather than on an upload, that files cannot be stored. */
async function prepareFiles({ dataDir }: Config, { app, store }: Service): Promise<void> {
  const blobs = app.get(BlobStore);
  if (!(blobs instanceof DiskBlobStore)) return;
  await blobs.prepare().catch((error: NodeJS.ErrnoException) => {
    throw dataDirFailure(error.code, dataDir) ?? error;
  });
  // the embedded store belongs to one process, and is in the same folder as its files
  if (!store.embedded) await assertSharedFolder(store.dataSource, blobs);
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
function stopOnSignals(
  config: Config,
  service: Service,
  logger: Logger,
  { closeDoors, endTraces }: Record<'closeDoors' | 'endTraces', () => Promise<void>>,
): void {
  const stop = async (signal: NodeJS.Signals) => {
    const lifecycle = service.app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
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
    // Jobs need not wait for the load balancer; starting more would only interrupt them.
    const jobsStopped = service.app.get(Jobs).stop();
    await pause(config.shutdownDelayMs);
    await closeDoors();
    await jobsStopped;
    await service.close();
    await endTraces();
    logger.info(`Stopped after ${seconds(performance.now() - began)}, up for ${seconds(performance.now())}`);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}
