import { Inject, Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import type { QuotaName } from '../../quotas.js';
import { hintOnBasic, hintOnRefusal } from '../signature/refusal-hints.js';
import type { Refusal } from '../signature/signed-request.js';
import { OAuthAdmission } from './oauth-admission.js';
import { usingStrategy } from './using-strategy.js';
import { reasonOf } from './signature.guard.js';

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
export function oauthGuard({
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
