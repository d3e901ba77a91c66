import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { createMcpHandler, McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import type { McpDocument, McpOffer, mcpServer } from '../../workbench/mcp/mcp-server.js';
import type { OperationTool } from '../../workbench/mcp/operation-tools.js';
import { ApiDocument } from '../docs/api-document.js';
import { VERSION } from '../version.js';
import { mcpDocuments } from './documents.js';

interface Wanted {
  /** Offers only operations that change nothing. */
  readOnly: boolean;
  call: McpOffer['call'];
  failed: (error: Error) => void;
}

type Fetch = (request: Request, options: McpHandlerRequestOptions) => Promise<Response>;

/** What is the same for all clients. */
interface Loaded {
  create: typeof createMcpHandler;
  serve: typeof mcpServer;
  all: readonly OperationTool[];
  reads: readonly OperationTool[];
  documents: readonly McpDocument[];
}

/** Creates the handler of a request. The packages and the tools are loaded with the first one. */
@Injectable()
export class McpHandlers {
  private loading?: Promise<Loaded>;

  constructor(private readonly document: ApiDocument) {}

  async handler({ readOnly, call, failed }: Wanted): Promise<Fetch> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    const { create, serve, all, reads, documents } = await this.loading;
    const offer = { version: VERSION, tools: readOnly ? reads : all, documents, call };
    // nothing here changes, so that there is nothing to subscribe to
    return create(() => serve(offer), { maxSubscriptions: 0, onerror: failed }).fetch;
  }

  private async load(): Promise<Loaded> {
    const { mcpServer: serve } = await import('../../workbench/mcp/mcp-server.js');
    const { createMcpHandler: create } = await import('@modelcontextprotocol/server');
    const { operationTools } = await import('../../workbench/mcp/operation-tools.js');
    const document = JSON.parse(await this.document.asText('marquee')) as OpenAPIObject;
    return {
      create,
      serve,
      all: operationTools(document),
      reads: operationTools(document, { readOnly: true }),
      documents: mcpDocuments(() => this.document.asText('marquee')),
    };
  }
}
