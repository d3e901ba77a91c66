import { Module, type DynamicModule, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { AuthModule } from '../auth/auth.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { EventExamples } from './docs/event-examples.js';
import { ApiDocument } from './docs/api-document.js';
import { DemoHandout } from './docs/demo-keys.js';
import { DocsController } from './docs/docs.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpHandlers } from './mcp/mcp-handlers.js';
import { Metrics } from '../common/metrics/metrics.js';
import { COMMIT, VERSION } from './version.js';

/** Exports the running release as a metric, so that graphs show when a release was rolled out. */
@Injectable()
class BuildInfo {
  constructor(metrics: Metrics) {
    metrics.info('build_info', 'The release of Marquee and its environment', {
      version: VERSION,
      commit: COMMIT ?? '',
      node: process.version,
    });
  }
}

/** The OpenAPI document, and what uses its examples. */
@Module({
  imports: [WebhooksModule],
  providers: [ApiDocument, EventExamples],
  exports: [ApiDocument],
})
class DocumentModule {}

/** The API for AI assistants. */
@Module({
  imports: [AuthModule, DocumentModule],
  controllers: [McpController],
  providers: [McpHandlers],
})
class McpModule {}

/** The API reference: Swagger UI that signs its requests, and the document behind it. */
@Module({
  imports: [AuthModule, DocumentModule],
  controllers: [DocsController],
  providers: [DemoHandout],
})
class DocsModule {}

@Module({})
export class OperationsModule {
  /** Includes the API reference pages unless `DOCS` disables them. */
  static forRoot({ docs }: Pick<Config, 'docs'>): DynamicModule {
    return {
      module: OperationsModule,
      imports: [...(docs ? [DocsModule] : []), McpModule],
      controllers: [HealthController],
      providers: [Lifecycle, BuildInfo],
      exports: [Lifecycle],
    };
  }
}
