import type { AddressInfo } from 'node:net';
import { Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiErrorFilter } from '../../src/common/http/errors/error-response.js';
import { installHooks } from '../../src/common/http/server/request-hooks.js';
import { adapterFor } from '../../src/common/http/server/server.js';
import { loggerFor, nestLogger } from '../../src/common/logging/log.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { readConfig } from '../../src/config/config.js';

export interface SmallApp {
  url: string;
  app: NestFastifyApplication;
  metrics: Metrics;
  close(): Promise<void>;
}

/** Serves controllers of a test the way the service serves its own: the same adapter, hooks and writer of errors. */
export async function serveSmall(parts: ModuleMetadata): Promise<SmallApp> {
  class SmallModule {}
  Module(parts)(SmallModule);
  const config = readConfig({ NODE_ENV: 'test' });
  const logger = loggerFor(config);
  const adapter = adapterFor(config, logger);
  const app = await NestFactory.create<NestFastifyApplication>(SmallModule, adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const metrics = new Metrics();
  installHooks(adapter.getInstance(), { metrics, stopping: () => false, logger });
  app.useGlobalFilters(new ApiErrorFilter());
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, app, metrics, close: () => app.close() };
}
