import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import type { OperationTool, ToolRequest } from './operation-tools.js';

/** The response of the service to a request of a tool. */
export interface ToolAnswer {
  status: number;
  /** The text of the body. */
  body: string;
  requestId: string | null;
}

/** A text that clients can read. */
export interface McpDocument {
  uri: string;
  name: string;
  title: string;
  mimeType: string;
  read: (this: void) => Promise<string>;
}

/** What a server offers. */
export interface McpOffer {
  version: string;
  tools: readonly OperationTool[];
  documents: readonly McpDocument[];
  /** Sends a request of a tool, signed. */
  call: (request: ToolRequest) => Promise<ToolAnswer>;
}

const INSTRUCTIONS =
  'Tools are the operations of the Ads API of Marquee; their names are the operation ids of the OpenAPI document. Begin with ' +
  'listAccounts. Amounts are in micro-units of the currency: 1,000,000 is one unit. What a tool creates is PAUSED unless ' +
  'entity_status says otherwise. An error names the parameter, the value received and the values allowed.';

/** The scheme of the journal's requests, each by its id. */
const JOURNAL = 'marquee://workbench/requests';
const REQUEST = /^marquee:\/\/workbench\/requests\/([\w.:-]+)$/;

/** A server of the Model Context Protocol for one client: operations as tools, journal and documents as resources. */
export function mcpServer({ version, tools, documents, call }: McpOffer): Server {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const server = new Server(
    { name: 'marquee', title: 'Marquee', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ requestOf: _, ...described }) => described as Tool),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const tool = byName.get(name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}`);
    return resultOf(await call(tool.requestOf(args)));
  });
  const journal: McpDocument = {
    uri: JOURNAL,
    name: 'requests',
    title: 'The last requests of the application, newest first',
    mimeType: 'application/json',
    read: () => read(call, '/workbench/requests'),
  };
  const all = [journal, ...documents];
  server.setRequestHandler('resources/list', () => ({
    resources: all.map(({ read: _, ...described }) => described),
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
    const known = all.find((each) => each.uri === uri);
    const id = REQUEST.exec(uri)?.[1];
    if (!known && id === undefined) throw new ResourceNotFoundError(uri);
    const text = known ? await known.read() : await read(call, `/workbench/requests/${id}`);
    return { contents: [{ uri, mimeType: known?.mimeType ?? 'application/json', text }] };
  });
  return server;
}

function resultOf({ status, body, requestId }: ToolAnswer): CallToolResult {
  const about = requestId === null ? `${status}` : `${status}, x-request-id ${requestId}`;
  return {
    content: [{ type: 'text', text: status < 400 ? body : `The service answered ${about}:\n${body}` }],
    ...(status >= 400 && { isError: true }),
  };
}

async function read(call: McpOffer['call'], path: string): Promise<string> {
  const { status, body } = await call({ method: 'GET', path, sandbox: false, params: [] });
  if (status === 404) throw new ResourceNotFoundError(path);
  if (status >= 400)
    throw new ProtocolError(ProtocolErrorCode.InternalError, `The service answered ${status}: ${body}`);
  return body;
}
