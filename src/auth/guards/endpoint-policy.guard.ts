import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../common/errors/api-error.js';
import { routeNotFound } from '../../common/errors/catalogue.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { unsupported, type BodyKind } from '../../common/http/bodies/body-parsers.js';
import { policyOf } from './endpoint-policy.js';

/**
 * Rejects what needs no caller: sandbox endpoints outside the sandbox (404), and bodies of the wrong content type
 * (415).
 */
@Injectable()
export class EndpointPolicyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { sandboxOnly, body = 'form' } = policyOf(context);
    if (sandboxOnly && originOf(request.raw).environment !== 'sandbox')
      throw routeNotFound().hinted(() => request.server.hints?.inOther('sandbox', 'This endpoint exists', request));
    // Report a wrong content type as such, not as the missing parameter that results from it.
    if (isOfOtherKind(request, body)) throw ofOtherKind(request, body);
    return true;
  }
}

/**
 * A parsed body must be of the kind that the endpoint takes. Bodies that parsers leave to the handler are always
 * allowed.
 */
function isOfOtherKind({ hasJson, formPairs, headers, routeOptions }: FastifyRequest, kind: BodyKind): boolean {
  if (kind === 'json') return !hasJson && headers['content-type'] !== undefined && formPairs !== undefined;
  if (hasJson && routeOptions.config.multipart?.json) return false;
  return hasJson === true || (kind === 'stream' && formPairs !== undefined && formPairs.length > 0);
}

/** 415 that names the types which the endpoint takes. */
function ofOtherKind({ headers, routeOptions }: FastifyRequest, kind: BodyKind): ApiError {
  const given = headers['content-type'] ?? '';
  if (kind === 'json') return unsupported(given, 'application/json');
  const { unreadTypes } = routeOptions.config;
  if (unreadTypes) return unsupported(given, unreadTypes.join(' or '));
  return unsupported(given, 'application/x-www-form-urlencoded').hinted(
    () => 'Send the parameters as a form or in the query.',
  );
}
