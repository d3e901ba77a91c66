import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { scopesFor, type EndpointPolicy } from '../../auth/guards/endpoint-policy.js';
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from '../../auth/idempotency/idempotency-key.js';

/** An operation of the document, with this service's extensions. */
export type Operation = OperationObject & {
  'x-sandbox-only'?: boolean;
  'x-reads'?: boolean;
  'x-once-per-user'?: boolean;
};

export const DOCUMENT_METHODS = ['get', 'post', 'put', 'delete'] as const;

/** Every operation of a document with its path and method. */
export const operationsOf = ({ paths }: Pick<OpenAPIObject, 'paths'>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    DOCUMENT_METHODS.flatMap((method) => {
      const operation: Operation | undefined = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );

const PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  description:
    'A unique value, such as a UUID. For 24 hours, a request with the same key returns the response of the first one, with `Idempotent-Replayed: true`, and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'] },
};

/** Adds the header to operations that take it. */
export function describeIdempotency(path: string, method: string, operation: Operation): void {
  const isSigned = (operation.security ?? []).length > 0;
  if (isSigned && takesIdempotencyKey(method.toUpperCase(), path))
    operation.parameters = [...(operation.parameters ?? []), PARAMETER as never];
}

/** Adds the scopes that an access token of OAuth 2.0 needs. */
export function describeScopes(method: string, operation: Operation, rules: EndpointPolicy): void {
  const { security = [] } = operation;
  const others = security.filter((each) => !('oauth2' in each));
  if (others.length < security.length)
    operation.security = [...others, { oauth2: [...scopesFor(rules, method === 'get')] }];
}

/** True if `describeIdempotency` added the header. */
export const isIdempotent = ({ parameters = [] }: Operation): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY);

/**
 * Where what a user has once stands in an order of requests: it is deleted and created again after all others, and before
 * it what is inside of it. 0 for all others.
 */
export function rankOfOnce({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}): number {
  if (!operation['x-once-per-user']) return 0;
  const depth = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length;
  return 100 - 10 * depth - (method === 'delete' ? 9 : 0);
}
