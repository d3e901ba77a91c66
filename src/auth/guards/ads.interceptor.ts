import { Injectable, type CallHandler, type ExecutionContext } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { EnvelopeInterceptor } from '../../common/http/answers/envelope.interceptor.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';

/**
 * Wraps responses in the envelope, and performs requests with an Idempotency-Key once. It is one interceptor, because
 * each one costs time in all requests.
 */
@Injectable()
export class AdsInterceptor extends EnvelopeInterceptor {
  constructor(private readonly idempotency: IdempotencyInterceptor) {
    super();
  }

  override intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.idempotency.intercept(context, { handle: () => super.intercept(context, next) });
  }
}
