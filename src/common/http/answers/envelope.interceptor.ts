import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Page } from './page.js';
import { echoOf } from '../params/params.js';
import { BatchResult, Created, Item, Message } from './results.js';

/** Wraps responses in the envelope: it echoes the request, and has the cursor of the next page of a list. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      map((answer: unknown) => {
        const made = answer instanceof Created ? (answer as Created<unknown>) : undefined;
        if (made?.isNew === false) void context.switchToHttp().getResponse<FastifyReply>().status(200);
        const result = made ? made.result : answer;
        if (result instanceof BatchResult) return { ...result.extra, data: result.items, request: result.request };
        const request = { params: { ...echoOf(http.query), ...echoOf(http.body), ...(http.params as object) } };
        if (result instanceof Message) return { request, message: result.text };
        if (result instanceof Item) return { request, ...result.extra, data: result.item as unknown };
        return result instanceof Page ? listEnvelope(request, result) : { request, data: result };
      }),
    );
  }
}

function listEnvelope(request: object, { items, nextCursor, totalCount, extra }: Page<unknown>): object {
  return {
    request,
    next_cursor: nextCursor,
    ...(totalCount !== undefined && { total_count: totalCount }),
    ...extra,
    data: items,
  };
}
