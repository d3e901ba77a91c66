import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCodes } from '../../common/errors/error-codes.js';
import { familyOf } from '../../common/http/public-urls.js';
import type { Operation } from './operation.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Responses = NonNullable<Components['responses']>;

const text = (description: string) => ({ type: 'string', description });

const details = {
  message: text('What is wrong, in words'),
  parameter: text('The parameter that it is about'),
  details: text('What would be allowed, or why it is refused'),
  value: { description: 'What was given' },
  label: text('A further hint, where there is one'),
};

const numbered = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer', example: 32 }, ...details },
} as const;

/** Made when they are asked for: by then every domain has defined its codes. */
const errorSchemas = () => ({
  Error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: {
        description: 'A word; a number where a token was revoked (89), is a bearer (220), or HTTPS is missing (92)',
        oneOf: [{ type: 'string', enum: errorCodes() }, { type: 'integer' }],
      },
      ...details,
    },
  },
  ErrorBody: {
    type: 'object',
    description: 'Everything that is wrong with a request, in one answer',
    required: ['errors', 'request'],
    properties: {
      errors: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Error' } },
      request: {
        type: 'object',
        properties: { params: { type: 'object', additionalProperties: true, description: 'What was understood' } },
      },
    },
  },
  BatchErrorBody: {
    type: 'object',
    description: 'Nothing of the batch was carried out',
    properties: {
      operation_errors: {
        type: 'array',
        description: 'For each operation what is wrong with it, in the order of the request; empty where it is fine',
        items: { type: 'array', items: { $ref: '#/components/schemas/Error' } },
      },
      request: { type: 'array', items: { type: 'object', additionalProperties: true } },
      errors: {
        type: 'array',
        description: 'Only where the batch as a whole cannot be read',
        items: { $ref: '#/components/schemas/Error' },
      },
    },
  },
  NumberedErrorBody: {
    type: 'object',
    required: ['errors'],
    properties: { errors: { type: 'array', minItems: 1, items: numbered } },
  },
  ProblemBody: {
    type: 'object',
    required: ['title', 'detail', 'type', 'status', 'errors'],
    properties: {
      title: { type: 'string' },
      detail: { type: 'string' },
      type: { type: 'string', example: 'about:blank' },
      status: { type: 'integer' },
      errors: { type: 'array', minItems: 1, items: numbered },
    },
  },
});

/** The schema of each family's error body, and what the names of its shared responses begin with. */
const FORMS = {
  ads: { schema: 'ErrorBody', prefix: '' },
  auth: { schema: 'NumberedErrorBody', prefix: 'Auth' },
  problem: { schema: 'ProblemBody', prefix: 'Problem' },
} as const;

const HEADERS = {
  'retry-after': { description: 'Seconds to wait', schema: { type: 'integer' } },
  'x-rate-limit-limit': { description: 'Requests that the window takes', schema: { type: 'integer' } },
  'x-rate-limit-remaining': { description: 'Requests that are left in it', schema: { type: 'integer' } },
  'x-rate-limit-reset': { description: 'When it begins again, in epoch seconds', schema: { type: 'integer' } },
} as const;

const ANSWERS = {
  400: { name: 'BadRequest', description: 'A parameter is missing, or has a value that is not allowed' },
  401: { name: 'Unauthorized', description: 'Not signed, not rightly signed, or signed with a token that is no more' },
  403: { name: 'Forbidden', description: 'The token, its application or the role of its user does not allow this' },
  404: { name: 'NotFound', description: 'There is no such thing, or it is not the caller’s' },
  408: { name: 'RequestTimeout', description: 'The body took too long to arrive' },
  413: { name: 'PayloadTooLarge', description: 'The body is larger than is taken here' },
  415: { name: 'UnsupportedMediaType', description: 'The body has a form that is not taken here, or is compressed' },
  417: { name: 'ExpectationFailed', description: 'The Expect header asks for something else than 100-continue' },
  429: { name: 'TooManyRequests', description: 'A rate limit window is full', headers: HEADERS },
  431: { name: 'HeadersTooLarge', description: 'The headers have more than 16 KiB together' },
  503: {
    name: 'Unavailable',
    description: 'What is needed for an answer is not there at the moment: come back later',
    headers: { 'retry-after': HEADERS['retry-after'] },
  },
} as const;
type Status = keyof typeof ANSWERS;

const json = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } });

/** Adds the error answers that an operation can give; what its controller says itself stays. */
export function describeErrors(path: string, operation: Operation, components: Components): void {
  const family = /^\/2\//.test(path) ? 'problem' : (familyOf(path) ?? 'auth');
  const { schema, prefix } = FORMS[family];
  const isBatch = path.includes('/batch/');
  for (const status of statusesOf(path, operation)) {
    if (operation.responses[status]) continue;
    const { name, ...answer } = ANSWERS[status];
    const faulty = isBatch && status === 400;
    const shared = `${prefix}${faulty ? 'BadBatch' : name}`;
    const responses: Responses = (components.responses ??= {});
    responses[shared] ??= faulty
      ? { description: 'Operations of the batch are faulty; none was carried out', content: json('BatchErrorBody') }
      : { ...answer, content: json(schema) };
    operation.responses[status] = { $ref: `#/components/responses/${shared}` };
  }
}

function statusesOf(path: string, operation: Operation): Status[] {
  const signed = (operation.security ?? []).length > 0;
  return [
    // without a Host header every request is a bad one
    400,
    ...(signed ? [401 as const, 403 as const] : []),
    ...(path.includes('{') || operation['x-sandbox-only'] ? [404 as const] : []),
    ...(operation.requestBody !== undefined ? [408 as const, 413 as const, 415 as const] : []),
    417,
    ...(signed ? [429 as const] : []),
    431,
    503,
  ];
}

/** Adds the schemas of those error bodies that the document refers to. */
export function addErrorSchemas(document: OpenAPIObject): void {
  const schemas = errorSchemas();
  const everything = { ...schemas, ...document.components?.schemas };
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: everything } });
  const used = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(Object.fromEntries(used) as Record<string, object>) },
  };
}
