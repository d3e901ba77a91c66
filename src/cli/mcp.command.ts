import { InvalidArgumentError, type Command } from 'commander';
import type { OpenAPIObject } from '@nestjs/swagger';
import { mcpDocuments, readOpenapi } from '../operations/mcp/documents.js';
import { HINT_HEADER } from '../common/http/hints/hints.js';
import { NAMES_HEADER, type Vocabulary } from '../names/vocabulary.js';
import { listedTools, readSets, TOOL_SETS, type ToolSet } from '../workbench/mcp/tool-sets.js';
import { TOOLS_OF_X } from '../workbench/mcp/tools-of-x.js';
import { VERSION } from '../operations/version.js';
import type { McpOffer, ToolAnswer } from '../workbench/mcp/mcp-server.js';
import type { ToolRequest } from '../workbench/mcp/operation-tools.js';
import { baseUrlsOf, findCredentials, type NamedCredentials } from './credentials/credentials.js';
import type { Credentials } from './credentials/profiles.js';
import { choice, wholeNumber } from './parsing.js';
import { Misuse } from './refusal.js';
import { authorizerOf } from './request/authorize.js';
import { type Draft, draft } from './request/draft.js';
import { send } from './request/send.js';
import type { ProcessTerminal } from './terminal.js';
import { withCredentials } from './workbench/operations.js';

interface McpOptions extends NamedCredentials {
  http?: number;
  readOnly?: boolean;
  tools?: ToolSet[];
  names: Vocabulary;
}

const HOST = '127.0.0.1';
const NAMES: readonly Vocabulary[] = ['marquee', 'x'];

/** `marquee mcp`: a server of the Model Context Protocol. */
export function addMcpCommand(program: Command, terminal: ProcessTerminal): void {
  withCredentials(
    program
      .command('mcp')
      .summary('serve the API to AI assistants (Model Context Protocol)')
      .description(
        'Serves the operations of the API as tools, and the request journal and the documentation as resources, on standard input and ' +
          'output, or with --http at http://127.0.0.1:<port>/mcp. All requests have the credentials of the command. What a ' +
          'tool creates is paused unless its input says otherwise.',
      )
      .option('--http <port>', 'serve Streamable HTTP on this port, to clients of this machine', wholeNumber(0, 65_535))
      .option('--read-only', 'offer only operations that change nothing')
      .option('--tools <sets>', `list the tools of these sets: ${TOOL_SETS.join(', ')}`, toolSets)
      .option(
        '--names <names>',
        "x has the tools of X's server with the names of X, marquee those of this service",
        choice(NAMES),
        'marquee' as const,
      ),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee mcp --credentials token.json --read-only\n  $ marquee mcp --http 3111\n  $ marquee mcp --names x\n\nThe configuration of an assistant:\n  { "mcpServers": { "marquee": { "command": "npx", "args": ["marquee", "mcp", "--credentials", "token.json"] } } }',
    )
    .action((options: McpOptions) => serveMcp(options, terminal));
}

function toolSets(list: string): ToolSet[] {
  const sets = readSets(list);
  if (!sets) throw new InvalidArgumentError(`Expected a list of ${TOOL_SETS.join(', ')}.`);
  return sets;
}

async function serveMcp(
  { http, readOnly, tools: sets, names, ...named }: McpOptions,
  terminal: ProcessTerminal,
): Promise<void> {
  if (names === 'x' && sets) throw new Misuse('--tools and --names x cannot be combined: X has no sets');
  const [{ mcpServer }, { operationTools, tabledTools, isRead }] = await Promise.all([
    import('../workbench/mcp/mcp-server.js'),
    import('../workbench/mcp/operation-tools.js'),
  ]);
  const found = findCredentials(named);
  const authorize = authorizerOf(found);
  const written = await readOpenapi();
  const document = await documentIn(names, JSON.parse(written) as OpenAPIObject);
  const openapi = names === 'x' ? JSON.stringify(document) : written;
  const all = names === 'x' ? tabledTools(document, TOOLS_OF_X) : operationTools(document);
  const tools = readOnly ? all.filter(isRead) : all;
  const offer: McpOffer = {
    version: VERSION,
    names,
    tools,
    listed: names === 'x' ? tools : listedTools(tools, sets),
    documents: mcpDocuments(() => Promise.resolve(openapi)),
    call: async (request) => answerTo(await authorize(draftOf(request, names, found.credentials))),
  };
  const factory = () => mcpServer(offer);
  if (http !== undefined) return serveHttp(factory, http, terminal);
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const handle = serveStdio(factory, { onerror: (error) => terminal.err(`${error.message}\n`) });
  await ended();
  await handle.close();
}

async function documentIn(names: Vocabulary, document: OpenAPIObject): Promise<OpenAPIObject> {
  if (names !== 'x') return document;
  const { documentWithNamesOfX } = await import('../operations/docs/document-names.js');
  return documentWithNamesOfX(document);
}

type Factory = () => ReturnType<(typeof import('../workbench/mcp/mcp-server.js'))['mcpServer']>;

/** The official application only answers requests for this machine, so that no web page can use the tools. */
async function serveHttp(factory: Factory, port: number, terminal: ProcessTerminal): Promise<void> {
  const [{ createMcpFastifyApp }, { toNodeHandler }, { createMcpHandler }] = await Promise.all([
    import('@modelcontextprotocol/fastify'),
    import('@modelcontextprotocol/node'),
    import('@modelcontextprotocol/server'),
  ]);
  const app = createMcpFastifyApp({ host: HOST });
  const handler = createMcpHandler(factory, { onerror: (error) => terminal.err(`${error.message}\n`) });
  const handle = toNodeHandler(handler);
  app.all('/mcp', async (request, reply) => {
    reply.hijack();
    await handle(request.raw, reply.raw, request.body);
  });
  await app.listen({ host: HOST, port });
  const { port: actual } = app.server.address() as { port: number };
  terminal.err(`Serving the Model Context Protocol at http://${HOST}:${actual}/mcp\n`);
  await ended();
  await app.close();
}

/** Resolves when standard input ends or the process is told to stop. */
const ended = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
    process.stdin.once('end', () => resolve()).once('close', () => resolve());
  });

function draftOf(request: ToolRequest, names: Vocabulary, credentials: Credentials): Draft {
  const { method, path, params, sandbox, json } = request;
  const spec = {
    method,
    path,
    params,
    sandbox,
    literal: true,
    headers: [
      ['user-agent', `marquee-mcp/${VERSION}`],
      [NAMES_HEADER, names],
    ] as [string, string][],
    ...(json !== undefined && { json: JSON.stringify(json) }),
  };
  return draft(spec, credentials, baseUrlsOf(credentials));
}

async function answerTo(request: Draft): Promise<ToolAnswer> {
  const answer = await send(request);
  const { status, headers } = answer;
  return {
    status,
    body: await answer.text(),
    requestId: headers.get('x-request-id'),
    hint: headers.get(HINT_HEADER),
  };
}
