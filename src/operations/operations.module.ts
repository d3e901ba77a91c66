import { Module, type DynamicModule, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { AuthModule } from '../auth/auth.module.js';
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

/** The API for AI assistants, next to the workbench. */
@Module({
  imports: [AuthModule],
  controllers: [McpController],
  providers: [ApiDocument, McpHandlers],
})
class McpModule {}

/** The API reference: Swagger UI that signs its requests, and the document behind it. */
@Module({
  imports: [AuthModule],
  controllers: [DocsController],
  providers: [ApiDocument, DemoHandout],
  exports: [ApiDocument],
})
class DocsModule {}

@Module({})
export class OperationsModule {
  /** Includes the API reference pages and the API for AI assistants, unless `DOCS` and `WORKBENCH` disable them. */
  static forRoot({ docs, workbench }: Pick<Config, 'docs' | 'workbench'>): DynamicModule {
    return {
      module: OperationsModule,
      imports: [...(docs ? [DocsModule] : []), ...(workbench ? [McpModule] : [])],
      controllers: [HealthController],
      providers: [Lifecycle, BuildInfo],
      exports: [Lifecycle],
    };
  }
}
