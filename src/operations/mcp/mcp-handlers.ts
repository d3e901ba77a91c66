import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { createMcpHandler, McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { Config } from '../../config/config.js';
import type { Vocabulary } from '../../names/vocabulary.js';
import type { McpOffer, mcpServer } from '../../workbench/mcp/mcp-server.js';
import {
  describedTools,
  isRead,
  operationTools,
  tabledTools,
  type McpDocument,
  type OperationTool,
} from '../../workbench/mcp/operation-tools.js';
import { listedTools, type ToolSet } from '../../workbench/mcp/tool-sets.js';
import { TOOLS_OF_X } from '../../workbench/mcp/tools-of-x.js';
import { ApiDocument } from '../docs/api-document.js';
import type { AnswerTexts } from './answer-texts.js';
import { VERSION } from '../version.js';
import { mcpDocuments } from './documents.js';

/** The tools that a client wants. */
export interface WantedTools {
  names: Vocabulary;
  /** Offers only operations that change nothing. */
  readOnly: boolean;
  sets: readonly ToolSet[];
}

interface HandlerOptions {
  wanted: WantedTools;
  call: McpOffer['call'];
  /** The large values of the answer. */
  texts: AnswerTexts;
  failed: (error: Error) => void;
}

type Fetch = (request: Request, options: McpHandlerRequestOptions) => Promise<Response>;

/** What clients who want the same share. */
interface SharedTools {
  tools: readonly OperationTool[];
  listed: readonly OperationTool[];
  /** The list as JSON: all answers share the bytes. */
  json: Buffer;
}

interface Packages {
  create: typeof createMcpHandler;
  serve: typeof mcpServer;
}

const MAX_LISTS = 8;

/** Creates the handler of a request. The packages and the tools are loaded with the first one. */
@Injectable()
export class McpHandlers {
  private loading?: Promise<Packages>;
  private readonly all = new Map<Vocabulary, readonly OperationTool[]>();
  private readonly lists = new LRUCache<string, SharedTools>({ max: MAX_LISTS });
  private readonly offered = new Map<Vocabulary, readonly McpDocument[]>();
  private readonly documents = new Map<McpDocument, Buffer>();

  constructor(
    private readonly document: ApiDocument,
    private readonly config: Config,
  ) {}

  async handler({ wanted, call, texts, failed }: HandlerOptions): Promise<Fetch> {
    this.loading ??= load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    const { create, serve } = await this.loading;
    const { names } = wanted;
    const { tools, listed, json } = await this.toolsFor(wanted);
    const offer: McpOffer = {
      version: VERSION,
      names,
      tools,
      listed,
      documents: this.documentsIn(names),
      hasJournal: this.config.workbench,
      call,
      texts: {
        text: (text) => texts.place(jsonOf(text)),
        object: (text) => texts.placeObject(Buffer.from(text)),
        document: async (document) => texts.place(await this.documentAsJson(document)),
        // the package passes on what stands for the list
        tools: () => texts.place(json) as never,
      },
    };
    // nothing here changes, so that there is nothing to subscribe to
    return create(() => serve(offer), { maxSubscriptions: 0, onerror: failed }).fetch;
  }

  private async toolsFor(wanted: WantedTools): Promise<SharedTools> {
    const key = JSON.stringify(wanted);
    const known = this.lists.get(key);
    if (known) return known;
    const { names, readOnly, sets } = wanted;
    const all = await this.allIn(names);
    const tools = readOnly ? all.filter(isRead) : all;
    const listed = names === 'x' ? tools : listedTools(tools, sets);
    const shared = { tools, listed, json: jsonOf(describedTools(listed)) };
    this.lists.set(key, shared);
    return shared;
  }

  private async allIn(names: Vocabulary): Promise<readonly OperationTool[]> {
    const known = this.all.get(names);
    if (known) return known;
    const document = JSON.parse(await this.document.asText(names)) as OpenAPIObject;
    if (!this.config.workbench) document.paths = withoutWorkbench(document.paths);
    const all = names === 'x' ? tabledTools(document, TOOLS_OF_X) : operationTools(document);
    this.all.set(names, all);
    return all;
  }

  private documentsIn(names: Vocabulary): readonly McpDocument[] {
    const known = this.offered.get(names) ?? mcpDocuments(() => this.document.asText(names));
    this.offered.set(names, known);
    return known;
  }

  private async documentAsJson(document: McpDocument): Promise<Buffer> {
    const known = this.documents.get(document) ?? jsonOf(await document.read());
    this.documents.set(document, known);
    return known;
  }
}

/** The paths that exist without the workbench. */
const withoutWorkbench = (paths: OpenAPIObject['paths']): OpenAPIObject['paths'] =>
  Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith('/workbench/')));

async function load(): Promise<Packages> {
  const { mcpServer: serve } = await import('../../workbench/mcp/mcp-server.js');
  const { createMcpHandler: create } = await import('@modelcontextprotocol/server');
  return { create, serve };
}

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
