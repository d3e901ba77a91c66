import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
} from '@modelcontextprotocol/server';
import {
  inMessages,
  AnswerTooLarge,
  type McpDocument,
  type McpTexts,
  type OperationTool,
  type ToolRequest,
} from './operation-tools.js';

/** The response of the service to a request of a tool. */
export interface ToolAnswer {
  status: number;
  /** The text of the body. */
  body: string;
  requestId: string | null;
}

/** The offer of a server. */
export interface McpOffer {
  version: string;
  tools: readonly OperationTool[];
  documents: readonly McpDocument[];
  /** Sends a request of a tool, signed. */
  call: (request: ToolRequest) => Promise<ToolAnswer>;
  /** Values stand in the messages by default. */
  texts?: McpTexts;
}

const INSTRUCTIONS =
  'Tools are the operations of the Ads API of Marquee; their names are the operation ids of the OpenAPI document. Begin with ' +
  'listAccounts. Amounts are in micro-units of the currency: 1,000,000 is one unit. What a tool creates is PAUSED unless ' +
  'entity_status says otherwise. An error names the parameter, the value received and the values allowed.';

/** The scheme of the journal's requests, each by its id. */
const JOURNAL = 'marquee://workbench/requests';
const REQUEST = /^marquee:\/\/workbench\/requests\/([\w.:-]+)$/;

/** A server of the Model Context Protocol for one client: operations as tools, journal and documents as resources. */
export function mcpServer({ version, tools, documents, call, texts = inMessages }: McpOffer): Server {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const server = new Server(
    { name: 'marquee', title: 'Marquee', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: texts.tools(tools) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const tool = byName.get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
    return resultOf(await call(tool.requestOf(args)), texts);
  });
  const journal = {
    uri: JOURNAL,
    name: 'requests',
    title: 'The last requests of the application, newest first',
    mimeType: 'application/json',
  };
  server.setRequestHandler('resources/list', () => ({
    resources: [journal, ...documents.map(({ read: _, ...described }) => described)],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${JOURNAL}/{request_id}`,
        name: 'request',
        title: 'A request with its signature, response and webhook events',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const document = documents.find((each) => each.uri === uri);
    const path = pathOf(uri);
    if (document) return { contents: [{ uri, mimeType: document.mimeType, text: await texts.document(document) }] };
    if (path === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: 'application/json', text: texts.text(await read(call, path)) }] };
  });
  return server;
}

/** The path of a resource of the journal; undefined for any other. */
function pathOf(uri: string): string | undefined {
  const id = REQUEST.exec(uri)?.[1];
  if (uri === JOURNAL) return '/workbench/requests';
  return id === undefined ? undefined : `/workbench/requests/${id}`;
}

/** The result of a tool. The tool did its work even if the answer has no room for the response. */
function resultOf({ status, body, requestId }: ToolAnswer, { text }: McpTexts): CallToolResult {
  const about = `The service answered ${requestId === null ? status : `${status}, x-request-id ${requestId}`}`;
  try {
    const content: CallToolResult['content'] = [
      { type: 'text', text: text(status < 400 ? body : `${about}:\n${body}`) },
    ];
    return status < 400 ? { content } : { content, isError: true };
  } catch (error) {
    if (!(error instanceof AnswerTooLarge)) throw error;
    return { content: [{ type: 'text', text: `${about}. ${error.message}` }], isError: true };
  }
}

async function read(call: McpOffer['call'], path: string): Promise<string> {
  const { status, body } = await call({ method: 'GET', path, sandbox: false, params: [] });
  if (status === 404) throw new ResourceNotFoundError(path);
  if (status >= 400)
    throw new ProtocolError(ProtocolErrorCode.InternalError, `The service answered ${status}: ${body}`);
  return body;
}
