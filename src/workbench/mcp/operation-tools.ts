import type { OpenAPIObject } from '@nestjs/swagger';
import type { Tool } from '@modelcontextprotocol/server';
import type { InsideRequest } from '../inside/injection.js';

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

type Json = Record<string, unknown>;

/** A request that a tool makes. */
export interface ToolRequest extends InsideRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
}

/** An operation of the API as a tool of the Model Context Protocol. */
export interface OperationTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; properties: Json; required?: string[]; $defs?: Json };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
  requestOf: (args: Json) => ToolRequest;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Json;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; description?: string; content: Record<string, { schema: Json }> };
  'x-sandbox-only'?: boolean;
}

const METHODS = ['get', 'post', 'put', 'delete'] as const;
const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = 'application/json';
const FILE = 'multipart/form-data';
/** Sign-in and sign-out are not for tools, and a path with a suffix is another name of the one without. */
const EXCLUDED = /\/oauth2?\/|\.json$/;

const SANDBOX = {
  type: 'boolean',
  default: false,
  description: 'Whether the request goes to the sandbox, which has separate accounts.',
};

/** The name of the argument with a JSON body. */
const BODY = 'body';

/**
 * All operations that a user signs, except uploads of files, as tools. Their input has the parameters of the operation;
 * a JSON body is `body`. What a tool creates is paused unless the input says otherwise.
 */
export function operationTools(document: OpenAPIObject, { readOnly = false } = {}): OperationTool[] {
  const components = (document.components ?? {}) as Json;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (!operation || (readOnly && method !== 'get') || !isCallable(path, operation)) return [];
      return [toolOf({ path, method, operation, components })];
    }),
  );
}

function isCallable(path: string, { security = [], requestBody }: Operation): boolean {
  if (!security.some((scheme) => 'oauth1' in scheme) || EXCLUDED.test(path)) return false;
  const { content = {} } = requestBody ?? {};
  return !requestBody || ((FORM in content || JSON_BODY in content) && !(FILE in content));
}

interface DescribedOperation {
  path: string;
  method: (typeof METHODS)[number];
  operation: Operation;
  components: Json;
}

function toolOf({ path, method, operation, components }: DescribedOperation): OperationTool {
  const schemas = new Schemas(components);
  const { operationId, summary, description, requestBody, 'x-sandbox-only': isSandboxOnly = false } = operation;
  const parameters = (operation.parameters ?? []).filter(
    (each): each is Parameter => 'schema' in each && each.in !== 'header',
  );
  const form = requestBody?.content[FORM] && schemas.resolved(requestBody.content[FORM].schema);
  const json = requestBody?.content[JSON_BODY]?.schema;
  const properties: Json = {};
  for (const { name, schema, description: about } of parameters)
    properties[name] = { ...schemas.own(schema), ...(about !== undefined && { description: about }) };
  for (const [name, schema] of Object.entries((form?.properties ?? {}) as Record<string, Json>))
    properties[name] = pausedByDefault(method, name, schemas.own(schema));
  if (json) properties[BODY] = { ...schemas.own(json), description: requestBody.description ?? 'The JSON body.' };
  if (!isSandboxOnly) properties.sandbox = SANDBOX;
  const required = [
    ...parameters.filter((each) => each.required).map(({ name }) => name),
    ...((form?.required ?? []) as string[]),
    ...(json && requestBody?.required ? [BODY] : []),
  ];
  const isRead = method === 'get';
  return {
    name: operationId,
    title: summary ?? operationId,
    description: [summary, description, `${method.toUpperCase()} ${path}`].filter(Boolean).join('\n\n'),
    inputSchema: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      ...(schemas.isUsed && { $defs: schemas.definitions }),
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: method === 'delete',
      idempotentHint: isRead || method === 'put',
      openWorldHint: false,
    },
    requestOf: (args) => requestOf({ path, method, operation, components }, { parameters, form, json }, args),
  };
}

interface Inputs {
  parameters: Parameter[];
  form?: Json;
  json?: Json;
}

function requestOf(
  { path, method, operation, components }: DescribedOperation,
  { parameters, form, json }: Inputs,
  args: Json,
): ToolRequest {
  const inPath = new Set(parameters.filter((each) => each.in === 'path').map(({ name }) => name));
  const known = new Set([...parameters.map(({ name }) => name), ...Object.keys(form?.properties ?? {})]);
  const values = { ...args };
  if (method === 'post' && isPausable((form?.properties as Json | undefined)?.entity_status, components))
    values.entity_status ??= 'PAUSED';
  return {
    method: method.toUpperCase() as ToolRequest['method'],
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(args[name] ?? ''))),
    sandbox: operation['x-sandbox-only'] === true || args.sandbox === true,
    params: Object.entries(values).flatMap(([name, value]): [string, string][] =>
      known.has(name) && !inPath.has(name) && value !== undefined ? [[name, textOf(value)]] : [],
    ),
    ...(json && BODY in args && { json: pausedCreates(args[BODY], json, components) }),
  };
}

/** A value in a query or form: lists with commas, null as an empty value. */
function textOf(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The creates of a batch, paused unless they say otherwise. */
function pausedCreates(body: unknown, schema: Json, components: Json): unknown {
  if (!Array.isArray(body)) return body;
  const { items } = schema as { items?: { oneOf?: { properties?: Record<string, Json> }[] } };
  const create = items?.oneOf?.find(({ properties }) => properties?.operation_type?.const === 'Create');
  const params = create?.properties?.params && new Schemas(components).resolved(create.properties.params);
  if (!isPausable((params?.properties as Json | undefined)?.entity_status, components)) return body;
  return body.map((operation: { operation_type?: unknown; params?: Json }) =>
    operation?.operation_type === 'Create'
      ? { ...operation, params: { entity_status: 'PAUSED', ...operation.params } }
      : operation,
  );
}

const pausedByDefault = (method: string, name: string, schema: Json): Json =>
  method === 'post' && name === 'entity_status' ? { ...schema, default: 'PAUSED' } : schema;

function isPausable(schema: unknown, components: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { enum: values } = new Schemas(components).resolved(schema as Json);
  return Array.isArray(values) && values.includes('PAUSED');
}

/** The schemas of one tool, with definitions of their own instead of those of the document. */
class Schemas {
  readonly definitions: Json = {};

  constructor(private readonly components: Json) {}

  get isUsed(): boolean {
    return Object.keys(this.definitions).length > 0;
  }

  /** A schema, or the one that it refers to. */
  resolved(schema: Json): Json {
    const { $ref, ...own } = schema as { $ref?: string };
    return $ref === undefined ? schema : { ...this.named($ref), ...own };
  }

  /** A copy of a schema that refers to the definitions of the tool. */
  own(schema: unknown): Json {
    return this.copy(schema) as Json;
  }

  private copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.copy(each));
    if (typeof value !== 'object' || value === null) return value;
    const copied = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.copy(each)]));
    if (typeof copied.$ref === 'string') copied.$ref = this.define(copied.$ref);
    return copied;
  }

  private define(ref: string): string {
    const name = nameOf(ref);
    if (!(name in this.definitions)) {
      this.definitions[name] = {};
      this.definitions[name] = this.copy(this.named(ref));
    }
    return `#/$defs/${name}`;
  }

  private named(ref: string): Json {
    return (this.components.schemas as Record<string, Json>)[nameOf(ref)];
  }
}

const nameOf = (ref: string): string => ref.split('/').at(-1)!;
