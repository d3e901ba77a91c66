import type { IncomingMessage } from 'node:http';
import type { ApiError } from '../../errors/api-error.js';
import { cancelledRequest, tooManyAtOnce, unavailable } from '../../errors/catalogue.js';
import { familyOf } from '../urls/public-urls.js';

/** In each such period at least so much of a body has to arrive, or its end. */
const PACE_MS = 5_000;
const PACE_BYTES = 64 * 1024;
/** A body that is held as a whole has to be here after so long: before the server's limit for a request ends it. */
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
  /** Bodies over all requests of this process. */
  total: number;
  /** Bodies from one address, or one IPv6 network. */
  perAddress: number;
  /** Uploads of one user. */
  perUser: number;
}

/** Which limit refuses another body. */
export type PendingLimit = keyof PendingLimits;

/** How a request beyond a limit is refused, in the form of its family: 503 where the process has too many bodies, else 429. */
export function tooManyPending(limit: PendingLimit, url: string): ApiError {
  const isAds = familyOf(url) === 'ads';
  const { reason, details } = REFUSALS[limit];
  return (limit === 'total' ? unavailable(isAds) : tooManyAtOnce(isAds, details)).because(reason);
}

const REFUSALS: Record<PendingLimit, { reason: string; details: string }> = {
  total: { reason: 'pending-bodies', details: '' },
  perAddress: { reason: 'pending-bodies-of-address', details: 'too many bodies are on their way from this address' },
  perUser: { reason: 'pending-uploads-of-user', details: 'too many uploads of this user are on their way' },
};

/** Whether a request has a body that is still to come. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The bodies that are on their way, whoever reads them and whether or not the request is answered already. Their number is
 * limited in all, per address and, for uploads, per user; one that arrives too slowly is given up.
 *
 * When the total is reached, the address with the most bodies loses its oldest one to an address that has fewer, so that
 * few addresses cannot keep all others out.
 */
export class PendingBodies {
  private readonly byAddress = new Map<string, Set<PendingBody>>();
  private readonly byUser = new Map<string, number>();
  private count = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly limits: PendingLimits) {}

  /** How many there are. */
  get size(): number {
    return this.count;
  }

  /** Registers the body of a request until it has arrived or is given up; the limit that it exceeds where there is one. */
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

  /** Counts a body for a user while it is on its way; false where the user has as many as allowed. */
  claim(body: PendingBody, user: string): boolean {
    if (body.isOver || body.user !== undefined) return true;
    const own = this.byUser.get(user) ?? 0;
    if (own >= this.limits.perUser) return false;
    this.byUser.set(user, own + 1);
    body.user = user;
    return true;
  }

  /** Gives up the oldest body of the address with the most, where these are more than `own` and the new one; whether there was one. */
  private makeRoom(own: number): boolean {
    let most: Set<PendingBody> | undefined;
    for (const bodies of this.byAddress.values()) if (bodies.size > (most?.size ?? own + 1)) most = bodies;
    const [oldest] = most ?? [];
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

/** The body of one request on its way. */
export class PendingBody {
  /** For whom it is counted. */
  user?: string;
  /** Whether it has arrived, or nobody waits for it any more. */
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
    /** Path and query by which the request is routed. */
    readonly url: string,
    private readonly onOver: (arrived: boolean) => void,
  ) {
    this.bytesThen = raw.socket.bytesRead;
    raw.once('end', () => this.end(true)).once('close', () => this.end(false));
  }

  /** Calls the reader of the body when it is given up, at once where that has happened. */
  onGivenUp(tell: (fault: ApiError) => void): void {
    this.tell = tell;
    if (this.fault) tell(this.fault);
  }

  /** Whether the rest of it is not waited for. */
  get isGivenUp(): boolean {
    return this.fault !== undefined;
  }

  /** The request is answered: when its body is given up from now on, only the connection is left to be closed. */
  answered(): void {
    this.isAnswered = true;
    if (this.fault) this.raw.socket.destroySoon();
  }

  /** Waits for the rest no longer: the reader is told, and the connection ends with the answer. */
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
    // while nobody takes what is here already, no more of it can arrive
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
