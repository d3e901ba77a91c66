import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../common/clock.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import type { Usage, Window } from '../../common/limits/windows.js';
import { Config } from '../../config.js';
import type { QuotaName } from '../../quotas.js';
import { ReplayProtection, type NonceVerdict, type SignedNonce } from '../replay/replay-protection.js';
import { announceLimits, secondsUntilReset, type ShownWindows } from './rate-headers.js';

/** What is asked of a request: that its nonce is new, and that there is room in its owner's window. */
export interface AdmissionCheck {
  /** Left out where nothing was signed, or where the nonce was taken already. */
  nonce?: SignedNonce;
  quota: QuotaName;
  /** Whose window of the quota it is: the id of a token, account or application, or an address. */
  owner: string;
  /** Which sets of headers show the window; by default that of the user. */
  shownAs?: (usage: Usage) => ShownWindows;
  /** The error for a nonce that is not new; by default that of the authentication endpoints. */
  replayed?: (details: string) => ApiError;
  /** The error for a window that is full; `retryAfter` is in seconds. */
  limited: (usage: Usage, retryAfter: number) => ApiError;
}

/** A request that was counted, so that it can be taken back. */
export interface Counted {
  window: Window;
  usage: Usage;
}

const NONCE_REFUSALS: Record<Exclude<NonceVerdict, 'fresh'>, string> = {
  used: 'the nonce was used before',
  'too-old': 'oauth_timestamp is too old: nonces used at that time may have been lost; sign again',
};

const NONCE_HINTS: typeof NONCE_REFUSALS = {
  used: 'A nonce is taken once: this one came before. Every request needs a new one, a retry too, and is signed again.',
  'too-old': 'The service was started, or lost its memory of nonces, after this request was signed: sign it again.',
};

/** The step that every request with right credentials, and every page, takes: replay protection and rate limits at once. */
@Injectable()
export class Admission {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly replayProtection: ReplayProtection,
  ) {}

  /**
   * Takes the nonce, counts the request and sets the rate limit headers: one round trip where Redis is in use. Throws
   * what `replayed` or `limited` make. A request with a used nonce counts nowhere. Returns how it was counted, if it was.
   */
  async admit(reply: FastifyReply, check: AdmissionCheck): Promise<Counted | undefined> {
    const windows = this.windowsOf(check);
    const { verdict, usages } = await this.replayProtection.admit(check.nonce ?? null, windows);
    if (verdict !== 'fresh')
      throw (check.replayed ?? couldNotAuthenticate)(NONCE_REFUSALS[verdict])
        .because(`nonce-${verdict}`)
        .hinted(NONCE_HINTS[verdict]);
    const [usage] = usages;
    if (!usage) return undefined;
    const now = this.clock.seconds();
    announceLimits(reply, check.shownAs?.(usage) ?? { user: usage }, now);
    if (usage.exceeded)
      throw check.limited(usage, Math.max(1, secondsUntilReset(usage, now))).because('rate-limit', usage.name);
    return { window: windows[0], usage };
  }

  /** Takes back a request that was counted; the headers say so. */
  async refund(reply: FastifyReply, { window, usage }: Counted): Promise<void> {
    await this.replayProtection.refund(window, usage);
    const left = { ...usage, remaining: Math.min(usage.limit, usage.remaining + 1) };
    announceLimits(reply, { user: left }, this.clock.seconds());
  }

  private windowsOf({ quota, owner }: AdmissionCheck): Window[] {
    if (this.config.rateLimits === 'off') return [];
    return [{ key: `${quota}:${owner}`, name: quota, ...this.config.quotas[quota] }];
  }
}
