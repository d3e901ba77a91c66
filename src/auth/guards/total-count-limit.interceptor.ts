import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, switchMap } from 'rxjs';
import { Problem } from '../../common/http/problem.js';
import { readFlag } from '../../common/http/readers.js';
import { answersPages } from '../../common/http/returns.js';
import { Gatekeeper } from './gatekeeper.js';

/** Part 1, 2.1 (6): requests with `with_total_count` have a limit of their own. */
@Injectable()
export class TotalCountLimitInterceptor implements NestInterceptor {
  constructor(private readonly gatekeeper: Gatekeeper) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const asked = (request.query as { with_total_count?: unknown }).with_total_count;
    if (request.method !== 'GET' || asked === undefined) return next.handle();
    const wanted = readFlag(asked, 'with_total_count');
    if (wanted instanceof Problem || !wanted) return next.handle();
    const { account_id: accountId } = request.params as { account_id?: string };
    const admitted = this.gatekeeper.admitTotalCount(http.getResponse<FastifyReply>(), {
      caller: request.user!,
      accountId,
    });
    return from(admitted).pipe(switchMap(() => next.handle()));
  }
}

/** For a controller: its lists, and nothing else of it, pass the limit of totals. */
export const LimitsTotals = (): ClassDecorator => (controller) => {
  const methods = Object.getOwnPropertyDescriptors(controller.prototype as object);
  for (const [name, method] of Object.entries<PropertyDescriptor>(methods)) {
    if (typeof method.value !== 'function' || !answersPages(method.value as object)) continue;
    UseInterceptors(TotalCountLimitInterceptor)(controller.prototype as object, name, method);
  }
};
