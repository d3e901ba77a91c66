import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { Config } from '../../config/config.js';
import { BearersService } from '../bearers/bearers.service.js';
import type { Caller } from '../caller.js';
import { bearerChallenge } from '../grants/discovery.js';
import { GrantsService } from '../grants/grants.service.js';
import { readBearer } from '../headers/authorization-header.js';
import { hintOnRefusal } from '../signature/refusal-hints.js';
import type { SignatureRefusal } from '../signature/signed-request.js';
import { SignedRequestsStrategy } from '../signature/signed-requests.strategy.js';
import { HeaderBearerStrategy } from './bearer.guard.js';
import { insideCallerOf } from './inside-callers.js';
import { refusalError, SignatureGuard } from './signature.guard.js';
import { UnsignedLimit } from './unsigned-limit.js';
import { usingStrategy } from './using-strategy.js';

/** Authenticates requests with the access token that a user gave an application by OAuth 2.0. */
@Injectable()
export class UserBearerStrategy extends PassportStrategy(HeaderBearerStrategy, 'user-bearer') {
  constructor(
    private readonly grants: GrantsService,
    private readonly bearers: BearersService,
  ) {
    super();
  }

  /** The caller, or why there is none: the token of an application is valid, but acts for nobody. */
  async validate(token: string): Promise<Caller | SignatureRefusal> {
    const found = await this.grants.find(token);
    if ('userId' in found) return found;
    const bearer = found.tokenId === undefined ? await this.bearers.find(token) : undefined;
    return bearer ? { kind: 'bearer', ...bearer } : { kind: 'unknown-token', ...found };
  }
}

@Injectable()
class UserBearerGuard extends AuthGuard() {
  constructor(
    strategy: UserBearerStrategy,
    private readonly unsigned: UnsignedLimit,
    private readonly config: Config,
  ) {
    super(usingStrategy(strategy));
  }

  override handleRequest<T>(error: Error | null, found: T | false | null, _: unknown, context: ExecutionContext): T {
    if (error) throw error;
    const given = (found || { kind: 'no-credentials' }) as Caller | SignatureRefusal;
    if (!('kind' in given)) return given as T;
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    request.refusal = given;
    this.unsigned.count(request, reply);
    const refused = refusalError(given, familyOf(request.url) === 'ads').hinted(() => hintOnRefusal(given, request));
    const isWrong = given.kind !== 'no-credentials';
    if (refused.status === 401) reply.header('www-authenticate', bearerChallenge(request, this.config, { isWrong }));
    throw refused;
  }
}

/**
 * Authenticates a user, and the application that acts for them, by a signature or by an access token of OAuth 2.0, and sets
 * `request.user`. Requests of pages of this process have a caller already.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  private readonly signature: CanActivate;
  private readonly bearer: CanActivate;

  constructor(signed: SignedRequestsStrategy, bearer: UserBearerStrategy, unsigned: UnsignedLimit, config: Config) {
    this.signature = new SignatureGuard(signed, unsigned);
    this.bearer = new UserBearerGuard(bearer, unsigned, config);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { authorization } = request.headers;
    const inside = insideCallerOf(authorization);
    if (inside) {
      request.user = inside;
      request.isInside = true;
      return true;
    }
    const guard = authorization !== undefined && readBearer(authorization) !== undefined ? this.bearer : this.signature;
    return (await guard.canActivate(context)) as boolean;
  }
}
