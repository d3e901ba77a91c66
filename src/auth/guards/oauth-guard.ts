import { Inject, Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import type { QuotaName } from '../../config/quotas.js';
import { hintOnBasic, hintOnRefusal } from '../signature/refusal-hints.js';
import type { SignatureRefusal } from '../signature/signed-request.js';
import { OAuthAdmission } from './oauth-admission.js';
import { usingStrategy } from './using-strategy.js';
import { refusalReasonOf } from './signature.guard.js';

interface OAuthGuardOptions {
  /** The passport strategy. */
  strategy: Type<object>;
  /** The property of the request that receives the result of the strategy. */
  property: 'user' | 'byApplication' | 'withRequestToken' | 'client';
  /** The id of the application; called after the strategy succeeded. */
  applicationOf: (request: FastifyRequest) => string;
  /** Creates the error for a request that the strategy rejects. */
  refuse: (refusal: SignatureRefusal) => ApiError;
  /** Creates the error for a used nonce. */
  replayed: (details: string) => ApiError;
  /** OAUTH by default. */
  quota?: QuotaName;
}

/**
 * A guard of an authentication endpoint. A request that authenticates its application counts for the application; other
 * requests count by their address. So no client can exhaust the window of another.
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
      const reason = property === 'client' ? 'key-or-secret' : refusalReasonOf(refusal);
      throw refuse(refusal)
        .because(reason)
        .hinted(() => (property === 'client' ? hintOnBasic(request) : hintOnRefusal(refusal, request)));
    }
  }
  return OAuthGuard;
}
