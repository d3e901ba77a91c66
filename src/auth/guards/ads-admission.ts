import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as catalogue from '../../common/errors/catalogue.js';
import type { WindowUsage } from '../limits/windows.js';
import type { QuotaName } from '../../config/quotas.js';
import type { Caller } from '../caller.js';
import type { AccessedRows } from '../replay/replay-protection.js';
import { Admission } from './admission.js';
import {
  hasAdsAccess,
  isPerToken,
  isRead,
  isShownOfAccount,
  missingScope,
  quotaOf,
  scopesFor,
  windowOwner,
  type EndpointPolicy,
} from './endpoint-policy.js';

/** Whose rate limit windows a request counts in. */
export interface QuotaOwner {
  caller: Caller;
  accountId?: string;
}

/** Admission to the advertising endpoints; runs after the signature is verified. */
@Injectable()
export class AdsAdmission {
  constructor(private readonly admission: Admission) {}

  /**
   * Admits a request or rejects it: 401 for a used nonce, 429 for a full window, 403 for an application without access
   * to the API, for a write with a read-only token, or for a token without the scope.
   */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    policy: EndpointPolicy,
    { caller, accountId }: QuotaOwner,
  ): Promise<void> {
    const isWrite = !isRead(request) && !policy.notAWrite;
    const quota = quotaOf(request, policy, accountId ? 'ACCOUNT_READS' : 'GLOBAL_READS');
    const owner = ownerOf(quota, caller, accountId);
    const endpoint = `${isRead(request) ? 'GET' : request.method} ${request.routeOptions.url}`;
    if (!request.isInside)
      await this.admission.admit(reply, {
        nonce: request.signedNonce,
        accessed: accessedBy(caller, isWrite, accountId),
        quota,
        owner: windowOwner(quota, owner, endpoint, policy),
        ...(owner === caller.tokenId && { token: caller.token }),
        shownAs: (usage) => (isShownOfAccount(request, quota, accountId) ? { account: usage } : { user: usage }),
        replayed: catalogue.unauthorized,
        limited,
      });
    if (!hasAdsAccess(caller.application, policy)) throw catalogue.unauthorizedApplication();
    if (isWrite && caller.accessLevel !== 'write') throw catalogue.readOnlyApplication();
    const missing = missingScope(caller, scopesFor(policy, !isWrite));
    if (missing !== undefined) throw catalogue.scopeMissing(missing);
  }

  /** Counts a request for a total in its stricter window; 429 when that window is full. */
  async admitTotalCount(reply: FastifyReply, { caller, accountId }: QuotaOwner): Promise<void> {
    await this.admission.admit(reply, {
      quota: 'TOTAL_COUNT',
      owner: ownerOf('TOTAL_COUNT', caller, accountId),
      shownAs: (usage) => (accountId === undefined ? { user: usage } : { account: usage, user: usage }),
      limited: totalsLimited,
    });
  }
}

/** Writes, reads without an account, and statistics count per user token. Other requests count per account. */
const ownerOf = (quota: QuotaName, { tokenId }: Caller, accountId?: string): string =>
  isPerToken(quota) ? tokenId : (accountId ?? tokenId);

/**
 * A write of a user outside of accounts, such as a post, may appear in any account. A write in one account is not
 * remembered for the user: many writes in some accounts would keep the reads of all others from the read replicas.
 */
function accessedBy({ userId }: Caller, isWrite: boolean, accountId?: string): AccessedRows {
  if (accountId === undefined) return { owners: [userId], isWrite };
  return { owners: isWrite ? [accountId] : [accountId, userId], isWrite };
}

const limited = ({ limit, seconds }: WindowUsage, retryAfter: number) =>
  catalogue.tooManyRequests(`${limit} requests per ${seconds} seconds`, retryAfter);

const totalsLimited = ({ limit, seconds }: WindowUsage, retryAfter: number) =>
  catalogue
    .tooManyRequests(`${limit} requests with with_total_count per ${seconds} seconds`, retryAfter, 'with_total_count')
    .hinted('Lists without with_total_count have a separate, higher limit.');
