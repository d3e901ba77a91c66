import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { ApiDocument } from '../docs/api-document.js';
import { McpController } from './mcp.controller.js';
import { McpHandlers } from './mcp-handlers.js';

/** The API for AI assistants, next to the workbench. */
@Module({
  imports: [AuthModule],
  controllers: [McpController],
  providers: [ApiDocument, McpHandlers],
})
export class McpModule {}
