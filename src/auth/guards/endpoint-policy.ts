import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../caller.js';
import type { BodyKind } from '../../common/http/bodies/body-parsers.js';
import { unreadKindOf } from '../../common/http/bodies/takes-body.js';
import type { QuotaName } from '../../config/quotas.js';
import { ADS_SCOPES, type NeededScopes, type Scope } from '../credentials/scopes.js';

/** The permission that an action on an account requires. */
export interface Permission {
  readonly name: string;
  /** The roles that have the permission. */
  readonly roles: readonly string[];
}

/** Who may call the endpoints of a controller or one of its methods, with which body, and which quota they count in. */
export interface EndpointPolicy {
  /** The permission required for reads (see accounts/access). */
  reads?: Permission;
  /** The permission required for all other requests. */
  writes?: Permission;
  /** The quota that reads count in. */
  quota?: QuotaName;
  /** The quota of all other requests; WRITES by default. */
  writeQuota?: QuotaName;
  /** Requests count for each method and path by themselves, not for all with the same quota. */
  perEndpoint?: boolean;
  /**
   * Responses with 400 do not count in `writeQuota`; they still count as ordinary writes. Requires RefundsBadRequests.
   */
  refundsBadRequests?: boolean;
  /** The scopes that an access token of OAuth 2.0 needs; those of advertising endpoints by default. */
  scopes?: NeededScopes;
  /** The endpoint is about conversions: applications that may use nothing else may call it. */
  ofMeasurement?: boolean;
  /** The endpoint exists in the sandbox only. */
  sandboxOnly?: boolean;
  /** The endpoint is a POST but changes nothing: read-only tokens may call it. */
  notAWrite?: boolean;
  /** Workbench reads that need an application with access to ads, because they are about people. */
  readsPeople?: boolean;
  /** All that the endpoint reads comes from the primary. Otherwise a read replica may serve what a GET answers. */
  readsPrimary?: boolean;
  /** The kind of body; a form by default. `@TakesMultipart` and `@TakesStream` declare files. */
  body?: BodyKind;
}

/** The policy of a whole controller. Methods that take files declare that themselves. */
export type ControllerPolicy = EndpointPolicy & { body?: 'form' | 'json' };

const POLICY = Symbol('endpoint policy');
const cachedPolicies = new WeakMap<object, EndpointPolicy>();

/** Sets the policy of a controller or of one of its methods. Values of the method override those of the controller. */
export const Policy = (policy: EndpointPolicy) => SetMetadata(POLICY, policy);

/** The policy of a controller's method. */
export const policyFor = (controller: object, handler: object): EndpointPolicy => ({
  ...(Reflect.getMetadata(POLICY, controller) as EndpointPolicy | undefined),
  ...(Reflect.getMetadata(POLICY, handler) as EndpointPolicy | undefined),
  ...(unreadKindOf(handler) && { body: unreadKindOf(handler) }),
});

export const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** Whether an operator lets an application use an endpoint: all of them, those about conversions, or none. */
export const hasAdsAccess = (
  { adsAccess, conversionsOnly }: Pick<Caller['application'], 'adsAccess' | 'conversionsOnly'>,
  { ofMeasurement = false }: EndpointPolicy,
): boolean => adsAccess && (!conversionsOnly || ofMeasurement);

/** The scopes that an access token of OAuth 2.0 needs for a request. */
export const scopesFor = ({ scopes = ADS_SCOPES, notAWrite }: EndpointPolicy, isReading: boolean): readonly Scope[] =>
  isReading || notAWrite ? scopes.reads : scopes.writes;

/** The first scope that a caller needs and does not have. Callers who sign have no scopes, and need none. */
export const missingScope = ({ scopes }: Pick<Caller, 'scopes'>, needed: readonly Scope[]): Scope | undefined =>
  scopes && needed.find((each) => !scopes.includes(each));

/** The quota that a request counts in; `reads` is the quota of reads when the policy names none. */
export const quotaOf = (
  request: FastifyRequest,
  { quota, writeQuota = 'WRITES' }: EndpointPolicy,
  reads: QuotaName = 'GLOBAL_READS',
): QuotaName => (isRead(request) ? (quota ?? reads) : writeQuota);

/** True if the requests of a quota count per user token, also under an account. Others count per account there. */
export const isPerToken = (quota: QuotaName): boolean => OF_TOKENS.has(quota);

/** Whether the headers show the window of a request as that of its account: X does so for GET alone. */
export const isShownOfAccount = (request: FastifyRequest, quota: QuotaName, accountId: string | undefined): boolean =>
  accountId !== undefined && isRead(request) && !isPerToken(quota);

/**
 * The owner of the window in which a request of an account or a token counts: X counts some categories of requests for each
 * endpoint. `endpoint`: its method and the pattern of its path.
 */
export const windowOwner = (
  quota: QuotaName,
  owner: string,
  endpoint: string,
  { perEndpoint = false }: EndpointPolicy = {},
): string => (perEndpoint || OF_ENDPOINTS.has(quota) ? `${owner} ${endpoint}` : owner);

const OF_ENDPOINTS: ReadonlySet<QuotaName> = new Set([
  ...(['AUDIENCE_USERS', 'CORE_READS', 'ACCOUNT_READS', 'GLOBAL_READS', 'TV_LOOKUPS'] as const),
]);
const OF_TOKENS: ReadonlySet<QuotaName> = new Set(['WRITES', 'GLOBAL_READS', 'STATISTICS']);

/** The policy of the method about to be called, read once per method rather than per request. */
export function policyOf(context: ExecutionContext): EndpointPolicy {
  const handler = context.getHandler();
  const cached = cachedPolicies.get(handler);
  if (cached) return cached;
  const policy = policyFor(context.getClass(), handler);
  cachedPolicies.set(handler, policy);
  return policy;
}
