import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../common/errors/api-error.js';
import * as catalogue from '../../common/errors/catalogue.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { hintOnRefusal } from '../signature/refusal-hints.js';
import type { SignatureRefusal } from '../signature/signed-request.js';
import { SignedRequestsStrategy } from '../signature/signed-requests.strategy.js';
import { UnsignedLimit } from './unsigned-limit.js';
import { usingStrategy } from './using-strategy.js';

/**
 * Verifies the OAuth 1.0a signature and sets `request.user`. A rejected request gets the 401 or 403 of its family of
 * endpoints, or 429 if its address sends too many of them.
 */
@Injectable()
export class SignatureGuard extends AuthGuard() {
  constructor(
    strategy: SignedRequestsStrategy,
    private readonly unsigned: UnsignedLimit,
  ) {
    super(usingStrategy(strategy));
  }

  override handleRequest<T>(
    error: Error | null,
    caller: T | false | null,
    _info: unknown,
    context: ExecutionContext,
  ): T {
    if (error) throw error;
    if (caller) return caller;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const refusal = request.refusal ?? { kind: 'no-credentials' };
    this.unsigned.count(request, http.getResponse<FastifyReply>());
    throw refusalError(refusal, familyOf(request.url) === 'ads').hinted(() => hintOnRefusal(refusal, request));
  }
}

/** The error for a rejection: with string codes on advertising endpoints (`ads`), with numeric codes on the others. */
export function refusalError(refusal: SignatureRefusal, ads: boolean): ApiError {
  const error = errorOf(refusal, ads).because(refusalReasonOf(refusal));
  if (refusal.help) error.detail.signature_help = refusal.help;
  return error;
}

/** The reason of the rejection as logs and metrics name it. */
export const refusalReasonOf = ({ kind, because = kind }: SignatureRefusal): string => because;

function errorOf({ kind, details }: SignatureRefusal, ads: boolean): ApiError {
  switch (kind) {
    case 'bearer':
      return catalogue.bearerNotAllowed();
    case 'unknown-token':
      return catalogue.invalidToken();
    case 'out-of-bounds':
      return ads ? catalogue.unauthorized(details) : catalogue.timestampOutOfBounds();
    case 'no-credentials':
      return ads ? catalogue.unauthorized('no OAuth credentials were sent') : catalogue.badAuthenticationData();
    case 'protocol':
    case 'no-token':
      return ads ? catalogue.unauthorized(details) : catalogue.couldNotAuthenticate(details);
    case 'signature':
    case 'unknown-application':
    case 'token-of-another':
      return ads ? catalogue.unauthorized() : catalogue.couldNotAuthenticate();
  }
}
