import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { BuildInfo } from './build-info.js';
import { DocsModule } from './docs/docs.module.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { McpModule } from './mcp/mcp.module.js';

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
