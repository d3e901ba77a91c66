import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import { readBearer } from '../headers/authorization-header.js';
import { badBearer } from '../oauth-errors.js';
import { hintOnScheme } from '../signature/refusal-hints.js';
import { type Bearer, BearersService } from '../bearers/bearers.service.js';
import { OAuthAdmission } from './oauth-admission.js';
import { usingStrategy } from './using-strategy.js';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';

/** Passport's Bearer strategy for the header only. A token in the query or body is ignored. */
export class HeaderBearerStrategy extends Strategy<VerifyFunction> {
  override authenticate(request: object): void {
    const { authorization } = (request as FastifyRequest).headers;
    super.authenticate({ headers: { authorization } } as never);
  }
}

@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderBearerStrategy, 'bearer') {
  constructor(private readonly bearers: BearersService) {
    super();
  }

  async validate(token: string): Promise<Bearer | null> {
    return (await this.bearers.find(token)) ?? null;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by BearerGuard: the calling application. */
    bearer?: Bearer;
  }
}

/** For application-only endpoints (`/2`): 401 code 215 without a bearer token, 401 code 89 with an invalid one. */
@Injectable()
export class BearerGuard extends AuthGuard() implements CanActivate {
  constructor(
    private readonly admission: OAuthAdmission,
    strategy: BearerStrategy,
  ) {
    super(usingStrategy(strategy));
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    try {
      if (readBearer(request.headers.authorization ?? '') === undefined)
        throw badBearer()
          .because('no-credentials')
          .hinted(() => hintOnScheme(request, 'bearer'));
      return (await super.canActivate(context)) as boolean;
    } catch (error) {
      if (error instanceof ApiError) await this.admission.admitAddress(request, reply, 'OAUTH');
      throw error;
    }
  }

  override getAuthenticateOptions() {
    return { session: false, property: 'bearer' };
  }

  override handleRequest<T>(error: Error | null, bearer: T | false | null): T {
    if (error) throw error;
    if (bearer) return bearer;
    throw invalidToken().because('unknown-token');
  }
}

/** The application that the bearer token belongs to. */
export const CurrentBearer = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().bearer!,
);
