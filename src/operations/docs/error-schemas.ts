import type { OpenAPIObject } from '@nestjs/swagger';
import { idempotencyKeyInUse, idempotencyKeyReused } from '../../auth/idempotency/idempotency.errors.js';
import { ApiError } from '../../common/errors/api-error.js';
import {
  accountNotFound,
  actionNotAllowed,
  badRequestData,
  cancelledRequest,
  cannotWrite,
  couldNotAuthenticate,
  internalError,
  invalid,
  missing,
  legacyInternalError,
  overCapacity,
  pageNotFound,
  rateLimitExceeded,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
} from '../../common/errors/catalogue.js';
import { errorCodes } from '../../common/errors/error-codes.js';
import { unsupported } from '../../common/http/bodies/body-parsers.js';
import { errorFormOf, problemOf } from '../../common/http/errors/error-response.js';
import { ECHOES } from '../../common/http/answers/returns.js';
import type { EndpointHandler } from './handlers.js';
import { isIdempotent, type Operation } from './operation.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Responses = NonNullable<Components['responses']>;

const text = (description: string) => ({ type: 'string', description });

const all = { type: 'array', minItems: 1, description: 'All errors of the request' } as const;

const details = {
  message: text('A sentence about the error'),
  parameter: text('The parameter with the error'),
  details: text('The allowed values, or the reason for the error'),
  value: { description: 'The value received' },
  label: text('An additional hint, if there is one'),
  hint: text('Outside production: the probable intention or the remedy, in one or two sentences'),
  signature_help: { $ref: '#/components/schemas/SignatureHelp' },
};

const numbered = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer', description: 'The kind of error', examples: [32] }, ...details },
} as const;

const { parameter: _parameter, value: _value, ...besides } = details;
const problemItem = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'integer', description: 'The kind of error', examples: [214] },
    ...besides,
    parameters: {
      type: 'object',
      description: 'The parameter with the error, and the value received',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
} as const;

const batchErrorBody = {
  type: 'object',
  description: 'The errors of a batch. No operation was applied',
  required: ['operation_errors', 'request'],
  properties: {
    operation_errors: {
      type: 'array',
      description: 'The errors of each operation, in the order of the request. Empty for a valid operation',
      items: { type: 'array', items: { $ref: '#/components/schemas/Error' } },
    },
    request: {
      type: 'array',
      description: 'The operations as the service understood them, in the order of the request',
      items: {
        type: 'object',
        required: ['params'],
        properties: {
          params: {
            type: 'object',
            additionalProperties: true,
            description: 'The parameters of the operation and of the path',
          },
          operation_type: { description: 'The action of the operation, as it was sent' },
        },
      },
    },
  },
};

/** Created on demand, after every domain has defined its codes. */
const errorSchemas = () => ({
  ErrorCode: { type: 'string', enum: errorCodes() },
  SignatureHelp: {
    type: 'object',
    description: 'Outside production: how the service computes the signature',
    properties: {
      base_string: text('The signature base string that the service expects'),
      differs: text('The mistake of the client, if the service can detect it'),
    },
  },
  Error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: {
        description:
          'A word. A number if the token is revoked (89) or is a bearer token (220), or if HTTPS is required (92)',
        oneOf: [{ $ref: '#/components/schemas/ErrorCode' }, { type: 'integer' }],
      },
      ...details,
    },
  },
  ErrorBody: {
    type: 'object',
    description: 'All errors of a request',
    required: ['errors', 'request'],
    properties: {
      errors: { ...all, items: { $ref: '#/components/schemas/Error' } },
      request: { $ref: '#/components/schemas/EchoedRequest' },
    },
  },
  BatchErrorBody: batchErrorBody,
  NumberedErrorBody: {
    type: 'object',
    required: ['errors'],
    properties: { errors: { ...all, items: numbered } },
  },
  ProblemBody: {
    type: 'object',
    required: ['title', 'detail', 'type', 'status', 'errors'],
    properties: {
      title: text('The kind of problem'),
      detail: text('A sentence about the error'),
      type: {
        ...text(
          'The kind of problem as a URI that ends in `/2/problems/invalid-request` or `/2/problems/resource-not-found`. `about:blank` if the status alone describes the problem',
        ),
        examples: ['about:blank'],
      },
      status: { type: 'integer', description: 'The HTTP status of the response' },
      errors: { ...all, items: problemItem },
    },
  },
});

/** The schema of each family's error body, and the name prefix of its shared responses. */
const FORMS = {
  ads: { schema: 'ErrorBody', prefix: '' },
  auth: { schema: 'NumberedErrorBody', prefix: 'Auth' },
  problem: { schema: 'ProblemBody', prefix: 'Problem' },
} as const;

const HEADERS = {
  'retry-after': { description: 'Seconds to wait', schema: { type: 'integer' } },
  'x-rate-limit-limit': { description: 'Maximum number of requests in the window', schema: { type: 'integer' } },
  'x-rate-limit-remaining': { description: 'Remaining requests in the window', schema: { type: 'integer' } },
  'x-rate-limit-reset': { description: 'When the window resets, in seconds since 1970', schema: { type: 'integer' } },
} as const;

const EXAMPLE_KEY = '8e03978e-40d5-43dd-bc93-6894a57f9324';

/** An error as the families with numeric codes return it. */
const numberedAs = ({ status, message }: ApiError) => new ApiError(status, 214, message);

const ANSWERS = {
  400: {
    name: 'BadRequest',
    description: 'A parameter is missing, or has a value that is not allowed',
    example: () => invalid('count', 'Expected a value between 1 and 1000, got "0" for count', { value: '0' }),
    numbered: () => badRequestData('oauth_callback is missing'),
  },
  401: {
    name: 'Unauthorized',
    description: 'The request has no signature, the signature is wrong, or the token is revoked',
    example: () => unauthorized('the signature does not match'),
    numbered: () => couldNotAuthenticate(),
  },
  403: {
    name: 'Forbidden',
    description: 'The token, its application or the role of its user does not allow the request',
    example: () => actionNotAllowed('the role ACCOUNT_ADMIN or AD_MANAGER is required'),
    numbered: () => cannotWrite(),
  },
  404: {
    name: 'NotFound',
    description: 'The item does not exist, or the caller cannot access it',
    example: () => accountNotFound('18ce54bgxky'),
    numbered: () => pageNotFound(),
  },
  408: {
    name: 'RequestTimeout',
    description: 'The body took too long to arrive',
    example: () => cancelledRequest('The body took too long to arrive'),
    numbered: () => new ApiError(408, 214, 'The body took too long to arrive'),
  },
  409: {
    name: 'Conflict',
    description:
      'A request with the same Idempotency-Key is still in progress, or the test clock of the account is advancing',
    headers: { 'retry-after': HEADERS['retry-after'] },
    example: () => idempotencyKeyInUse(EXAMPLE_KEY),
    numbered: () => numberedAs(idempotencyKeyInUse(EXAMPLE_KEY)),
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is too large',
    example: () => new ApiError(413, 'INVALID_PARAMETER', 'Request body is too large', { parameter: 'request' }),
    numbered: () => new ApiError(413, 214, 'Request body is too large'),
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The endpoint does not support the content type of the body, or the body is compressed',
    example: () => unsupported('text/plain', 'application/x-www-form-urlencoded'),
    numbered: () => new ApiError(415, 214, 'Unsupported Media Type: text/plain'),
  },
  417: {
    name: 'ExpectationFailed',
    description: 'The Expect header has another value than 100-continue',
    example: () =>
      new ApiError(417, 'INVALID_PARAMETER', 'Expected 100-continue for Expect, got "200-ok"', {
        parameter: 'Expect',
        value: '200-ok',
      }),
    numbered: () => new ApiError(417, 214, 'Expected 100-continue for Expect, got "200-ok"'),
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The Idempotency-Key was used for a different request',
    example: () => idempotencyKeyReused(EXAMPLE_KEY),
    numbered: () => numberedAs(idempotencyKeyReused(EXAMPLE_KEY)),
  },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit window is full',
    headers: HEADERS,
    example: () => tooManyRequests('the window resets in 900 s', 900),
    numbered: () => rateLimitExceeded(),
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The headers are larger than 16 KiB in total',
    example: () => new ApiError(431, 'INVALID_PARAMETER', 'The headers must have at most 16384 bytes together'),
    numbered: () => new ApiError(431, 214, 'The headers must have at most 16384 bytes together'),
  },
  503: {
    name: 'Unavailable',
    description: 'The service is temporarily unavailable. Try again later',
    headers: { 'retry-after': HEADERS['retry-after'] },
    example: () => serviceUnavailable(),
    numbered: () => overCapacity(),
  },
  default: {
    name: 'Unexpected',
    description: 'The path does not support the method, or the service has an internal error',
    example: () => internalError(),
    numbered: () => legacyInternalError(),
  },
} as const;
type Status = keyof typeof ANSWERS;

/** An error body of each family, as the service creates it. */
const BODIES = {
  ads: ({ example }: (typeof ANSWERS)[Status]) => ({ errors: [example().toBody()], request: { params: {} } }),
  auth: ({ numbered: error }: (typeof ANSWERS)[Status]) => ({ errors: [error().toBody()] }),
  problem: ({ numbered: error }: (typeof ANSWERS)[Status]) =>
    problemOf(error().status, [error().toBody()], 'http://localhost:3000/2/problems/'),
} as const;

const BAD_BATCH = {
  description: 'Some operations of the batch are invalid. No operation was applied',
  content: {
    'application/json': {
      schema: {
        oneOf: [{ $ref: '#/components/schemas/BatchErrorBody' }, { $ref: '#/components/schemas/ErrorBody' }],
      },
      example: {
        operation_errors: [[], [missing('name').toBody()]],
        request: [
          { params: {}, operation_type: 'Create' },
          { params: {}, operation_type: 'Create' },
        ],
      },
    },
  },
};

/** True if the body is a list of operations, each with its own errors. */
function takesOperations({ requestBody }: Operation): boolean {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema?: { type?: unknown } }> };
  return content?.['application/json']?.schema?.type === 'array';
}

type Conflicting = Pick<EndpointHandler, 'isOutsideTransaction'>;

/** Adds the error responses of an operation; keeps those that its controller declares. */
export function describeErrors(
  path: string,
  operation: Operation,
  components: Components,
  handler?: Conflicting,
): void {
  const family = errorFormOf(path);
  const { schema, prefix } = FORMS[family];
  const isBatch = takesOperations(operation);
  for (const status of statusesOf(path, operation, handler)) {
    const { name, description, ...rest } = ANSWERS[status];
    const json = {
      schema: { $ref: `#/components/schemas/${schema}` },
      example: BODIES[family](ANSWERS[status]),
    };
    const own = operation.responses[status];
    if (own) {
      // errors found before the request is known to be for a page are JSON
      if ('content' in own && own.content?.['text/html']) own.content['application/json'] ??= json;
      else if (!('content' in own)) Object.assign(own, { content: { 'application/json': json } });
      continue;
    }
    const faulty = isBatch && status === 400;
    const shared = `${prefix}${faulty ? 'BadBatch' : name}`;
    const responses: Responses = (components.responses ??= {});
    responses[shared] ??= faulty
      ? BAD_BATCH
      : {
          description,
          ...('headers' in rest && { headers: rest.headers }),
          content: {
            'application/json': json,
          },
        };
    operation.responses[status] = { $ref: `#/components/responses/${shared}` };
  }
}

function statusesOf(path: string, operation: Operation, handler: Conflicting | undefined): Status[] {
  const signed = (operation.security ?? []).length > 0;
  return [
    // every request without a Host header is invalid
    400,
    ...(signed ? [401 as const] : []),
    // also in production without TLS
    403,
    ...(path.includes('{') || operation['x-sandbox-only'] || operation.responses[404] ? [404 as const] : []),
    ...(operation.requestBody !== undefined ? [408 as const, 413 as const, 415 as const] : []),
    ...(mayConflict(path, operation, handler) ? [409 as const] : []),
    417,
    ...(isIdempotent(operation) ? [422 as const] : []),
    ...(signed ? [429 as const] : []),
    431,
    503,
    'default',
  ];
}

const EXCHANGE = /^\/2\/oauth2\//;

/** Whether a write can meet another with its key, or a test clock that advances. Its controller says what else it meets. */
function mayConflict(path: string, operation: Operation, handler: Conflicting | undefined): boolean {
  if (operation.responses[409]) return true;
  if (operation['x-reads'] || handler?.isOutsideTransaction || (operation.security ?? []).length === 0) return false;
  return isIdempotent(operation) || (errorFormOf(path) !== 'auth' && !EXCHANGE.test(path));
}

/** Adds the shared schemas of error bodies and envelopes that the document refers to. */
export function addSharedSchemas(document: OpenAPIObject): void {
  const schemas: Record<string, object> = { ...ECHOES, ...errorSchemas() };
  const all = { ...schemas, ...document.components?.schemas };
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: all } });
  const used = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...Object.fromEntries(used) },
  };
}
