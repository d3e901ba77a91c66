import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import { oauthGuard } from '../guards/oauth-guard.js';
import { refusalError } from '../guards/signature.guard.js';
import { invalidRequestToken, requestTokenMissing } from '../oauth-errors.js';
import { SignedRequestsStrategy } from '../signature/signed-requests.strategy.js';
import {
  ApplicationStrategy,
  RequestTokenStrategy,
  type SignedByApplication,
  type SignedWithRequestToken,
} from './flow.strategies.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on `oauth/request_token`. */
    byApplication?: SignedByApplication;
    /** Set on `oauth/access_token`. */
    withRequestToken?: SignedWithRequestToken;
  }
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
          'A request token is valid for 15 minutes and one exchange; POST /oauth/request_token returns a new one.',
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
