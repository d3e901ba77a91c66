import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../common/clock.js';
import * as catalogue from '../../common/errors/catalogue.js';
import type { Usage, Window } from '../../common/limits/windows.js';
import { Config, type QuotaName } from '../../config.js';
import type { Caller } from '../caller.js';
import { Gate } from '../replay/gate.js';
import { announceLimits } from './rate-headers.js';
import type { Rules } from './rules.js';

/** Whose windows a request counts in. */
export interface Counted {
  caller: Caller;
  accountId?: string;
}

/** After the signature: is it new, is there room, and may this token do it at all. One round trip for the first two. */
@Injectable()
export class Gatekeeper {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly gate: Gate,
  ) {}

  /** Takes the request's nonce and counts it in its windows; 401 when it was used, 429 when a window is full. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    rules: Rules,
    { caller, accountId }: Counted,
  ): Promise<void> {
    const reading = request.method === 'GET' || request.method === 'HEAD';
    const window = this.windowOf(
      reading ? (rules.quota ?? (accountId ? 'ACCOUNT_READS' : 'GLOBAL_READS')) : 'WRITES',
      caller,
      accountId,
    );
    const { verdict, usages } = await this.gate.pass(request.claim ?? null, window ? [window] : []);
    if (verdict === 'used') throw catalogue.unauthorized('the nonce was used before');
    if (verdict === 'before-memory')
      throw catalogue.unauthorized('signed before the memory of used nonces begins; sign again');
    this.settle(reply, usages, (usage) => (accountId !== undefined && reading ? { account: usage } : { user: usage }));

    if (!caller.application.adsAccess) throw catalogue.unauthorizedApplication();
    if (!reading && !rules.notAWrite && caller.accessLevel !== 'write') throw catalogue.readOnlyApplication();
  }

  /** The stricter window of requests that ask for a total (Part 1, 2.1 (6)). */
  async admitTotalCount(reply: FastifyReply, { caller, accountId }: Counted): Promise<void> {
    const window = this.windowOf('TOTAL_COUNT', caller, accountId);
    if (!window) return;
    const { usages } = await this.gate.pass(null, [window]);
    this.settle(reply, usages, (usage) =>
      accountId === undefined ? { user: usage } : { account: usage, user: usage },
    );
  }

  private settle(
    reply: FastifyReply,
    [usage]: Usage[],
    placed: (usage: Usage) => { user?: Usage; account?: Usage },
  ): void {
    if (!usage) return;
    announceLimits(reply, placed(usage), this.clock.seconds());
    if (usage.exceeded) {
      throw catalogue.tooManyRequests(
        `${usage.limit} requests per ${usage.seconds} seconds`,
        Math.max(1, usage.resetAt - this.clock.seconds()),
      );
    }
  }

  private windowOf(name: QuotaName, caller: Caller, accountId?: string): Window | undefined {
    if (this.config.rateLimits === 'off') return undefined;
    const perUser = name === 'WRITES' || name === 'GLOBAL_READS' || accountId === undefined;
    return { key: `${name}:${perUser ? caller.tokenId : accountId}`, name, ...this.config.quotas[name] };
  }
}
