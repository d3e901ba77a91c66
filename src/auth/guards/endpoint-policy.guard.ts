import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeNotFound } from '../../common/errors/catalogue.js';
import { originOf } from '../../common/http/public-urls.js';
import { unsupported } from '../../common/http/body-parsers.js';
import { policyOf } from './endpoint-policy.js';

/** What can be refused before anybody is asked who they are: the wrong environment, and a body in the wrong form. */
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
