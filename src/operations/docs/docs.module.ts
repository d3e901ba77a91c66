import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocsController } from './docs.controller.js';

/** The reference for people: Swagger UI that signs what it sends, and the document behind it. */
@Module({ controllers: [DocsController], providers: [ApiDocument], exports: [ApiDocument] })
export class DocsModule {}
