import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import type { Caller } from '../caller.js';
import { CallersService } from '../credentials/callers.service.js';
import { readBasic } from '../headers/authorization-header.js';
import { rateLimited } from '../oauth-errors.js';
import { Admission } from './admission.js';
import { policyOf, quotaOf } from './endpoint-policy.js';
import { OAuthAdmission } from './oauth-admission.js';

/** The scheme of either header; both contain the same. */
const SCHEME = /^\s*(Basic|Bearer)(?=\s)/i;

/**
 * For clients that cannot sign: authenticates with an access token and its secret, as `Basic` or `Bearer` and the base64
 * text of both with a colon between. Sets `request.user`. Requests count per token, and failed ones per address.
 */
@Injectable()
export class AccessTokenGuard implements CanActivate {
  constructor(
    private readonly callers: CallersService,
    private readonly admission: Admission,
    private readonly failures: OAuthAdmission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const { authorization } = request.headers;
    const caller = authorization === undefined ? undefined : await this.callerOf(authorization);
    if (!caller) {
      await this.failures.admitAddress(request, reply, 'OAUTH');
      throw wrongCredentials(authorization === undefined);
    }
    request.user = caller;
    await this.admission.admit(reply, {
      quota: quotaOf(request, policyOf(context)),
      owner: caller.tokenId,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
    return true;
  }

  private async callerOf(authorization: string): Promise<Caller | undefined> {
    const given = SCHEME.test(authorization) ? readBasic(authorization.replace(SCHEME, 'Basic')) : undefined;
    return given && this.callers.authenticate(given.key, given.secret);
  }
}

const wrongCredentials = (areMissing: boolean) =>
  new ApiError(
    401,
    32,
    'Could not authenticate you',
    { details: 'Authorization must be Basic or Bearer, and the base64 text of access_token:access_token_secret' },
    { 'www-authenticate': 'Basic realm="Marquee", charset="UTF-8"' },
  ).because(areMissing ? 'no-credentials' : 'key-or-secret');
