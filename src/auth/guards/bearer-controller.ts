import {
  applyDecorators,
  Controller,
  Injectable,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, from } from 'rxjs';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import type { QuotaName } from '../../config/quotas.js';
import { rateLimited } from '../oauth-errors.js';
import { Admission, type CountedRequest } from './admission.js';
import { BearerGuard } from './bearer.guard.js';
import { DataEnvelope } from '../../common/http/answers/data-responses.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { policyOf, Policy, quotaOf, type ControllerPolicy } from './endpoint-policy.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by BearerAdmissionGuard: how the request was counted. */
    counted?: CountedRequest;
  }
}

/** Admits requests with a bearer token: they count per application. Runs after BearerGuard. */
@Injectable()
class BearerAdmissionGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const policy = policyOf(context);
    const counts = (quota: QuotaName) =>
      this.admission.admit(reply, {
        quota,
        owner: request.bearer!.applicationId,
        limited: (_usage, retryAfter) => rateLimited(retryAfter),
      });
    // refunded requests still count here, so that they are bounded, too
    if (policy.refundsBadRequests) await counts('WRITES');
    request.counted = await counts(quotaOf(request, policy));
    return true;
  }
}

/**
 * For a method with `refundsBadRequests`: refunds the request that BearerAdmissionGuard counted when the response is
 * 400.
 */
@Injectable()
export class RefundsBadRequests implements NestInterceptor {
  constructor(private readonly admission: Admission) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const { counted } = http.getRequest<FastifyRequest>();
    const refund = async (error: unknown): Promise<never> => {
      const isBad = (error instanceof ApiError || error instanceof ApiErrors) && error.status === 400;
      if (isBad && counted) await this.admission.refund(http.getResponse<FastifyReply>(), counted);
      throw error;
    };
    return next.handle().pipe(catchError((error: unknown) => from(refund(error))));
  }
}

/** A controller of endpoints that an application calls on its own behalf, with its bearer token. */
export const BearerController = (path: string, { tag, ...policy }: ControllerPolicy & { tag: string }) =>
  applyDecorators(
    Controller(`2/${path}`),
    Policy(policy),
    UseGuards(EndpointPolicyGuard, BearerGuard, BearerAdmissionGuard),
    UseInterceptors(IdempotencyInterceptor),
    DataEnvelope(),
    ApiTags(tag),
    ApiSecurity('bearer'),
  );
