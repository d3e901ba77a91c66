import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { ApiError } from '../../errors/api-error.js';
import { cancelledRequest, tooManyAtOnce, unavailable } from '../../errors/catalogue.js';
import { familyOf } from '../urls/public-urls.js';

/** In each such period at least PACE_BYTES of a body must arrive, or its end. */
const PACE_MS = 5_000;
const PACE_BYTES = 64 * 1024;
/** Timeout of a buffered body, below the server's timeout for a request. */
const MAX_HELD_MS = 25_000;
const LOOK_MS = 1_000;

const tooSlow = () =>
  cancelledRequest(
    'The body took too long to arrive',
    {
      details: `at least ${PACE_BYTES} bytes in ${PACE_MS / 1000} seconds, and all of it in ${MAX_HELD_MS / 1000}`,
    },
    { connection: 'close' },
  ).because('slow-body');

export interface PendingLimits {
  /** Maximum number of bodies over all requests of this process. */
  total: number;
  /** Maximum number of bodies from one address, or one IPv6 network. */
  perAddress: number;
  /** Maximum number of uploads of one user. */
  perUser: number;
}

/** The limit that rejects another body. */
export type PendingLimit = keyof PendingLimits;

/** The error of a request beyond a limit, in the form of its family: 503 for the limit of the process, else 429. */
export function tooManyPending(limit: PendingLimit, url: string): ApiError {
  const isAds = familyOf(url) === 'ads';
  const { reason, details } = REFUSALS[limit];
  return (limit === 'total' ? unavailable(isAds) : tooManyAtOnce(isAds, details)).because(reason);
}

const REFUSALS: Record<PendingLimit, { reason: string; details: string }> = {
  total: { reason: 'pending-bodies', details: '' },
  perAddress: {
    reason: 'pending-bodies-of-address',
    details: 'too many request bodies are arriving from this address',
  },
  perUser: { reason: 'pending-uploads-of-user', details: 'too many uploads of this user are in progress' },
};

/** Whether a request has a body that has not arrived yet. Those that this process sends to itself have no connection. */
export const isBodyPending = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof Socket &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * The arriving bodies, whether buffered or streamed and whether or not the request is already answered. There is a
 * limit on all of them, per address and, for uploads, per user. A body that arrives too slowly is abandoned.
 *
 * When the total is reached, the address with the most bodies loses its oldest one to an address that has fewer, so
 * that few addresses cannot lock out all others.
 */
export class PendingBodies {
  private readonly byAddress = new Map<string, Set<PendingBody>>();
  private readonly byUser = new Map<string, number>();
  private count = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly limits: PendingLimits) {}

  /** The number of arriving bodies. */
  get size(): number {
    return this.count;
  }

  /** Registers the body of a request until it arrives or is abandoned. Returns the exceeded limit, if any. */
  add(raw: IncomingMessage, url: string, address: string, onArrived: () => void): PendingBody | PendingLimit {
    const own = this.byAddress.get(address);
    if ((own?.size ?? 0) >= this.limits.perAddress) return 'perAddress';
    if (this.count >= this.limits.total && !this.makeRoom(own?.size ?? 0)) return 'total';
    const body = new PendingBody(raw, url, (arrived) => {
      this.remove(body, address);
      if (arrived) onArrived();
    });
    const bodies = this.byAddress.get(address);
    if (bodies) bodies.add(body);
    else this.byAddress.set(address, new Set([body]));
    this.count++;
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    return body;
  }

  /** Counts a body for a user while it arrives; false when the user is at the limit. */
  claim(body: PendingBody, user: string): boolean {
    if (body.isOver || body.user !== undefined) return true;
    const own = this.byUser.get(user) ?? 0;
    if (own >= this.limits.perUser) return false;
    this.byUser.set(user, own + 1);
    body.user = user;
    return true;
  }

  /**
   * Abandons the oldest body of the address with the most, if these are more than `own` and the new one. Returns
   * whether it did.
   */
  private makeRoom(own: number): boolean {
    let max: Set<PendingBody> | undefined;
    for (const bodies of this.byAddress.values()) if (bodies.size > (max?.size ?? own + 1)) max = bodies;
    const [oldest] = max ?? [];
    oldest?.giveUp(tooManyPending('total', oldest.url));
    return oldest !== undefined;
  }

  private remove(body: PendingBody, address: string): void {
    this.count--;
    const bodies = this.byAddress.get(address)!;
    bodies.delete(body);
    if (bodies.size === 0) this.byAddress.delete(address);
    if (body.user === undefined) return;
    const own = this.byUser.get(body.user)! - 1;
    if (own > 0) this.byUser.set(body.user, own);
    else this.byUser.delete(body.user);
  }

  private look(): void {
    const now = performance.now();
    for (const bodies of this.byAddress.values())
      for (const body of bodies) if (body.isTooSlow(now)) body.giveUp(tooSlow());
    if (this.count > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** The arriving body of one request. */
export class PendingBody {
  /** The user that it counts for. */
  user?: string;
  /** Whether it has arrived or is abandoned. */
  isOver = false;
  /** Whether the handler of the request reads it while it arrives. */
  isStreamed = false;
  private fault?: ApiError;
  private isAnswered = false;
  private tell?: (fault: ApiError) => void;
  private readonly began = performance.now();
  private periodBegan = this.began;
  private bytesThen: number;

  constructor(
    private readonly raw: IncomingMessage,
    /** Path and query that the request is routed by. */
    readonly url: string,
    private readonly onOver: (arrived: boolean) => void,
  ) {
    this.bytesThen = raw.socket.bytesRead;
    raw.once('end', () => this.end(true)).once('close', () => this.end(false));
  }

  /** Calls back when the body is abandoned, at once when it already is. */
  onGivenUp(tell: (fault: ApiError) => void): void {
    this.tell = tell;
    if (this.fault) tell(this.fault);
  }

  /** Whether the body is abandoned. */
  get isGivenUp(): boolean {
    return this.fault !== undefined;
  }

  /** Marks the request as answered: abandoning the body then only closes the connection. */
  answered(): void {
    this.isAnswered = true;
    if (this.fault) this.raw.socket.destroySoon();
  }

  /** Abandons the body: notifies the reader, and closes the connection after the response. */
  giveUp(fault: ApiError): void {
    if (this.isOver) return;
    this.fault = fault;
    this.end(false);
    if (this.isAnswered) this.raw.socket.destroy();
    else this.tell?.(fault);
  }

  isTooSlow(now: number): boolean {
    if (this.raw.complete) return false;
    if (!this.isStreamed && now - this.began > MAX_HELD_MS) return true;
    if (now - this.periodBegan < PACE_MS) return false;
    const { socket, readableLength, readableHighWaterMark } = this.raw;
    // while nothing reads the bytes that have arrived, no more of them can arrive
    if (socket.bytesRead - this.bytesThen < PACE_BYTES && readableLength < readableHighWaterMark) return true;
    this.periodBegan = now;
    this.bytesThen = socket.bytesRead;
    return false;
  }

  private end(arrived: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onOver(arrived);
  }
}
