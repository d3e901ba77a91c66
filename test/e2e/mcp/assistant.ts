import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { world } from '../../support/app.js';
import type { Json } from '../../support/http.js';

/** What a client sends besides its credentials. */
interface AssistantOptions {
  /** Of the endpoint, with its query. */
  path?: string;
  headers?: Record<string, string>;
}

/** The response to a tool, as an assistant reads it. */
export interface ToolResult {
  isError: boolean;
  text: string;
  texts: string[];
  structured: unknown;
}

/** An assistant that is connected to `/mcp`. */
export class Assistant {
  private constructor(readonly client: Client) {}

  static async connect(token: string, { path = '/mcp', headers = {} }: AssistantOptions = {}): Promise<Assistant> {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world().url}${path}`), { requestInit }));
    return new Assistant(client);
  }

  async call(name: string, args: object): Promise<ToolResult> {
    const result = await this.client.callTool({ name, arguments: args as Record<string, unknown> });
    const { content, isError = false, structuredContent } = result;
    const texts = (content as { text: string }[]).map(({ text }) => text);
    return { isError, text: texts[0], texts, structured: structuredContent };
  }

  /** The data of a response without errors. */
  async data(name: string, args: object): Promise<Json> {
    const { isError, text } = await this.call(name, args);
    expect({ name, isError, text: isError ? text : '' }).toEqual({ name, isError: false, text: '' });
    return JSON.parse(text).data;
  }
}

/** Sends a message without a client. */
export function bare(body: unknown, headers: Record<string, string> = {}, path = '/mcp'): Promise<Response> {
  return fetch(`${world().url}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The messages of an answer. */
export async function messagesOf(response: Response): Promise<Json[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice(6)));
}
