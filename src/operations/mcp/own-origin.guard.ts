import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { shown } from '../../common/http/params/refusals.js';
import { Config, isLoopbackHost } from '../../config/config.js';

/**
 * Rejects requests that web pages of others send, also under a name that leads to this service (DNS rebinding). Browsers
 * send `Origin`, other clients do not.
 */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (origin === undefined || this.isOwn(origin)) return true;
    throw new ApiError(
      403,
      220,
      `Expected ${this.config.baseUrl.origin} or no value for Origin, got ${shown(origin)}`,
      { parameter: 'Origin' },
    ).because('foreign-origin');
  }

  /** The origin of `BASE_URL`. On this machine any local page may use the service, as its user may. */
  private isOwn(origin: string): boolean {
    const { baseUrl } = this.config;
    if (!URL.canParse(origin)) return false;
    const { hostname } = new URL(origin);
    return origin === baseUrl.origin || (isLoopbackHost(baseUrl.hostname) && isLoopbackHost(hostname));
  }
}
