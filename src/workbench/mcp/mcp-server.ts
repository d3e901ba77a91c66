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
import type { Vocabulary } from '../../names/vocabulary.js';
import { listedPrompts, promptNamed } from './prompts.js';
import { SEARCH, searchOperations, toolNamed } from './tool-sets.js';

/** The response of the service to a request of a tool. */
export interface ToolAnswer {
  status: number;
  /** The text of the body. */
  body: string;
  requestId: string | null;
  hint: string | null;
}

/** The offer of a server. */
export interface McpOffer {
  version: string;
  names: Vocabulary;
  /** The tools that clients may call. */
  tools: readonly OperationTool[];
  /** The tools that clients see. */
  listed: readonly OperationTool[];
  documents: readonly McpDocument[];
  /** Whether the service has the request journal; true by default. */
  hasJournal?: boolean;
  /** Sends a request of a tool, signed. */
  call: (request: ToolRequest) => Promise<ToolAnswer>;
  /** Values stand in the messages by default. */
  texts?: McpTexts;
}

const VALUES =
  'Amounts are in micro-units of the currency: 1,000,000 is one unit. Times are ISO 8601; without an offset they are in UTC. Lists are ' +
  'arrays, or texts with commas. null unsets an optional field. The sandbox has separate accounts. ';
const ERRORS = 'An error names the parameter, the value received and the values allowed.';
const INSTRUCTIONS = {
  marquee:
    'Tools are operations of the Ads API of Marquee; their names are the operation ids of the OpenAPI document. search_operations finds ' +
    `others, and call_operation calls them. Begin with listAccounts. ${VALUES}What a tool creates is PAUSED unless entity_status says ` +
    `otherwise. ${ERRORS}`,
  x:
    `Begin with list_ads_accounts. ${VALUES}Campaigns and line items are created PAUSED; activate_campaign and activate_line_item ` +
    `activate them. Line items have budget, schedule and pacing. ${ERRORS}`,
};

/** The scheme of the journal's requests, each by its id. */
const JOURNAL = 'marquee://workbench/requests';
/** Segments of dots would make another path. */
const REQUEST = /^marquee:\/\/workbench\/requests\/(?!\.{1,2}$)([\w.:-]+)$/;

const REQUESTS = {
  uriTemplate: `${JOURNAL}/{request_id}`,
  name: 'request',
  title: 'A request with its signature, response and webhook events',
  mimeType: 'application/json',
};

/** A server of the Model Context Protocol for one client: operations as tools, journal and documents as resources. */
export function mcpServer({
  version,
  names,
  tools,
  listed,
  documents,
  hasJournal = true,
  call,
  texts = inMessages,
}: McpOffer): Server {
  const callable = [...listed, ...tools];
  const server = new Server(
    { name: 'marquee', title: 'Marquee', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS[names] },
  );
  server.setRequestHandler('tools/list', () => ({ tools: texts.tools(listed) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const tool = toolNamed(callable, name);
    if (tool === SEARCH) return whole(JSON.stringify(searchOperations(tools, args)), texts);
    return resultOf(await call(tool.requestOf(args)), names, texts);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: listedPrompts() }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: values = {} } }) =>
    promptNamed(name, values, names),
  );
  const journal = {
    uri: JOURNAL,
    name: 'requests',
    title: 'The last requests of the application, newest first',
    mimeType: 'application/json',
  };
  server.setRequestHandler('resources/list', () => ({
    resources: [...(hasJournal ? [journal] : []), ...documents.map(({ read: _, ...described }) => described)],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: hasJournal ? [REQUESTS] : [],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const document = documents.find((each) => each.uri === uri);
    const path = hasJournal ? pathOf(uri) : undefined;
    if (document) return { contents: [{ uri, mimeType: document.mimeType, text: await texts.document(document) }] };
    if (path === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: 'application/json', text: texts.text(await read(call, uri, path)) }] };
  });
  return server;
}

/** The path of a resource of the journal; undefined for any other. */
function pathOf(uri: string): string | undefined {
  const id = REQUEST.exec(uri)?.[1];
  if (uri === JOURNAL) return '/workbench/requests';
  return id === undefined ? undefined : `/workbench/requests/${id}`;
}

/** The result of a tool with a text that is JSON of an object. */
const whole = (json: string, { text, object }: McpTexts): CallToolResult => ({
  content: [{ type: 'text', text: text(json) }],
  structuredContent: object(json),
});

/**
 * The result of a tool: the body of the response, and after it the hint. With X's names an error is the body alone, too. The tool
 * did its work even if the answer has no room for the response.
 */
function resultOf({ status, body, requestId, hint }: ToolAnswer, names: Vocabulary, texts: McpTexts): CallToolResult {
  const about = `The service answered ${requestId === null ? status : `${status}, x-request-id ${requestId}`}`;
  const hints: CallToolResult['content'] = hint === null ? [] : [{ type: 'text', text: `Hint: ${hint}` }];
  try {
    if (status < 400) {
      const { content, ...rest } = whole(body || '{}', texts);
      return { content: [...content, ...hints], ...rest };
    }
    const text = texts.text(names === 'x' ? body : `${about}:\n${body}`);
    return { content: [{ type: 'text', text }, ...hints], isError: true };
  } catch (error) {
    if (!(error instanceof AnswerTooLarge)) throw error;
    return { content: [{ type: 'text', text: `${about}. ${error.message}` }], isError: true };
  }
}

async function read(call: McpOffer['call'], uri: string, path: string): Promise<string> {
  const { status, body } = await call({ method: 'GET', path, sandbox: false, params: [] });
  if (status === 404) throw new ResourceNotFoundError(uri);
  const { InternalError, InvalidRequest } = ProtocolErrorCode;
  if (status >= 400)
    throw new ProtocolError(status >= 500 ? InternalError : InvalidRequest, `The service answered ${status}: ${body}`);
  return body;
}
