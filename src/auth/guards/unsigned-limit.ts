import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../common/time/clock.js';
import { tooManyAtOnce } from '../../common/errors/catalogue.js';
import { familyOf, isLoopbackPeer } from '../../common/http/urls/public-urls.js';
import { LocalWindows } from '../limits/local-windows.js';
import { Config } from '../../config/config.js';
import { networkOf } from './oauth-admission.js';
import { announceLimits, secondsUntilReset } from './rate-headers.js';

/**
 * Limits requests without a valid signature, per address or IPv6 /64 and per process: nobody else pays for them. Signed requests
 * of the same address do not count. Outside production, this machine has no limit.
 */
@Injectable()
export class UnsignedLimit {
  private readonly windows: LocalWindows;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.windows = new LocalWindows(clock);
  }

  /** Counts a request whose signature was rejected. Throws 429 when the window of its address is full. */
  count(request: FastifyRequest, reply: FastifyReply): void {
    const { production, rateLimits, quotas } = this.config;
    if (rateLimits === 'off' || (!production && isLoopbackPeer(request.ip))) return;
    const [usage] = this.windows.count([{ key: networkOf(request.ip), name: 'UNSIGNED', ...quotas.UNSIGNED }]);
    if (!usage.exceeded) return;
    // Without a claimed sender, a flood is not in the journal of the application that it names.
    request.refusal = undefined;
    const now = this.clock.seconds();
    announceLimits(reply, { user: usage }, now);
    const details = `${usage.limit} requests without a valid signature per ${usage.seconds} seconds from one address`;
    const retryAfter = Math.max(1, secondsUntilReset(usage, now));
    throw tooManyAtOnce(familyOf(request.url) === 'ads', details, retryAfter).because('rate-limit', usage.name);
  }
}
