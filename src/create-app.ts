import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { senderOf } from './auth/guards/sender.js';
import { ReplayProtection } from './auth/replay/replay-protection.js';
import { installAsOf } from './common/as-of/as-of-hooks.js';
import type { Platform } from './common/core.module.js';
import { ApiErrorFilter } from './common/http/errors/error-response.js';
import { networkMatcher } from './common/http/urls/public-urls.js';
import { installNames, pathsWithOurNames } from './names/names-hooks.js';
import { installHooks } from './common/http/server/request-hooks.js';
import { adapterFor, type ServerFactory } from './common/http/server/server.js';
import { loggerFor, nestLogger, unredacted } from './common/logging/log.js';
import { Metrics } from './common/metrics/metrics.js';
import { Lifecycle } from './operations/lifecycle.js';
import { installFaults } from './workbench/faults/fault-hooks.js';
import { RequestMinutes } from './workbench/journal/request-minutes.js';
import { Journal, installJournal } from './workbench/journal/journal.js';

/**
 * The whole application on an open store, initialised but not listening, for the service, tests and tools. With a
 * server factory, another server listens for it.
 */
export async function createApp(platform: Platform, serverFactory?: ServerFactory): Promise<NestFastifyApplication> {
  const logger = loggerFor(platform.config);
  const rewritePath = pathsWithOurNames(platform.config.names);
  const adapter = adapterFor(platform.config, logger, { serverFactory, rewritePath });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(platform), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
    forceCloseConnections: false,
  });
  adapter.getInstance().decorate('db', platform.store.dataSource.manager);
  const lifecycle = app.get(Lifecycle);
  installHooks(adapter.getInstance(), {
    metrics: app.get(Metrics),
    stopping: () => lifecycle.stopping,
    mostUnderway: platform.config.maxConcurrentRequests,
    connections: {
      total: platform.config.maxConnections,
      perAddress: platform.config.maxConnectionsPerAddress,
      isExempt: networkMatcher(platform.config.trustProxy),
    },
    logger: unredacted(logger),
    senderOf,
    uploaderOf: ({ user }) => user?.userId,
    timezoneOf: ({ account }) => account?.timezone,
    // after a 5xx it is unknown whether the write was stored
    ...(platform.store.readReplicas && {
      beforeAnswer: ({ writeInProgress }, { statusCode }) =>
        writeInProgress && statusCode < 500 ? app.get(ReplayProtection).finishWrite(writeInProgress) : undefined,
    }),
  });
  const { workbench } = platform.config;
  if (workbench) installFaults(adapter.getInstance());
  installNames(adapter.getInstance());
  installAsOf(adapter.getInstance(), platform.config.asOf);
  if (workbench) installJournal(adapter.getInstance(), app.get(Journal), app.get(RequestMinutes));
  app.useGlobalFilters(new ApiErrorFilter());
  await app.init();
  await adapter.getInstance().ready();
  return app;
}
