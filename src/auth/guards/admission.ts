import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../common/time/clock.js';
import type { Freshness } from '../../common/db/query/freshness.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import type { WindowUsage, RateWindow } from '../limits/windows.js';
import { Config } from '../../config/config.js';
import type { QuotaName } from '../../config/quotas.js';
import {
  ReplayProtection,
  type AccessedRows,
  type NonceVerdict,
  type SignedNonce,
  type WriteInProgress,
} from '../replay/replay-protection.js';
import { announceLimits, secondsUntilReset, type ShownWindows } from './rate-headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The state that its reads need of a read replica; absent when they need the primary. */
    freshness?: Freshness;
    /** The write that it makes, which read replicas have to replay before its owners may read from them. */
    writeInProgress?: WriteInProgress;
  }
}

/** The checks of an admission: the nonce is new, and the rate limit window has room. */
export interface AdmissionCheck {
  /** Absent when the request is not signed, or when its nonce is already stored. */
  nonce?: SignedNonce;
  /** Whose rows the request reads or writes; sets `freshness` or `writeInProgress` of the request. */
  accessed?: AccessedRows;
  quota: QuotaName;
  /** Owner of the rate limit window: the id of a token, account or application, or an address. */
  owner: string;
  /** How often the request counts in the window; by default once. Only without a nonce. */
  by?: number;
  /**
   * The key of the owner, if it is a token that signs every request that the window counts: then the window and the
   * nonces are in the same slot of a Redis Cluster.
   */
  token?: string;
  /** Selects the header sets that show the window; by default those of the user. */
  shownAs?: (usage: WindowUsage) => ShownWindows;
  /** Creates the error for a used nonce; by default that of the authentication endpoints. */
  replayed?: (details: string) => ApiError;
  /** Creates the error for a full window; `retryAfter` is in seconds. */
  limited: (usage: WindowUsage, retryAfter: number) => ApiError;
}

/** A counted request, which can be refunded. */
export interface CountedRequest {
  window: RateWindow;
  usage: WindowUsage;
}

const NONCE_REFUSALS: Record<Exclude<NonceVerdict, 'fresh'>, string> = {
  used: 'the nonce was used before',
  'too-old': 'oauth_timestamp is too old: nonces used at that time may have been lost; sign again',
};

const NONCE_HINTS: typeof NONCE_REFUSALS = {
  used: 'This nonce was used before. Sign every request, including a retry, with a new nonce.',
  'too-old': 'After this request was signed, the service started or lost its record of nonces: sign it again.',
};

/** Replay protection and rate limits in one step, for every request with valid credentials and for every page. */
@Injectable()
export class Admission {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly replayProtection: ReplayProtection,
  ) {}

  /**
   * Stores the nonce, counts the request and sets the rate limit headers: one round trip with Redis. Throws the error
   * of `replayed` or `limited`. A request with a used nonce does not count. Returns how the request was counted, if it
   * was.
   */
  async admit(reply: FastifyReply, check: AdmissionCheck): Promise<CountedRequest | undefined> {
    const windows = this.windowsOf(check);
    const admitted = await this.replayProtection.admit(check.nonce ?? null, windows, check.accessed);
    const { verdict, usages, freshness, write } = admitted;
    if (freshness) reply.request.freshness = freshness;
    if (write) reply.request.writeInProgress = write;
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

  /** Refunds a counted request and updates the headers. */
  async refund(reply: FastifyReply, { window, usage }: CountedRequest): Promise<void> {
    await this.replayProtection.refund(window, usage);
    const left = { ...usage, remaining: Math.min(usage.limit, usage.remaining + 1) };
    announceLimits(reply, { user: left }, this.clock.seconds());
  }

  private windowsOf({ quota, owner, by, token = owner }: AdmissionCheck): RateWindow[] {
    if (this.config.rateLimits === 'off') return [];
    return [{ key: `${quota}:${owner}`, home: token, name: quota, by, ...this.config.quotas[quota] }];
  }
}
