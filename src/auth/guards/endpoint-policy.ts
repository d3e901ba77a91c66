import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { BodyKind } from '../../common/http/bodies/body-parsers.js';
import { unreadKindOf } from '../../common/http/bodies/takes-body.js';
import type { QuotaName } from '../../quotas.js';

/** What it takes on an account to do something. */
export interface Permission {
  readonly name: string;
  /** The roles that may. */
  readonly roles: readonly string[];
}

/** Who may call the endpoints of a controller, or one of them, with what, and which quota they count in. */
export interface EndpointPolicy {
  /** The permission that reading takes (see accounts/access). */
  reads?: Permission;
  /** The permission that everything else takes. */
  writes?: Permission;
  /** The quota that reads count in. */
  quota?: QuotaName;
  /** The quota that everything else counts in; WRITES unless said otherwise. */
  writeQuota?: QuotaName;
  /** What is refused with 400 does not count in `writeQuota`: it counts as any write does. Goes with RefundsBadRequests. */
  refundsBadRequests?: boolean;
  /** Exists in the sandbox only. */
  sandboxOnly?: boolean;
  /** Though a POST, it changes nothing: read tokens may call it. */
  notAWrite?: boolean;
  /** What it takes as its body: a form unless said otherwise. Files are said by `@TakesMultipart` and `@TakesStream`. */
  body?: BodyKind;
}

/** The policy of a whole controller: what has a file for its body says so itself. */
export type ControllerPolicy = EndpointPolicy & { body?: 'form' | 'json' };

const POLICY = Symbol('endpoint policy');
const cachedPolicies = new WeakMap<object, EndpointPolicy>();

/** Sets the policy of a controller or of one of its methods; what a method sets replaces what its controller sets. */
export const Policy = (policy: EndpointPolicy) => SetMetadata(POLICY, policy);

/** The policy of a controller's method. */
export const policyFor = (controller: object, handler: object): EndpointPolicy => ({
  ...(Reflect.getMetadata(POLICY, controller) as EndpointPolicy | undefined),
  ...(Reflect.getMetadata(POLICY, handler) as EndpointPolicy | undefined),
  ...(unreadKindOf(handler) && { body: unreadKindOf(handler) }),
});

/** Whether a request only reads, by its method. */
export const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** The quota that a request counts in; `reads` is that of reads where the policy names none. */
export const quotaOf = (
  request: FastifyRequest,
  { quota, writeQuota = 'WRITES' }: EndpointPolicy,
  reads: QuotaName = 'GLOBAL_READS',
): QuotaName => (isRead(request) ? (quota ?? reads) : writeQuota);

/** The policy of the method about to be called; read once per method, not per request. */
export function policyOf(context: ExecutionContext): EndpointPolicy {
  const handler = context.getHandler();
  const cached = cachedPolicies.get(handler);
  if (cached) return cached;
  const policy = policyFor(context.getClass(), handler);
  cachedPolicies.set(handler, policy);
  return policy;
}
