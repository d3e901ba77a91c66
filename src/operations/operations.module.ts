import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../config.js';
import { BuildInfo } from './build-info.js';
import { DocsModule } from './docs/docs.module.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';

@Module({})
export class OperationsModule {
  /** Includes the API reference pages unless `DOCS` disables them. */
  static forRoot({ docs }: Pick<Config, 'docs'>): DynamicModule {
    return {
      module: OperationsModule,
      imports: docs ? [DocsModule] : [],
      controllers: [HealthController],
      providers: [Lifecycle, BuildInfo],
      exports: [Lifecycle],
    };
  }
}
