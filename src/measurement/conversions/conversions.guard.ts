import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { requirePermission } from '../../accounts/access/permission.js';
import { clockIsAdvancing } from '../../accounts/accounts.errors.js';
import { Admission, type AdmissionCheck } from '../../auth/guards/admission.js';
import { AdsAdmission } from '../../auth/guards/ads-admission.js';
import { policyOf } from '../../auth/guards/endpoint-policy.js';
import { CallerGuard, UserBearerStrategy } from '../../auth/guards/caller.guard.js';
import { UnsignedLimit } from '../../auth/guards/unsigned-limit.js';
import { SignedRequestsStrategy } from '../../auth/signature/signed-requests.strategy.js';
import { routeNotFound, tooManyRequests, unauthorized } from '../../common/errors/catalogue.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { Config } from '../../config/config.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { accountOfPixel } from '../entities/pixel-id.js';
import type { PixelAccount } from '../entities/pixel-account.js';
import { MEASUREMENT_WRITE } from '../measurement.permissions.js';
import { PixelTokensService } from '../pixel-tokens/pixel-tokens.service.js';

const PIXEL_TOKEN_HEADER = 'x-pixel-token';
/** Longer headers are no tokens. */
const MAX_TOKEN_LENGTH = 200;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by ConversionsGuard. */
    pixelAccount?: PixelAccount;
  }
}

/**
 * Admits conversions to a pixel: on behalf of a user who manages its account, or with a token of the pixel alone. A pixel
 * whose account the user cannot access does not exist for the user.
 */
@Injectable()
export class ConversionsGuard extends CallerGuard {
  private readonly countWrong: () => void;

  constructor(
    signed: SignedRequestsStrategy,
    bearer: UserBearerStrategy,
    config: Config,
    private readonly unsignedRequests: UnsignedLimit,
    private readonly access: AccountAccessService,
    private readonly ads: AdsAdmission,
    private readonly admission: Admission,
    private readonly tokens: PixelTokensService,
    metrics: Metrics,
  ) {
    super(signed, bearer, unsignedRequests, config);
    this.countWrong = metrics.counter('pixel_tokens_refused_total', 'Requests with a wrong X-Pixel-Token');
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const { pixel_id: pixelId } = request.params as { pixel_id: string };
    const token = request.headers[PIXEL_TOKEN_HEADER];
    const isSigned = request.headers.authorization !== undefined || 'oauth_signature' in (request.query as object);
    const account =
      typeof token === 'string' && !isSigned
        ? await this.byToken(request, reply, pixelId.toLowerCase(), token)
        : await this.byCaller(context, request, reply, pixelId.toLowerCase());
    if (account.clockAdvancing) throw clockIsAdvancing(account.id);
    request.pixelAccount = account;
    // as X does, the response repeats the account
    request.params = { account_id: account.id };
    request.echoesPath = true;
    return true;
  }

  private async byToken(
    request: FastifyRequest,
    reply: FastifyReply,
    pixelId: string,
    token: string,
  ): Promise<PixelAccount> {
    const account = await this.tokens.authenticate(pixelId, token.slice(0, MAX_TOKEN_LENGTH));
    if (!account || account.environment !== originOf(request.raw).environment) {
      this.countWrong();
      this.unsignedRequests.count(request, reply);
      throw unauthorized(`X-Pixel-Token is not a valid token of the pixel ${pixelId.slice(0, 100)}`).because(
        'unknown-token',
      );
    }
    await this.admission.admit(reply, conversionsCheck(account.id));
    return account;
  }

  private async byCaller(
    context: ExecutionContext,
    request: FastifyRequest,
    reply: FastifyReply,
    pixelId: string,
  ): Promise<PixelAccount> {
    await super.canActivate(context);
    const caller = request.user!;
    const accountId = accountOfPixel(pixelId);
    const account = await this.access.find(originOf(request.raw).environment, accountId, caller.userId);
    await this.ads.admit(request, reply, policyOf(context), { caller, accountId: account && accountId });
    if (!account || account.deletedAt !== null) throw routeNotFound();
    requirePermission(account.role, MEASUREMENT_WRITE);
    return account;
  }
}

/** The check of the rate limit of an account, in which each conversion counts. */
export const conversionsCheck = (owner: string, by = 1): AdmissionCheck => ({
  quota: 'CONVERSIONS',
  owner,
  by,
  shownAs: (usage) => ({ account: usage, user: usage }),
  limited: ({ limit, seconds }, retryAfter) =>
    tooManyRequests(`${limit} conversions per ${seconds} seconds`, retryAfter),
});

/** The account of the pixel. */
export const CurrentPixelAccount = createParamDecorator((_: unknown, context: ExecutionContext): PixelAccount => {
  const { pixelAccount, transaction } = context.switchToHttp().getRequest<FastifyRequest>();
  // other requests share the account
  return transaction ? { ...pixelAccount!, db: transaction } : pixelAccount!;
});
