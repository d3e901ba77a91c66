import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeNotFound } from '../../common/errors/catalogue.js';
import { originOf } from '../../common/http/public-urls.js';
import { unsupported } from '../../common/http/body-parsers.js';
import { policyOf } from './endpoint-policy.js';

/** Refuses what needs no caller to be refused: endpoints of the sandbox outside of it (404), and bodies of the wrong content type (415). */
@Injectable()
export class EndpointPolicyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { sandboxOnly, json } = policyOf(context);
    if (sandboxOnly && originOf(request.raw).environment !== 'sandbox') throw routeNotFound();
    // A wrong content type is answered by what it is, not as the missing parameter that follows from it.
    if (json && !request.hasJson && request.headers['content-type'] !== undefined && request.formPairs) {
      throw unsupported(request.headers['content-type'], 'application/json');
    }
    if (!json && request.hasJson)
      throw unsupported(
        request.headers['content-type'] ?? '',
        'parameters in the query or in an application/x-www-form-urlencoded body',
      );
    return true;
  }
}
