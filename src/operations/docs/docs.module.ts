import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { ApiDocument } from './api-document.js';
import { DemoHandout } from './demo-handout.js';
import { DocsController } from './docs.controller.js';

/** The API reference: Swagger UI that signs its requests, and the document behind it. */
@Module({
  imports: [AuthModule],
  controllers: [DocsController],
  providers: [ApiDocument, DemoHandout],
  exports: [ApiDocument],
})
export class DocsModule {}
