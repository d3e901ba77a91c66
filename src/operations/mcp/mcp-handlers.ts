import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { createMcpHandler, McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import type { McpOffer, mcpServer } from '../../workbench/mcp/mcp-server.js';
import { describedTools, type McpDocument, type OperationTool } from '../../workbench/mcp/operation-tools.js';
import { ApiDocument } from '../docs/api-document.js';
import type { AnswerTexts } from './answer-texts.js';
import { VERSION } from '../version.js';
import { mcpDocuments } from './documents.js';

interface HandlerOptions {
  /** Offers only operations that change nothing. */
  readOnly: boolean;
  call: McpOffer['call'];
  /** The large values of the answer. */
  texts: AnswerTexts;
  failed: (error: Error) => void;
}

type Fetch = (request: Request, options: McpHandlerRequestOptions) => Promise<Response>;

/** The parts that all clients share. */
interface SharedParts {
  create: typeof createMcpHandler;
  serve: typeof mcpServer;
  all: readonly OperationTool[];
  reads: readonly OperationTool[];
  documents: readonly McpDocument[];
}

/** Creates the handler of a request. The packages and the tools are loaded with the first one. */
@Injectable()
export class McpHandlers {
  private loading?: Promise<SharedParts>;
  /** Lists of tools, and documents, as JSON: all answers share the bytes. */
  private readonly lists = new Map<readonly OperationTool[], Buffer>();
  private readonly documents = new Map<McpDocument, Buffer>();

  constructor(private readonly document: ApiDocument) {}

  async handler({ readOnly, call, texts, failed }: HandlerOptions): Promise<Fetch> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    const { create, serve, all, reads, documents } = await this.loading;
    const offer: McpOffer = {
      version: VERSION,
      tools: readOnly ? reads : all,
      documents,
      call,
      texts: {
        text: (text) => texts.place(jsonOf(text)),
        document: async (document) => texts.place(await this.documentAsJson(document)),
        // the package passes on what stands for the list
        tools: (tools) => texts.place(this.toolsAsJson(tools)) as never,
      },
    };
    // nothing here changes, so that there is nothing to subscribe to
    return create(() => serve(offer), { maxSubscriptions: 0, onerror: failed }).fetch;
  }

  private toolsAsJson(tools: readonly OperationTool[]): Buffer {
    const known = this.lists.get(tools) ?? jsonOf(describedTools(tools));
    this.lists.set(tools, known);
    return known;
  }

  private async documentAsJson(document: McpDocument): Promise<Buffer> {
    const known = this.documents.get(document) ?? jsonOf(await document.read());
    this.documents.set(document, known);
    return known;
  }

  private async load(): Promise<SharedParts> {
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

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
