import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { errorText } from '../../common/http/errors/error-response.js';
import { noteIgnored } from '../../common/http/params/params.js';
import { idempotencyKeyOf, ignoresKey, KEY_IGNORED, keyedRequest } from './idempotency-key.js';
import { IdempotencyService, type PerformedRequest } from './idempotency.service.js';

/** Performs requests with an Idempotency-Key once. It is the first interceptor, after the guards. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: IdempotencyService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (ignoresKey(request)) noteIgnored(request.query, KEY_IGNORED);
    if (key === undefined) return next.handle() as Observable<unknown>;
    const keyed = keyedRequest(key, request);
    const reply = http.getResponse<FastifyReply>();
    const work = async (tx?: EntityManager): Promise<PerformedRequest<unknown>> => {
      request.transaction = tx;
      const result: unknown = await lastValueFrom(next.handle() as Observable<unknown>, { defaultValue: undefined });
      return { result, status: reply.statusCode, body: bodyOf(reply, result) };
    };
    if (isOutsideTransaction(context.getHandler())) return from(this.idempotency.performAndStore(keyed, () => work()));
    return from(this.idempotency.performOnce(keyed, work, (errors) => errorText(errors, request)));
  }
}

/** The text of a response, as the serializer of its route writes it; null without a body. */
function bodyOf(reply: FastifyReply, answer: unknown): string | null {
  if (answer === undefined) return null;
  const serialized = reply.serialize(answer) as string | Buffer;
  return typeof serialized === 'string' ? serialized : serialized.toString('utf8');
}

const OUTSIDE = Symbol('outside of a transaction');

/**
 * An endpoint that must not keep a transaction open: its work waits for a client that sends a file or for the server of a
 * webhook, or it reads for long on a connection of its own. The response to an Idempotency-Key is stored after the work,
 * so of two requests with one key at the same time both are performed.
 */
export const OutsideTransaction = () => SetMetadata(OUTSIDE, true);

export const isOutsideTransaction = (handler: object): boolean => Reflect.getMetadata(OUTSIDE, handler) === true;
