import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdsAdmission } from '../../auth/guards/ads-admission.js';
import { isRead, policyOf } from '../../auth/guards/endpoint-policy.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { isTrue } from '../../common/http/params/conversions.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { clockIsAdvancing, featureNotAvailable } from '../accounts.errors.js';
import type { Feature } from '../accounts.features.js';
import { AccountAccessService } from './account-access.service.js';
import type { ActingAccount } from './acting-account.js';
import { requirePermission } from './permission.js';

const FEATURES = Symbol('features');
const NONE: readonly Feature[] = [];

/**
 * Decorates a controller or a method. Accounts without any of these features receive 400 FEATURE_NOT_AVAILABLE. If the
 * requirement depends on parameters, the service calls `FeaturesService.has` instead.
 */
export const RequiresFeature = (...features: [Feature, ...Feature[]]) => SetMetadata(FEATURES, features);

/** The features that the called method requires. */
function featuresOf(context: ExecutionContext): readonly Feature[] {
  const of = (target: object) => Reflect.getMetadata(FEATURES, target) as Feature[] | undefined;
  const [own, shared] = [of(context.getHandler()), of(context.getClass())];
  return own || shared ? [...(shared ?? []), ...(own ?? [])] : NONE;
}

declare module 'fastify' {
  interface FastifyRequest {
    account?: ActingAccount;
    /** Collects the ids of the changes that it makes or tries to make; absent unless somebody asks for them. */
    changeIds?: string[];
  }
}

/**
 * Requires that the caller may access the path's account in the requested environment and that their role permits the
 * call. Only accounts the caller may access count the request in their rate limit window.
 */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly admission: AdsAdmission,
    private readonly access: AccountAccessService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const rules = policyOf(context);
    const caller = request.user!;
    const { account_id: id } = request.params as { account_id: string };
    const found = this.access.find(originOf(request.raw).environment, id, caller.userId);
    const account = found instanceof Promise ? await found : found;

    await this.admission.admit(request, http.getResponse<FastifyReply>(), rules, { caller, accountId: account && id });
    if (!account || (account.deletedAt !== null && !asksForDeleted(request)))
      throw accountNotFound(id).hinted(await this.whereItIs(request, id));
    request.echoesPath = true;

    const reading = isRead(request) || rules.notAWrite;
    const needed = reading ? rules.reads : rules.writes;
    if (needed) requirePermission(account.role, needed);
    const missing = featuresOf(context).find((feature) => !account.features.includes(feature));
    if (missing) throw featureNotAvailable(missing);
    if (account.clockAdvancing && !reading) throw clockIsAdvancing(id);
    const { changeIds, asOf } = request;
    // restores, resets, namespaces and test clocks write to accounts of the sandbox that their requests do not name
    const mayLag = isRead(request) && !rules.readsPrimary && account.environment === 'production';
    const freshness = mayLag ? request.freshness : undefined;
    // the cache shares the account with other requests; Node 20 copies it faster behind other fields
    request.account = freshness || changeIds || asOf ? { freshness, changeIds, asOf, ...account } : account;
    return true;
  }

  /** Finds the account in the other environment for a caller with access. Other callers do not learn that it exists. */
  private async whereItIs(request: FastifyRequest, id: string): Promise<string | undefined> {
    const { hints } = request.server;
    if (!hints) return undefined;
    const other = originOf(request.raw).environment === 'sandbox' ? 'production' : 'sandbox';
    const account = await this.access.find(other, id, request.user!.userId);
    return account?.deletedAt === null ? hints.inOther(other, `Account ${id} exists`, request) : undefined;
  }
}

/** Only a single read of the account can show a deleted one. Nothing below a deleted account responds. */
function asksForDeleted(request: FastifyRequest): boolean {
  const { with_deleted: asked } = request.query as { with_deleted?: unknown };
  const isAccountItself = isRead(request) && /^\/\d+\/accounts\/:account_id$/.test(request.routeOptions.url ?? '');
  return isAccountItself && isTrue(asked);
}
