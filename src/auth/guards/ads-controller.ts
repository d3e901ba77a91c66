import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type Type,
  Injectable,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest, FastifyReply } from 'fastify';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { isRead, Policy, type ControllerPolicy, policyOf } from './endpoint-policy.js';
import { CallerGuard } from './caller.guard.js';
import { type Observable, from, switchMap } from 'rxjs';
import { EnvelopeInterceptor } from '../../common/http/answers/envelope.interceptor.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { AdsAdmission } from './ads-admission.js';
import { isTrue } from '../../common/http/params/conversions.js';
import { returnedBy } from '../../common/http/answers/returns.js';

/** Applies the separate limit of requests with `with_total_count`. */
@Injectable()
class TotalCountLimitInterceptor implements NestInterceptor {
  constructor(private readonly admission: AdsAdmission) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const asked = (request.query as { with_total_count?: unknown }).with_total_count;
    if (!isRead(request) || !isTrue(asked)) return next.handle();
    const { account_id: accountId } = request.params as { account_id?: string };
    const admitted = this.admission.admitTotalCount(http.getResponse<FastifyReply>(), {
      caller: request.user!,
      accountId,
    });
    return from(admitted).pipe(switchMap(() => next.handle()));
  }
}

/** For a controller: adds the limit of totals to its lists only. */
const LimitsTotals = (): ClassDecorator => (controller) => {
  const methods = Object.getOwnPropertyDescriptors(controller.prototype as object);
  for (const [name, method] of Object.entries<PropertyDescriptor>(methods)) {
    if (typeof method.value !== 'function' || returnedBy(method.value as object)?.kind !== 'page') continue;
    UseInterceptors(TotalCountLimitInterceptor)(controller.prototype as object, name, method);
  }
};

/**
 * Admits requests to endpoints without an account in the path, which count per user token. Runs after CallerGuard.
 */
@Injectable()
class UserQuotaGuard implements CanActivate {
  constructor(private readonly admission: AdsAdmission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    await this.admission.admit(request, http.getResponse<FastifyReply>(), policyOf(context), { caller: request.user! });
    request.echoesPath = true;
    return true;
  }
}

/**
 * Wraps responses in the envelope, and performs requests with an Idempotency-Key once. It is one interceptor, because
 * each one costs time in all requests.
 */
@Injectable()
class AdsInterceptor extends EnvelopeInterceptor {
  constructor(private readonly idempotency: IdempotencyInterceptor) {
    super();
  }

  override intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.idempotency.intercept(context, { handle: () => super.intercept(context, next) });
  }
}

/**
 * A controller of advertising endpoints: checks policy, caller and admission in this order, and wraps responses in
 * the envelope. `admission` is the guard that admits the request, by user or by account.
 */
export const AdsController = (
  path: string,
  { tag, ...policy }: ControllerPolicy & { tag: string },
  admission: Type<CanActivate>,
) =>
  applyDecorators(
    Controller(path),
    Policy(policy),
    UseGuards(EndpointPolicyGuard, CallerGuard, admission),
    UseInterceptors(AdsInterceptor),
    LimitsTotals(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
    ApiSecurity('oauth2'),
  );

/** A controller of advertising endpoints without an account in the path: requests count per user token. */
export const CallerController = (path: string, policy: ControllerPolicy & { tag: string }) =>
  AdsController(`12/${path}`, policy, UserQuotaGuard);

/** The caller that the request is authenticated for. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().user!,
);
