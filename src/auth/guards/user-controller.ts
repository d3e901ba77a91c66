import {
  applyDecorators,
  Controller,
  Injectable,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cannotWrite, couldNotAuthenticate, scopeMissingNumbered } from '../../common/errors/catalogue.js';
import { rateLimited } from '../oauth-errors.js';
import { DataEnvelope } from '../../common/http/answers/data-responses.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { Admission } from './admission.js';
import { EndpointPolicyGuard } from './endpoint-policy.guard.js';
import { CallerGuard } from './caller.guard.js';
import {
  isRead,
  missingScope,
  policyOf,
  Policy,
  quotaOf,
  scopesFor,
  type ControllerPolicy,
} from './endpoint-policy.js';
import { SignatureGuard } from './signature.guard.js';

/** Admits requests signed for a user on endpoints with numeric error codes. They count per user token. */
@Injectable()
class UserAdmissionGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const policy = policyOf(context);
    const { userId, tokenId, token, accessLevel } = request.user!;
    const isWrite = !isRead(request) && !policy.notAWrite;
    await this.admission.admit(http.getResponse<FastifyReply>(), {
      nonce: request.signedNonce,
      accessed: { owners: [userId], isWrite },
      quota: quotaOf(request, policy),
      owner: tokenId,
      token,
      replayed: couldNotAuthenticate,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
    if (isWrite && accessLevel !== 'write') throw cannotWrite();
    const missing = missingScope(request.user!, scopesFor(policy, !isWrite));
    if (missing !== undefined) throw scopeMissingNumbered(missing);
    return true;
  }
}

/**
 * A controller of endpoints with numeric error codes that are signed for a user. Writes require a token with write
 * access. Where the policy has scopes, access tokens of OAuth 2.0 are accepted, too.
 */
export const UserController = (path: string, { tag, ...policy }: ControllerPolicy & { tag: string }) =>
  applyDecorators(
    Controller(path),
    Policy(policy),
    UseGuards(EndpointPolicyGuard, policy.scopes ? CallerGuard : SignatureGuard, UserAdmissionGuard),
    UseInterceptors(IdempotencyInterceptor),
    DataEnvelope(),
    ApiTags(tag),
    ApiSecurity('oauth1'),
    ...(policy.scopes ? [ApiSecurity('oauth2')] : []),
  );
