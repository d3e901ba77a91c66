import type { AddressInfo } from 'node:net';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountsModule } from '../../src/accounts/accounts.module.js';
import { AppModule } from '../../src/app.module.js';
import { ReplayProtection } from '../../src/auth/replay/replay-protection.js';
import { ApiErrorFilter } from '../../src/common/http/errors/error-response.js';
import { Clock } from '../../src/common/time/clock.js';
import { DATABASE, type Database } from '../../src/common/db/database.js';
import { installHooks } from '../../src/common/http/server/request-hooks.js';
import { adapterFor } from '../../src/common/http/server/server.js';
import { loggerFor, nestLogger } from '../../src/common/logging/log.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { world } from './app.js';

/**
 * Serves controllers of a spec file beside everything else, on the same store, for what no endpoint of the service uses yet.
 * Call it after `useApp()`; once tests run it answers where, and the providers of the application that serves them.
 */
export function useControllers(...controllers: Type[]) {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const { config } = world();
    class TestModule {}
    const store = world().app.get<Database>(DATABASE);
    const platform = { config, store, clock: world().get(Clock) };
    Module({ imports: [AppModule.forRoot(platform), AccountsModule], controllers })(TestModule);
    const logger = loggerFor(config);
    const adapter = adapterFor(config, logger);
    app = await NestFactory.create<NestFastifyApplication>(TestModule, adapter, {
      bodyParser: false,
      logger: nestLogger(logger),
    });
    installHooks(adapter.getInstance(), { metrics: app.get(Metrics), stopping: () => false, logger });
    app.useGlobalFilters(new ApiErrorFilter());
    await app.get(ReplayProtection).start();
    await app.listen(0, '127.0.0.1');
  }, 60_000);
  afterAll(() => app?.close());
  return {
    url: () => `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`,
    get: <T>(kind: Type<T>): T => app.get(kind),
  };
}
