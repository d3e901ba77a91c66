import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, switchMap, type Observable } from 'rxjs';
import { isShownOfAccount, policyOf, quotaOf } from '../../auth/guards/endpoint-policy.js';
import { rateLimitErrorFor } from '../../auth/guards/oauth-admission.js';
import { announceLimits, secondsUntilReset } from '../../auth/guards/rate-headers.js';
import { senderOf } from '../../auth/guards/sender.js';
import { operationIdOf } from '../../common/http/server/http-operations.js';
import { Clock } from '../../common/time/clock.js';
import { serviceUnavailable, tooManyRequests, invalid } from '../../common/errors/catalogue.js';
import { errorFormOf } from '../../common/http/errors/error-response.js';
import type { WindowUsage } from '../../auth/limits/windows.js';
import { Config } from '../../config/config.js';
import { ActiveFaults } from './active-faults.js';
import { type InjectedFault, injectedError } from './injected-fault.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { CONNECTION_FAULTS, FAULT_PHASES, type ConnectionFault, type FaultPhase } from './fault.entity.js';

/** Requests that manage faults must not meet them. The requests of MCP tools meet them. */
const OWN = /^\/(workbench|mcp)(\/|$)/;

/**
 * Injects faults into requests of applications, once their guards have admitted them and before their parameters are
 * read. What concerns the response is left to the hooks.
 */
@Injectable()
export class FaultsInterceptor implements NestInterceptor {
  constructor(
    private readonly faults: ActiveFaults,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { application } = senderOf(request);
    if (application === undefined || request.isInside) return next.handle();
    const preferred = preferredFault(request.headers.prefer);
    const found = preferred ? Promise.resolve(preferred) : this.find(application, request, context);
    if (!found) return next.handle();
    return from(this.inject(found, http.getResponse<FastifyReply>(), context)).pipe(switchMap(() => next.handle()));
  }

  private find(application: string, request: FastifyRequest, context: ExecutionContext) {
    const path = request.url.split('?', 1)[0];
    if (OWN.test(path)) return undefined;
    return this.faults.find(application, {
      id: operationIdOf(context.getClass().name, context.getHandler().name),
      method: request.method === 'HEAD' ? 'GET' : request.method,
      path,
      accountId: (request.params as { account_id?: string }).account_id,
    });
  }

  /** Throws if the request is not to be carried out. */
  private async inject(
    found: Promise<InjectedFault | undefined>,
    reply: FastifyReply,
    context: ExecutionContext,
  ): Promise<void> {
    const fault = await found;
    if (!fault) return;
    const { request } = reply;
    request.fault = fault;
    if (fault.applied === 'AFTER_COMMIT') return;
    if (fault.latencyMs > 0) await request.server.requestLoad.delay(request, fault.latencyMs);
    if (fault.rateLimit) this.limit(fault.rateLimit, reply, context);
    if (fault.error) throw injectedError(request.url, fault.error);
    // nobody receives it
    if (fault.connection) throw serviceUnavailable();
  }

  /** Shows the window of the fault instead of the real one; throws 429 if it is full. */
  private limit(
    { remaining, resetAt }: NonNullable<InjectedFault['rateLimit']>,
    reply: FastifyReply,
    context: ExecutionContext,
  ): void {
    const { request } = reply;
    const { account_id: accountId } = request.params as { account_id?: string };
    const name = quotaOf(request, policyOf(context), accountId === undefined ? 'GLOBAL_READS' : 'ACCOUNT_READS');
    const now = this.clock.seconds();
    const { limit, seconds } = this.config.quotas[name];
    const usage: WindowUsage = {
      name,
      limit: Math.max(limit, remaining),
      seconds: Math.max(seconds, resetAt - now),
      remaining,
      resetAt,
      exceeded: remaining === 0,
    };
    announceLimits(reply, isShownOfAccount(request, name, accountId) ? { account: usage } : { user: usage }, now);
    if (!usage.exceeded) return;
    const retryAfter = Math.max(1, secondsUntilReset(usage, now));
    const error =
      errorFormOf(request.url) === 'ads'
        ? tooManyRequests(`${usage.limit} requests per ${usage.seconds} seconds`, retryAfter)
        : rateLimitErrorFor(request)(usage, retryAfter);
    throw error.because('rate-limit', name);
  }
}

/** The id of a fault that a request asks for itself. */
const ID = 'prefer';
const STATUS = /^[45]\d\d$/;

/**
 * The fault that a `Prefer` header asks for (RFC 7240): `fault=503` or `fault=EMPTY_RESPONSE`, with the parameter
 * `applied=AFTER_COMMIT` if the request is to be carried out. Undefined without one; throws 400 for an invalid one.
 */
function preferredFault(header: string | string[] | undefined): InjectedFault | undefined {
  if (header === undefined) return undefined;
  const text = [header].flat().join(',');
  const preference = text
    .split(',')
    .map((each) => each.split(';').map(nameAndValue))
    .find(([[name]]) => name === 'fault');
  if (!preference) return undefined;
  const [[, value], ...parameters] = preference;
  const applied = new Map(parameters).get('applied') ?? 'BEFORE_COMMIT';
  if (!(FAULT_PHASES as readonly string[]).includes(applied))
    throw invalid(
      'Prefer',
      `Expected ${FAULT_PHASES.join(' or ')} for applied in Prefer, got ${quotedValue(applied)}`,
      {
        value: text,
      },
    );
  const fault = { id: ID, applied: applied as FaultPhase, latencyMs: 0 };
  if (STATUS.test(value)) return { ...fault, error: { status: Number(value), code: null } };
  if ((CONNECTION_FAULTS as readonly string[]).includes(value))
    return { ...fault, connection: value as ConnectionFault };
  throw invalid(
    'Prefer',
    `Expected a status from 400 to 599 or one of ${CONNECTION_FAULTS.join(', ')} for fault in Prefer, got ${quotedValue(value)}`,
    { value: text },
  );
}

/** Names are case-insensitive, and values may be quoted. */
function nameAndValue(pair: string): [name: string, value: string] {
  const [name, ...rest] = pair.split('=');
  const value = rest.join('=').trim();
  return [name.trim().toLowerCase(), /^"[^"]*"$/.test(value) ? value.slice(1, -1) : value];
}
