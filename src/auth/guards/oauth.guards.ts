import { Inject, Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import type { QuotaName } from '../../config.js';
import { invalidRequestToken, requestTokenMissing, unverified } from '../oauth-errors.js';
import {
  ApplicationStrategy,
  RequestTokenStrategy,
  type SignedByApplication,
  type SignedWithRequestToken,
} from '../oauth1/flow.strategies.js';
import type { Refusal } from '../oauth1/signed-request.js';
import { SignedRequestsStrategy } from '../oauth1/signed-requests.strategy.js';
import { ClientStrategy, type BasicClient } from '../oauth2/basic.strategy.js';
import { isBasicHeader } from '../oauth2/basic-header.js';
import { FrontDesk } from './front-desk.js';
import { asking } from './own-strategy.js';
import { refusalError } from './signed.guard.js';

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

interface Entrance {
  /** The passport strategy, and the property of the request in which what it found is kept. */
  strategy: Type<object>;
  property: 'user' | 'byApplication' | 'withRequestToken' | 'client';
  applicationOf: (request: FastifyRequest) => string;
  refuse: (refusal: Refusal) => ApiError;
  replayed: (why: string) => ApiError;
  quota?: QuotaName;
}

/** Who fails counts by address, who succeeds counts as an application: nobody uses up the window of another. */
function entrance({
  strategy,
  property,
  applicationOf,
  refuse,
  replayed,
  quota = 'OAUTH',
}: Entrance): Type<CanActivate> {
  @Injectable()
  class EntranceGuard extends AuthGuard() {
    constructor(
      private readonly desk: FrontDesk,
      @Inject(strategy) own: object,
    ) {
      super(asking(own));
    }

    override async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
      reply.header('cache-control', 'no-store');
      try {
        await super.canActivate(context);
      } catch (error) {
        if (error instanceof ApiError) await this.desk.admitAddress(request, reply, 'OAUTH');
        throw error;
      }
      await this.desk.admitApplication(request, reply, { applicationId: applicationOf(request), quota, replayed });
      return true;
    }

    override getAuthenticateOptions() {
      return { session: false, property };
    }

    override handleRequest<T>(error: Error | null, found: T | false | null, _: unknown, context: ExecutionContext): T {
      if (error) throw error;
      if (found) return found;
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      throw refuse(request.refusal ?? { kind: 'no-credentials' });
    }
  }
  return EntranceGuard;
}

/** For `oauth/request_token`: signed by an application, without a token. */
export const ApplicationSignedGuard = entrance({
  strategy: ApplicationStrategy,
  property: 'byApplication',
  applicationOf: (request) => request.byApplication!.consumer.id,
  refuse: (refusal) => refusalError(refusal, false),
  replayed: couldNotAuthenticate,
});

/** For `oauth/access_token`: signed with a request token. */
export const RequestTokenSignedGuard = entrance({
  strategy: RequestTokenStrategy,
  property: 'withRequestToken',
  applicationOf: (request) => request.withRequestToken!.consumer.id,
  refuse(refusal) {
    if (refusal.kind === 'no-token') return requestTokenMissing();
    return refusal.kind === 'unknown-token' ? invalidRequestToken() : refusalError(refusal, false);
  },
  replayed: couldNotAuthenticate,
});

/** For `oauth/invalidate_token`: signed for a user. A read token may end itself. */
export const TokenSignedGuard = entrance({
  strategy: SignedRequestsStrategy,
  property: 'user',
  applicationOf: (request) => request.user!.application.id,
  refuse: (refusal) => refusalError(refusal, false),
  replayed: couldNotAuthenticate,
});

/** For `oauth2/token`: the application's key and secret. */
export const ClientGuard = entrance({
  strategy: ClientStrategy,
  property: 'client',
  applicationOf: (request) => request.client!.applicationId,
  refuse: () => unverified(),
  replayed: unverified,
  quota: 'BEARER_TOKEN',
});

const CountedClientGuard = entrance({
  strategy: ClientStrategy,
  property: 'client',
  applicationOf: (request) => request.client!.applicationId,
  refuse: () => unverified(),
  replayed: unverified,
});

/** All that fails at `oauth2` endpoints is the one 403, but that a revoked token is told by its own code everywhere. */
const OwnerSignedGuard = entrance({
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

  constructor(desk: FrontDesk, signed: SignedRequestsStrategy, client: ClientStrategy) {
    this.signed = new OwnerSignedGuard(desk, signed);
    this.basic = new CountedClientGuard(desk, client);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const guard = isBasicHeader(authorization) ? this.basic : this.signed;
    return (await guard.canActivate(context)) as boolean;
  }
}
