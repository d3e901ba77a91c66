import { Module } from '@nestjs/common';
import { AuthExport } from './auth-export.service.js';
import { AccessTokenQueries } from './credentials/access-token.queries.js';
import { AccessTokensService, FlowTokensService } from './credentials/access-tokens.service.js';
import { ApplicationQueries } from './credentials/application.queries.js';
import { ApplicationsService } from './credentials/applications.service.js';
import { CallersService } from './credentials/callers.service.js';
import { ConsumersService } from './credentials/consumers.service.js';
import { MistakenKeys } from './credentials/mistaken-keys.service.js';
import { UsersService } from './credentials/users.service.js';
import { WantedUsersService } from './credentials/wanted-users.service.js';
import { ExpiredRowsJob } from './expired-rows.job.js';
import { KeyRotation } from './credentials/key-rotation.js';
import { Passwords } from './credentials/passwords.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { Vault } from './credentials/vault.js';
import { Admission } from './guards/admission.js';
import { AdsAdmission } from './guards/ads-admission.js';
import { OAuthAdmission } from './guards/oauth-admission.js';
import { UnsignedLimit } from './guards/unsigned-limit.js';
import { ApplicationStrategy, RequestTokenStrategy } from './oauth1/flow.strategies.js';
import { FlowsService } from './oauth1/flows.service.js';
import { OAuth1Controller } from './oauth1/oauth1.controller.js';
import { RequestTokensService } from './oauth1/request-tokens.service.js';
import { KeyHints } from './signature/key-hints.service.js';
import { SignedRequestsStrategy } from './signature/signed-requests.strategy.js';
import { ClientStrategy } from './oauth2/oauth2.guards.js';
import { BearerStrategy } from './guards/bearer.guard.js';
import { UserBearerStrategy } from './guards/caller.guard.js';
import { GrantQueries } from './grants/grant.queries.js';
import { GrantsService } from './grants/grants.service.js';
import { OperatorTokens } from './oauth2/operator-tokens.service.js';
import { TokenExchange } from './oauth2/token-exchange.service.js';
import { OAuth2MetadataController } from './oauth2/metadata.controller.js';
import { UserSelfController } from './oauth2/user-self.controller.js';
import { UserTokensController } from './oauth2/user-tokens.controller.js';
import { AuthorizeController } from './pages/authorize.controller.js';
import { BearersService } from './bearers/bearers.service.js';
import { OAuth2Controller } from './oauth2/oauth2.controller.js';
import { ConnectedAppsController } from './pages/connected-apps.controller.js';
import { ConsentController } from './pages/consent.controller.js';
import { Pages } from './pages/pages.js';
import { SessionsController } from './pages/sessions.controller.js';
import { BrowserSessions } from './pages/browser-sessions.js';
import { RemovalService } from './removal.service.js';
import { ReplayProtection } from './replay/replay-protection.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SignInAttempts } from './sessions/sign-in-attempts.js';
import { SignInService } from './sessions/sign-in.service.js';
import { UserRemoval } from './user-removal/user-removal.service.js';

@Module({
  controllers: [
    OAuth1Controller,
    OAuth2Controller,
    UserTokensController,
    UserSelfController,
    OAuth2MetadataController,
    ConsentController,
    AuthorizeController,
    SessionsController,
    ConnectedAppsController,
  ],
  providers: [
    AccessTokenQueries,
    AccessTokensService,
    Admission,
    AdsAdmission,
    ApplicationQueries,
    ApplicationsService,
    ApplicationStrategy,
    AuthExport,
    BearersService,
    BearerStrategy,
    CallersService,
    ClientStrategy,
    ConsumersService,
    FlowTokensService,
    FlowsService,
    OAuthAdmission,
    ReplayProtection,
    ExpiredRowsJob,
    IdempotencyService,
    IdempotencyInterceptor,
    KeyHints,
    KeyRotation,
    MistakenKeys,
    Pages,
    Passwords,
    RemovalService,
    RequestTokensService,
    RequestTokenStrategy,
    SessionsService,
    SignedRequestsStrategy,
    SignInAttempts,
    SignInService,
    UnsignedLimit,
    UserBearerStrategy,
    UserRemoval,
    UsersService,
    Vault,
    WantedUsersService,
    BrowserSessions,
    GrantQueries,
    GrantsService,
    OperatorTokens,
    TokenExchange,
  ],
  exports: [
    AccessTokenQueries,
    AccessTokensService,
    Admission,
    ApplicationQueries,
    ApplicationsService,
    AuthExport,
    BearersService,
    BearerStrategy,
    BrowserSessions,
    CallersService,
    ConsumersService,
    FlowsService,
    IdempotencyInterceptor,
    IdempotencyService,
    OAuthAdmission,
    OperatorTokens,
    RemovalService,
    ReplayProtection,
    RequestTokensService,
    AdsAdmission,
    KeyRotation,
    MistakenKeys,
    Pages,
    SessionsService,
    SignedRequestsStrategy,
    SignInService,
    UnsignedLimit,
    UserBearerStrategy,
    UserRemoval,
    UsersService,
    Vault,
    WantedUsersService,
    GrantQueries,
    GrantsService,
  ],
})
export class AuthModule {}
