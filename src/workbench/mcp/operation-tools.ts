import type { OpenAPIObject } from '@nestjs/swagger';
import type { Tool } from '@modelcontextprotocol/server';
import type { InsideRequest } from '../inside/injection.js';
import { percentEncode } from '../../auth/headers/percent.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { isObject } from '../../common/values/is-object.js';
import { checkArguments, textOf, type ToolArgument } from './tool-arguments.js';
import { shortened, ToolSchemas } from './tool-schemas.js';

/** A text that clients can read. */
export interface McpDocument {
  uri: string;
  name: string;
  title: string;
  mimeType: string;
  read: (this: void) => Promise<string>;
}

/** Places the large values of an answer in its messages. Each function throws AnswerTooLarge if the answer would be too large. */
export interface McpTexts {
  text: (text: string) => string;
  /** A text that is JSON of an object, as this object. */
  object: (json: string) => Record<string, unknown>;
  document: (document: McpDocument) => Promise<string>;
  tools: (tools: readonly OperationTool[]) => Tool[];
}

/** The answer has no room for a value. The package makes an error of it, with this code: the request is the reason. */
export class AnswerTooLarge extends Error {
  readonly code = -32_600;
}

/** The tools as clients see them. */
export const describedTools = (tools: readonly OperationTool[]): Tool[] =>
  tools.map(({ requestOf: _, tag: __, ...described }) => described as unknown as Tool);

/** Every value stands in its message, for a server with one client. */
export const inMessages: McpTexts = {
  text: (text) => text,
  object: (json) => JSON.parse(json) as Record<string, unknown>,
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
  description: string;
  inputSchema: ToolSchema;
  outputSchema: ToolSchema;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
  /** The part of the document that has the operation. */
  tag: string;
  /** The request with these arguments. Throws InvalidArguments. */
  requestOf: (args: Json) => ToolRequest;
}

interface ToolSchema extends Json {
  type: 'object';
  properties?: Json;
  required?: string[];
  additionalProperties?: false;
  $defs?: Json;
}

/** How a tool differs from its operation. */
export interface ToolTerms {
  /** The id of the operation. */
  operation: string;
  /** The name of the tool; the id of the operation by default. */
  name?: string;
  /** The values of parameters, whatever the arguments are. */
  fixed?: Record<string, string>;
  /** The values of parameters without an argument. */
  defaults?: Record<string, string>;
  /** Parameters that are no arguments, with what to do instead. */
  without?: Record<string, string>;
  /** Values that arguments cannot have, with what to do instead. */
  refused?: Record<string, Record<string, string>>;
  /** Whether the members of a JSON body are arguments; otherwise `body` is one. */
  isFlat?: boolean;
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
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; description?: string; content: Record<string, { schema: Json }> };
  'x-sandbox-only'?: boolean;
}

interface DescribedOperation {
  path: string;
  method: (typeof METHODS)[number];
  operation: Operation;
}

const METHODS = ['get', 'post', 'put', 'delete'] as const;
const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = 'application/json';
const FILE = 'multipart/form-data';
/** Sign-in, sign-out and files are not for tools, and a path with a suffix is another name of the one without. */
const EXCLUDED = /\/oauth2?\/|\.json$|\/exports\/\{export_id\}\/download$/;
/** Operations that are no GET only because their parameters are long. */
const READS: ReadonlySet<string> = new Set(['estimateAudience']);

const SANDBOX = { type: 'boolean', description: 'Whether to use the sandbox.' };
/** Every response is an object with what the operation returns. */
const OUTPUT: ToolSchema = { type: 'object' };
/** Parameters that all lists have: one sentence about each is enough. */
const OF_LISTS: ReadonlySet<string> = new Set(['count', 'cursor', 'sort_by', 'with_deleted', 'with_total_count']);

/**
 * All operations that a user signs, except uploads of files, as tools. Their input has the parameters of the operation;
 * a JSON body is `body`. What a tool creates is paused unless the input says otherwise.
 */
export function operationTools(document: OpenAPIObject, { readOnly = false } = {}): OperationTool[] {
  const tools = callableOperations(document).map((each) =>
    toolOf(document, each, { operation: each.operation.operationId }),
  );
  return readOnly ? tools.filter(isRead) : tools;
}

/** The tools of a table. */
export function tabledTools(document: OpenAPIObject, table: readonly ToolTerms[]): OperationTool[] {
  const byId = new Map(callableOperations(document).map((each) => [each.operation.operationId, each]));
  return table.map((terms) => toolOf(document, byId.get(terms.operation)!, { isFlat: true, ...terms }));
}

export const isRead = ({ annotations }: OperationTool): boolean => annotations.readOnlyHint;

const callableOperations = (document: OpenAPIObject): DescribedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation && isCallable(path, operation) ? [{ path, method, operation }] : [];
    }),
  );

function isCallable(path: string, { security = [], requestBody }: Operation): boolean {
  if (!security.some((scheme) => 'oauth1' in scheme) || EXCLUDED.test(path)) return false;
  const { content = {} } = requestBody ?? {};
  return !requestBody || ((FORM in content || JSON_BODY in content) && !(FILE in content));
}

/** An argument with its schema. */
interface DescribedArgument extends ToolArgument {
  schema: Json;
}

function toolOf(
  document: OpenAPIObject,
  { path, method, operation }: DescribedOperation,
  terms: ToolTerms,
): OperationTool {
  const schemas = new ToolSchemas(document.components?.schemas as Record<string, Json>);
  const { operationId, summary, description, tags = [], requestBody, 'x-sandbox-only': isSandboxOnly } = operation;
  const all = argumentsOf({ path, method, operation }, terms, schemas);
  const { without = {}, refused = {}, fixed = {}, name = operationId } = terms;
  const known = new Map([...all].filter(([each]) => !Object.hasOwn(without, each)));
  for (const [each, values] of Object.entries(refused)) known.get(each)!.refused = values;
  const required = [...known].flatMap(([each, argument]) => (argument.required ? [each] : []));
  const isReading = method === 'get' || READS.has(operationId);
  const json = requestBody?.content[JSON_BODY]?.schema;
  const hasMembers = [...known.values()].some(({ place }) => place === 'json');
  const defaults: Record<string, string> = {
    ...(method === 'post' && isPausable(all.get('entity_status')) && PAUSED),
    ...terms.defaults,
  };
  const properties = [...known].map(([each, { schema }]): [string, Json] => [
    each,
    described(schema, { default: defaults[each], fixed: fixed[each], refused: refused[each] }),
  ]);
  return {
    name,
    description: [summary, shortened(description ?? ''), `${method.toUpperCase()} ${path}`].filter(Boolean).join('\n'),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(schemas.isUsed && { $defs: schemas.definitions }),
    },
    outputSchema: OUTPUT,
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: method === 'delete',
      idempotentHint: isReading || method === 'put',
      openWorldHint: false,
    },
    tag: tags[0],
    requestOf: (args) => {
      checkArguments(args, known, without);
      const values = Object.entries({ ...defaults, ...args, ...fixed }).filter(([, value]) => value !== undefined);
      const at = (place: ToolArgument['place']) => values.filter(([each]) => known.get(each)?.place === place);
      return {
        method: method.toUpperCase() as ToolRequest['method'],
        path: path.replace(/\{(\w+)\}/g, (_, each: string) => percentEncode(textOf(args[each]))),
        sandbox: isSandboxOnly === true || args.sandbox === true,
        params: at('parameter').map(([each, value]) => [each, textOf(value)]),
        ...(hasMembers && { json: Object.fromEntries(at('json')) }),
        ...(at('body').length > 0 && { json: pausedCreates(args[BODY], json!, schemas) }),
      };
    },
  };
}

/** The name of the argument with a JSON body. */
const BODY = 'body';
const PAUSED = { entity_status: 'PAUSED' };

function argumentsOf(
  { path, operation: { parameters = [], requestBody, 'x-sandbox-only': isSandboxOnly } }: DescribedOperation,
  { isFlat }: ToolTerms,
  schemas: ToolSchemas,
): Map<string, DescribedArgument> {
  const {
    content = {},
    required: isBodyRequired = false,
    description: aboutBody = 'The JSON body.',
  } = requestBody ?? {};
  const form = content[FORM] && schemas.resolved(content[FORM].schema);
  const json = content[JSON_BODY] && schemas.resolved(content[JSON_BODY].schema);
  const members = isFlat && json?.type === 'object';
  const known = new Map<string, DescribedArgument>();
  for (const each of parameters) {
    if (!('schema' in each) || each.in === 'header') continue;
    const { name, required = false, schema, description: about } = each;
    const place = each.in === 'path' ? 'path' : 'parameter';
    // the name of an id says what it is
    const description = place === 'path' ? undefined : OF_LISTS.has(name) ? about?.replace(/(?<=\.) .*/s, '') : about;
    known.set(name, {
      place,
      required,
      schema: listable({ ...schemas.own(schema), ...(description && { description: shortened(description) }) }),
    });
  }
  for (const [name, schema] of membersOf(form))
    known.set(name, { place: 'parameter', required: isRequired(form, name), schema: listable(schemas.own(schema)) });
  if (members)
    for (const [name, schema] of membersOf(json))
      known.set(name, { place: 'json', required: isRequired(json, name), schema: schemas.own(schema) });
  else if (json)
    known.set(BODY, {
      place: 'body',
      required: isBodyRequired,
      schema: { ...schemas.own(json), description: aboutBody },
    });
  if (!isFlat && !isSandboxOnly && familyOf(path) === 'ads')
    known.set('sandbox', { place: 'sandbox', required: false, schema: SANDBOX });
  return known;
}

const membersOf = (schema: Json | undefined) => Object.entries((schema?.properties ?? {}) as Record<string, Json>);
const isRequired = (schema: Json | undefined, name: string) => ((schema?.required ?? []) as string[]).includes(name);

/** Lists may be texts with commas, too. */
const listable = (schema: Json): Json =>
  [schema.type].flat().includes('array') ? { ...schema, type: [schema.type, 'string'].flat() } : schema;

interface ArgumentTerms {
  default?: string;
  fixed?: string;
  refused?: Record<string, string>;
}

/** The schema of an argument with what the tool makes of its values. */
function described(schema: Json, { default: byDefault, fixed, refused = {} }: ArgumentTerms): Json {
  const { description, enum: values, ...rest } = schema as { description?: string; enum?: unknown[] };
  const remedies = Object.entries(refused).map(([value, remedy]) => `It cannot be ${value}. ${remedy}`);
  const always = fixed === undefined ? [] : [`It is always ${fixed}, whatever is sent.`];
  const about = (fixed ?? byDefault) ? description?.replace(/ Defaults to `\w+`\./, '') : description;
  const sentences = [about, ...always, ...remedies].filter(Boolean);
  return {
    ...rest,
    ...(values && { enum: values.filter((value) => !Object.hasOwn(refused, String(value))) }),
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    ...(byDefault !== undefined && fixed === undefined && { default: byDefault }),
  };
}

/** The creates of a batch, paused unless they say otherwise. */
function pausedCreates(body: unknown, schema: Json, schemas: ToolSchemas): unknown {
  if (!Array.isArray(body)) return body;
  const { items } = schema as { items?: { oneOf?: { properties?: Record<string, Json> }[] } };
  const create = items?.oneOf?.find(({ properties }) => properties?.operation_type?.const === 'Create');
  const params = create?.properties?.params && schemas.resolved(create.properties.params);
  const status = params && (params.properties as Record<string, Json> | undefined)?.entity_status;
  if (!status || !isPausable({ schema: schemas.resolved(status) })) return body;
  // the endpoint says what is wrong with others
  return body.map((operation: { operation_type?: unknown; params?: unknown }) =>
    operation?.operation_type === 'Create' && isObject(operation.params ?? {})
      ? { ...operation, params: { ...PAUSED, ...(operation.params as Json) } }
      : operation,
  );
}

const isPausable = (argument: { schema: Json } | undefined): boolean =>
  ((argument?.schema.enum ?? []) as unknown[]).includes('PAUSED');
