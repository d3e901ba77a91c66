import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OAuthAdmission } from '../guards/oauth-admission.js';
import { oauthGuard } from '../guards/oauth-guard.js';
import { refusalError } from '../guards/signature.guard.js';
import { isBasicHeader, readBasic } from '../headers/authorization-header.js';
import { unverified } from '../oauth-errors.js';
import { SignedRequestsStrategy } from '../signature/signed-requests.strategy.js';
import { PassportStrategy } from '@nestjs/passport';
import { BasicStrategy } from 'passport-http';
import { ConsumersService } from '../credentials/consumers.service.js';
import { isSameSecret } from '../credentials/callers.service.js';

/** An application that authenticated with its key and secret. */
interface BasicClient {
  applicationId: string;
}

/** Passport's Basic strategy behind our own parser: it sees only a rebuilt header, decoded and of limited length. */
class CleanBasicStrategy extends BasicStrategy {
  /** A method of Passport that its types omit. */
  declare fail: (status: number) => void;

  override authenticate(request: object): void {
    const given = readBasic((request as FastifyRequest).headers.authorization ?? '');
    // Passport splits at every colon; our keys and secrets have none.
    if (!given || given.key.includes(':') || given.secret.includes(':')) return this.fail(400);
    const authorization = `Basic ${Buffer.from(`${given.key}:${given.secret}`).toString('base64')}`;
    super.authenticate({ headers: { authorization } } as never);
  }
}

@Injectable()
export class ClientStrategy extends PassportStrategy(CleanBasicStrategy, 'basic') {
  constructor(private readonly consumers: ConsumersService) {
    super();
  }

  async validate(key: string, secret: string): Promise<BasicClient | null> {
    const consumer = await this.consumers.find(key);
    return consumer && isSameSecret(consumer.secret, secret) ? { applicationId: consumer.id } : null;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where an application shows its key and secret. */
    client?: BasicClient;
  }
}

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

/** Endpoints below `oauth2` reject every mistake with the same 403. Only a revoked token has its own code, as everywhere. */
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
