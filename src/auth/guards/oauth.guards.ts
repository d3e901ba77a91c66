import { Inject, Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import type { QuotaName } from '../../quotas.js';
import { invalidRequestToken, requestTokenMissing, unverified } from '../oauth-errors.js';
import {
  ApplicationStrategy,
  RequestTokenStrategy,
  type SignedByApplication,
  type SignedWithRequestToken,
} from '../oauth1/flow.strategies.js';
import { hintOnBasic, hintOnRefusal } from '../oauth1/refusal-hints.js';
import type { Refusal } from '../oauth1/signed-request.js';
import { SignedRequestsStrategy } from '../oauth1/signed-requests.strategy.js';
import { ClientStrategy, type BasicClient } from '../oauth2/basic.strategy.js';
import { isBasicHeader } from '../oauth2/basic-header.js';
import { OAuthAdmission } from './oauth-admission.js';
import { usingStrategy } from './using-strategy.js';
import { reasonOf, refusalError } from './signature.guard.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on `oauth/request_token`. */
    byApplication?: SignedByApplication;
    /** Set on `oauth/access_token`. */
    withRequestToken?: SignedWithRequestToken;
    /** Set where an application shows its key and secret. */
    client?: BasicClient;
  }
}

interface OAuthGuardOptions {
  /** The passport strategy. */
  strategy: Type<object>;
  /** The property of the request that is set to what the strategy found. */
  property: 'user' | 'byApplication' | 'withRequestToken' | 'client';
  /** The id of the application, once the strategy has found it. */
  applicationOf: (request: FastifyRequest) => string;
  /** The error for a request that the strategy refuses. */
  refuse: (refusal: Refusal) => ApiError;
  /** The error for a nonce that is not new. */
  replayed: (details: string) => ApiError;
  /** By default OAUTH. */
  quota?: QuotaName;
}

/**
 * A guard of an authentication endpoint. A request that proves its application counts as the application's, one that does
 * not counts by its address: nobody can use up the window of another.
 */
function oauthGuard({
  strategy,
  property,
  applicationOf,
  refuse,
  replayed,
  quota = 'OAUTH',
}: OAuthGuardOptions): Type<CanActivate> {
  @Injectable()
  class OAuthGuard extends AuthGuard() {
    constructor(
      private readonly admission: OAuthAdmission,
      @Inject(strategy) passportStrategy: object,
    ) {
      super(usingStrategy(passportStrategy));
    }

    override async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
      reply.header('cache-control', 'no-store');
      try {
        await super.canActivate(context);
      } catch (error) {
        if (error instanceof ApiError) await this.admission.admitAddress(request, reply, 'OAUTH');
        throw error;
      }
      await this.admission.admitApplication(request, reply, { applicationId: applicationOf(request), quota, replayed });
      return true;
    }

    override getAuthenticateOptions() {
      return { session: false, property };
    }

    override handleRequest<T>(
      error: Error | null,
      identity: T | false | null,
      _: unknown,
      context: ExecutionContext,
    ): T {
      if (error) throw error;
      if (identity) return identity;
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const refusal = request.refusal ?? { kind: 'no-credentials' };
      const reason = property === 'client' ? 'key-or-secret' : reasonOf(refusal);
      throw refuse(refusal)
        .because(reason)
        .hinted(() => (property === 'client' ? hintOnBasic(request) : hintOnRefusal(refusal, request)));
    }
  }
  return OAuthGuard;
}

/** For `oauth/request_token`: signed by an application, without a token. */
export const ApplicationSignedGuard = oauthGuard({
  strategy: ApplicationStrategy,
  property: 'byApplication',
  applicationOf: (request) => request.byApplication!.consumer.id,
  refuse: (refusal) => refusalError(refusal, false),
  replayed: couldNotAuthenticate,
});

/** For `oauth/access_token`: signed with a request token. */
export const RequestTokenSignedGuard = oauthGuard({
  strategy: RequestTokenStrategy,
  property: 'withRequestToken',
  applicationOf: (request) => request.withRequestToken!.consumer.id,
  refuse(refusal) {
    if (refusal.kind === 'no-token') return requestTokenMissing();
    return refusal.kind === 'unknown-token'
      ? invalidRequestToken().hinted(
          'A request token serves 15 minutes and one exchange; POST /oauth/request_token gives another.',
        )
      : refusalError(refusal, false);
  },
  replayed: couldNotAuthenticate,
});

/** For `oauth/invalidate_token`: signed for a user. A read token may end itself. */
export const TokenSignedGuard = oauthGuard({
  strategy: SignedRequestsStrategy,
  property: 'user',
  applicationOf: (request) => request.user!.application.id,
  refuse: (refusal) => refusalError(refusal, false),
  replayed: couldNotAuthenticate,
});

/** For `oauth2/token`: the application's key and secret. */
export const ClientGuard = oauthGuard({
  strategy: ClientStrategy,
  property: 'client',
  applicationOf: (request) => request.client!.applicationId,
  refuse: () => unverified(),
  replayed: unverified,
  quota: 'BEARER_TOKEN',
});

const CountedClientGuard = oauthGuard({
  strategy: ClientStrategy,
  property: 'client',
  applicationOf: (request) => request.client!.applicationId,
  refuse: () => unverified(),
  replayed: unverified,
});

/** All that fails at `oauth2` endpoints is the one 403, but that a revoked token is told by its own code everywhere. */
const OwnerSignedGuard = oauthGuard({
  strategy: SignedRequestsStrategy,
  property: 'user',
  applicationOf: (request) => request.user!.application.id,
  refuse: (refusal) =>
    refusal.kind === 'unknown-token'
      ? refusalError(refusal, false)
      : unverified(refusal.details, {}, refusal.help && { signature_help: refusal.help }),
  replayed: unverified,
});

/** For `oauth2/invalidate_token`: signed by the owner, or in the older way with the application's key and secret. */
@Injectable()
export class OwnerGuard implements CanActivate {
  private readonly signed: CanActivate;
  private readonly basic: CanActivate;

  constructor(admission: OAuthAdmission, signed: SignedRequestsStrategy, client: ClientStrategy) {
    this.signed = new OwnerSignedGuard(admission, signed);
    this.basic = new CountedClientGuard(admission, client);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const guard = isBasicHeader(authorization) ? this.basic : this.signed;
    return (await guard.canActivate(context)) as boolean;
  }
}
