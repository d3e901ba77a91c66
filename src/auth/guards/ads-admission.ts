import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../common/clock.js';
import * as catalogue from '../../common/errors/catalogue.js';
import type { Usage, Window } from '../../common/limits/windows.js';
import { Config, type QuotaName } from '../../config.js';
import type { Caller } from '../caller.js';
import { ReplayProtection } from '../replay/replay-protection.js';
import { announceLimits } from './rate-headers.js';
import type { EndpointPolicy } from './endpoint-policy.js';

/** Whose windows a request counts in. */
export interface QuotaOwner {
  caller: Caller;
  accountId?: string;
}

/** After the signature: is it new, is there room, and may this token do it at all. One round trip for the first two. */
@Injectable()
export class AdsAdmission {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly replayProtection: ReplayProtection,
  ) {}

  /** Takes the request's nonce and counts it in its windows; 401 when it was used, 429 when a window is full. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    rules: EndpointPolicy,
    { caller, accountId }: QuotaOwner,
  ): Promise<void> {
    const reading = request.method === 'GET' || request.method === 'HEAD';
    const window = this.quotaWindow(
      reading ? (rules.quota ?? (accountId ? 'ACCOUNT_READS' : 'GLOBAL_READS')) : 'WRITES',
      caller,
      accountId,
    );
    const { verdict, usages } = await this.replayProtection.admit(request.signedNonce ?? null, window ? [window] : []);
    if (verdict === 'used') throw catalogue.unauthorized('the nonce was used before');
    if (verdict === 'too-old')
      throw catalogue.unauthorized('signed before the memory of used nonces begins; sign again');
    this.announce(reply, usages, (usage) =>
      accountId !== undefined && reading ? { account: usage } : { user: usage },
    );

    if (!caller.application.adsAccess) throw catalogue.unauthorizedApplication();
    if (!reading && !rules.notAWrite && caller.accessLevel !== 'write') throw catalogue.readOnlyApplication();
  }

  /** The stricter window of requests that ask for a total (Part 1, 2.1 (6)). */
  async admitTotalCount(reply: FastifyReply, { caller, accountId }: QuotaOwner): Promise<void> {
    const window = this.quotaWindow('TOTAL_COUNT', caller, accountId);
    if (!window) return;
    const { usages } = await this.replayProtection.admit(null, [window]);
    this.announce(reply, usages, (usage) =>
      accountId === undefined ? { user: usage } : { account: usage, user: usage },
    );
  }

  private announce(
    reply: FastifyReply,
    [usage]: Usage[],
    shownAs: (usage: Usage) => { user?: Usage; account?: Usage },
  ): void {
    if (!usage) return;
    announceLimits(reply, shownAs(usage), this.clock.seconds());
    if (usage.exceeded) {
      throw catalogue.tooManyRequests(
        `${usage.limit} requests per ${usage.seconds} seconds`,
        Math.max(1, usage.resetAt - this.clock.seconds()),
      );
    }
  }

  private quotaWindow(name: QuotaName, caller: Caller, accountId?: string): Window | undefined {
    if (this.config.rateLimits === 'off') return undefined;
    const perUser = name === 'WRITES' || name === 'GLOBAL_READS' || accountId === undefined;
    return { key: `${name}:${perUser ? caller.tokenId : accountId}`, name, ...this.config.quotas[name] };
  }
}
