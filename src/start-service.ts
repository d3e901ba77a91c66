import { setTimeout as pause } from 'node:timers/promises';
import { Logger as NestLogger } from '@nestjs/common';
import type { Logger } from 'pino';
import pg from 'pg';
import { ReplayProtection } from './auth/replay/replay-protection.js';
import { adminPath, replicaAdminPath } from './cli/admin-protocol.js';
import { openAdminSocket } from './cli/admin-socket.js';
import { assertSharedFolder } from './common/blobs/blob-folder.js';
import { BlobStore } from './common/blobs/blob-store.js';
import { DiskBlobStore } from './common/blobs/disk-blob-store.js';
import { dataDirFailure, StartFailure } from './common/start-failure.js';
import { Jobs } from './common/jobs/jobs.js';
import { nestLogger } from './common/logging/log.js';
import type { Config } from './config/config.js';
import { followBaseUrls, seedDemo } from './demo/demo.js';
import { Listener } from './listener.js';
import { Lifecycle } from './operations/lifecycle.js';
import { startTraces } from './operations/traces.js';
import { openService, type Service } from './service.js';
import { FollowingService } from './webhooks/following/following.service.js';
import { isTransient, serverFailure } from './common/db/reach-server.js';
import type { ReadReplicas } from './common/db/read-replicas/read-replicas.js';

/** A service that answers requests and runs jobs. */
export interface StartedService {
  service: Service;
  /** Becomes not ready, answers for `delayMs` until load balancers notice, then closes. */
  stop: (delayMs: number) => Promise<void>;
}

/** What a start has opened so far: after a failure, the caller closes it or ends the process. */
export interface Opened {
  listener?: Listener;
  service?: Service;
}

/** Starts the configured service; throws the failure in the words of its store. */
export async function startService(config: Config, logger: Logger, opened: Opened = {}): Promise<StartedService> {
  try {
    return await start(config, logger, opened);
  } catch (error) {
    throw opened.service?.store.explain?.(error) ?? error;
  }
}

async function start(config: Config, logger: Logger, opened: Opened): Promise<StartedService> {
  // for messages before the application exists
  NestLogger.overrideLogger(nestLogger(logger));
  const listener = (opened.listener = await Listener.prepare(config));
  const endTraces = await startTraces(config);
  const service = (opened.service = await openService(config, {
    serverFactory: listener.serverFactory,
    timeoutMs: config.databaseWaitMs,
    onWait: (why) => logger.warn(`${why} Marquee waits up to ${config.databaseWaitMs / 1_000} seconds for it.`),
  }));
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
  const jobs = service.app.get(Jobs);
  const { embedded } = service.store;
  // on a server, another process may have the address, and its admin socket would be replaced
  if (!embedded) await listener.open();
  const path = embedded ? adminPath(config.dataDir) : replicaAdminPath(config);
  const closeAdmin = await openAdminSocket(path, service.app);
  try {
    // commands for an embedded store need the socket as soon as the service is ready
    if (embedded) await listener.open();
    await jobs.start();
  } catch (error) {
    await closeAdmin();
    throw error;
  }
  return {
    service,
    async stop(delayMs) {
      service.app.get(Lifecycle).stopping = true;
      // Jobs need not wait for the load balancer; starting more would only interrupt them.
      const jobsStopped = jobs.stop();
      await pause(delayMs);
      service.app.get(FollowingService).stop();
      await listener.close();
      await closeAdmin();
      await jobsStopped;
      await service.close();
      await endTraces();
    },
  };
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

const VARIABLE = 'DATABASE_REPLICA_URLS';

/**
 * Begins to use the read replicas. Throws a StartFailure for one that cannot serve unless somebody changes something:
 * its URL is wrong, it has other data than the primary, or its role lacks a privilege. One that does not respond, or is
 * not a standby now, may serve later.
 */
async function startReadReplicas(replicas: ReadReplicas): Promise<void> {
  await replicas.start();
  for (const { name, state, failure, settings } of replicas.reports) {
    if (state === 'other data')
      throw new StartFailure(
        `${VARIABLE}: the server at ${name} has other data than that of DATABASE_URL, or the URL names another database; name a standby of that server.`,
      );
    if (state === 'no privilege')
      throw new StartFailure(
        `${VARIABLE}: the role at ${name} may not see from which timeline the standby streams; run GRANT pg_read_all_stats TO that role on the primary.`,
      );
    if (state === 'away' && failure !== undefined && !isTransient(failure))
      throw new StartFailure(serverFailure(failure, new pg.Client(settings), { variable: VARIABLE }));
  }
}
