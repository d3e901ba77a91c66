import {
  Inject,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError } from 'rxjs';
import { ApiError, ApiErrors } from '../errors/api-error.js';
import { RefusedParams, type Parsed } from './parsed.js';

/**
 * For a method whose parameters have to fit what is stored: where some of them are refused, `check` says what is wrong
 * between the others and what is stored, so that one answer names it all. It returns the problems or throws them, and only
 * reads: the method itself is not called, so nothing can be written for such a request.
 */
export function ChecksStored<S, T extends object>(
  service: Type<S>,
  check: (service: S, parsed: Parsed<T>, request: FastifyRequest) => ApiError[] | Promise<ApiError[]>,
): MethodDecorator {
  @Injectable()
  class StoredChecks implements NestInterceptor {
    constructor(@Inject(service) private readonly checked: S) {}

    intercept(context: ExecutionContext, next: CallHandler) {
      return next.handle().pipe(
        catchError(async (thrown: unknown) => {
          if (!(thrown instanceof RefusedParams)) throw thrown;
          const request = context.switchToHttp().getRequest<FastifyRequest>();
          const problems = await problemsOf(() => check(this.checked, thrown.parsed as Parsed<T>, request));
          throw new ApiErrors([...thrown.errors, ...problems]);
        }),
      );
    }
  }
  return UseInterceptors(StoredChecks);
}

async function problemsOf(check: () => ApiError[] | Promise<ApiError[]>): Promise<ApiError[]> {
  try {
    return await check();
  } catch (thrown) {
    if (thrown instanceof ApiErrors) return thrown.errors;
    if (thrown instanceof ApiError) return [thrown];
    throw thrown;
  }
}
