import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import type { Caller } from '../caller.js';
import { CallersService } from '../credentials/callers.service.js';
import { bearerChallenge } from '../grants/discovery.js';
import { GrantsService } from '../grants/grants.service.js';
import { readBasic, readBearer } from '../headers/authorization-header.js';
import { rateLimited } from '../oauth-errors.js';
import { Config } from '../../config/config.js';
import { Admission } from './admission.js';
import { policyOf, quotaOf } from './endpoint-policy.js';
import { OAuthAdmission } from './oauth-admission.js';

/** The scheme of either header; both contain the same. */
const SCHEME = /^\s*(Basic|Bearer)(?=\s)/i;

/**
 * For clients that cannot sign: authenticates with an access token of OAuth 2.0, or with another access token and its secret, as
 * `Basic` or `Bearer` and the base64 text of both with a colon between. Sets `request.user`. Requests count per token, and failed
 * ones per address.
 */
@Injectable()
export class AccessTokenGuard implements CanActivate {
  constructor(
    private readonly callers: CallersService,
    private readonly grants: GrantsService,
    private readonly config: Config,
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
      const isWrong = authorization !== undefined;
      throw wrongCredentials(isWrong, bearerChallenge(request, this.config, { isWrong, resource: '/mcp' }));
    }
    request.user = caller;
    await this.admission.admit(reply, {
      quota: quotaOf(request, policyOf(context)),
      owner: caller.tokenId,
      token: caller.token,
      limited: (_usage, retryAfter) => rateLimited(retryAfter),
    });
    return true;
  }

  private async callerOf(authorization: string): Promise<Caller | undefined> {
    const given = SCHEME.test(authorization) ? readBasic(authorization.replace(SCHEME, 'Basic')) : undefined;
    if (given) return this.callers.authenticate(given.key, given.secret);
    const token = readBearer(authorization);
    const found = token === undefined ? undefined : await this.grants.find(token);
    return found && 'userId' in found ? found : undefined;
  }
}

const wrongCredentials = (areWrong: boolean, challenge: string) =>
  new ApiError(
    401,
    32,
    'Could not authenticate you',
    {
      details:
        'Authorization must be Bearer and an access token of OAuth 2.0, or Basic and the base64 text of access_token:access_token_secret',
    },
    { 'www-authenticate': challenge },
  ).because(areWrong ? 'key-or-secret' : 'no-credentials');
