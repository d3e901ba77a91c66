import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, switchMap } from 'rxjs';
import { isTrue } from '../../common/http/params/conversions.js';
import { answersPages } from '../../common/http/answers/responses.js';
import { AdsAdmission } from './ads-admission.js';

/** Applies the separate limit of requests with `with_total_count`. */
@Injectable()
class TotalCountLimitInterceptor implements NestInterceptor {
  constructor(private readonly admission: AdsAdmission) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const asked = (request.query as { with_total_count?: unknown }).with_total_count;
    if (request.method !== 'GET' || !isTrue(asked)) return next.handle();
    const { account_id: accountId } = request.params as { account_id?: string };
    const admitted = this.admission.admitTotalCount(http.getResponse<FastifyReply>(), {
      caller: request.user!,
      accountId,
    });
    return from(admitted).pipe(switchMap(() => next.handle()));
  }
}

/** For a controller: adds the limit of totals to its lists only. */
export const LimitsTotals = (): ClassDecorator => (controller) => {
  const methods = Object.getOwnPropertyDescriptors(controller.prototype as object);
  for (const [name, method] of Object.entries<PropertyDescriptor>(methods)) {
    if (typeof method.value !== 'function' || !answersPages(method.value as object)) continue;
    UseInterceptors(TotalCountLimitInterceptor)(controller.prototype as object, name, method);
  }
};
