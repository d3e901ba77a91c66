import type { Tool } from '@modelcontextprotocol/server';
import type { OperationTool } from './operation-tools.js';

/** A text that clients can read. */
export interface McpDocument {
  uri: string;
  name: string;
  title: string;
  mimeType: string;
  read: (this: void) => Promise<string>;
}

/** Places the large values of an answer in its messages. Each function throws NoRoom if the answer would be too large. */
export interface McpTexts {
  text: (text: string) => string;
  document: (document: McpDocument) => Promise<string>;
  tools: (tools: readonly OperationTool[]) => Tool[];
}

/** The answer has no room for a value. The package makes an error of it, with this code: the request is the reason. */
export class AnswerTooLarge extends Error {
  readonly code = -32_600;
}

/** The tools as clients see them. */
export const describedTools = (tools: readonly OperationTool[]): Tool[] =>
  tools.map(({ requestOf: _, ...described }) => described as Tool);

/** Every value stands in its message, for a server with one client. */
export const inMessages: McpTexts = {
  text: (text) => text,
  document: (document) => document.read(),
  tools: describedTools,
};
