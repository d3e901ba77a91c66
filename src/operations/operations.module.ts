import { Module } from '@nestjs/common';
import { DocsModule } from './docs/docs.module.js';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';

@Module({ imports: [DocsModule], controllers: [HealthController], providers: [Lifecycle], exports: [Lifecycle] })
export class OperationsModule {}
