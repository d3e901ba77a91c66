import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Clock } from '../../common/clock.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Usage } from '../../common/limits/windows.js';
import { Config, type QuotaName } from '../../config.js';
import { rateLimited, unverified } from '../oauth-errors.js';
import { ReplayProtection } from '../replay/replay-protection.js';
import { announceLimits } from './rate-headers.js';

/** Counts the requests of the authentication endpoints, and takes their nonces. */
@Injectable()
export class OAuthAdmission {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly replayProtection: ReplayProtection,
  ) {}

  /** A request of an application that proved who it is. `replayed` says what a used nonce is answered with. */
  async admitApplication(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      applicationId,
      quota,
      replayed,
    }: { applicationId: string; quota: QuotaName; replayed: (why: string) => ApiError },
  ): Promise<void> {
    const { verdict, usages } = await this.replayProtection.admit(
      request.signedNonce ?? null,
      this.windows(quota, applicationId),
    );
    if (verdict === 'used') throw replayed('the nonce was used before');
    if (verdict === 'too-old') throw replayed('signed before the memory of used nonces begins; sign again');
    this.announce(request, reply, usages);
  }

  /** A request of nobody in particular: a page, or an attempt that failed. */
  async admitAddress(request: FastifyRequest, reply: FastifyReply, quota: 'OAUTH' | 'PAGES'): Promise<void> {
    const { usages } = await this.replayProtection.admit(null, this.windows(quota, networkOf(request.ip)));
    this.announce(request, reply, usages);
  }

  private windows(name: QuotaName, whose: string) {
    if (this.config.rateLimits === 'off') return [];
    return [{ key: `${name}:${whose}`, name, ...this.config.quotas[name] }];
  }

  private announce(request: FastifyRequest, reply: FastifyReply, [usage]: Usage[]): void {
    if (!usage) return;
    announceLimits(reply, { user: usage }, this.clock.seconds());
    if (!usage.exceeded) return;
    const retryAfter = Math.max(1, usage.resetAt - this.clock.seconds());
    // Part 1, 7: asking for bearers too often is a 403, and so is all that fails there.
    if (request.url.startsWith('/oauth2/'))
      throw unverified('too many requests; keep the token you were given', { 'retry-after': `${retryAfter}` });
    throw rateLimited(retryAfter);
  }
}

/** Who has one IPv6 address has 2^64 of them. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
