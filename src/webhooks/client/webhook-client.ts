import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent, Dispatcher } from 'undici';
import { Clock } from '../../common/time/clock.js';
import { Config } from '../../config/config.js';
import { ForbiddenAddress, guardedAgent, HostNames } from '../../common/http/outgoing/guarded-agent.js';
import { mistakeOfUrl } from '../../common/http/outgoing/public-url.js';

/** Deadline for the connection, the response and its body together. */
export const DEADLINE_MS = 10_000;
/** The deliveries that a process holds, and challenges, may all be under way to one origin. */
const MAX_REQUESTS = 1_100;
/** The part of a response body to keep. The client does not wait for the rest. */
export const MAX_BODY_BYTES = 4_096;

/** The result of a request to a webhook. It succeeded if there is no `error`; the status is then 2xx. */
export interface Answer {
  /** Absent if there was no response. */
  status?: number;
  /** The first 4 KiB of the response body; empty if there was none. */
  body: string;
  /** True if the response body may be longer than `body`. */
  isCut?: boolean;
  /** Absent if there was no response. */
  headers?: ResponseHeaders;
  latencyMs: number;
  /** Why the request failed, as a sentence suitable for the webhook's owner. */
  error?: string;
  /** The delay that the response's `retry-after` header requests. */
  retryAfterSeconds?: number;
  /** Set if the request keeps failing until the webhook or its certificate changes. */
  fatal?: 'tls' | 'redirect' | 'forbidden-address';
}

/** The headers of a response by their names in lower case; a repeated one has a list. */
type ResponseHeaders = Record<string, string | string[] | undefined>;

interface Message {
  headers?: Record<string, string>;
  body?: string;
  /** Aborts the request early. */
  signal?: AbortSignal;
}

const FORBIDDEN: Pick<Answer, 'error' | 'fatal'> = {
  error: 'The URL leads to an address that is not allowed.',
  fatal: 'forbidden-address',
};
const TOO_LATE = `No complete response arrived within ${DEADLINE_MS / 1_000} seconds.`;

/**
 * Sends HTTP requests to untrusted webhooks. It connects to allowed addresses only, follows no redirects, reads a few
 * KiB of a response and finishes within 10 seconds.
 */
@Injectable()
export class WebhookClient implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    names: HostNames,
  ) {
    this.agent = guardedAgent(names, {
      production: config.production,
      connections: MAX_REQUESTS,
      connectMs: DEADLINE_MS,
    });
  }

  /** Never throws; the result reports errors. */
  post(url: string, message: Message): Promise<Answer> {
    return this.ask('POST', url, message);
  }

  /** Never throws; the result reports errors. */
  get(url: string, message: Omit<Message, 'body'> = {}): Promise<Answer> {
    return this.ask('GET', url, message);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private ask(method: 'GET' | 'POST', url: string, { headers, body, signal }: Message): Promise<Answer> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const exchange = new Exchange(this.clock, (outcome) => {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', stop);
        resolve({ ...outcome, latencyMs: Math.round(performance.now() - startedAt) });
      });
      const stop = () => exchange.giveUp('The request was cancelled because the service is stopping.');
      const deadline = setTimeout(() => exchange.giveUp(TOO_LATE), DEADLINE_MS);
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop, { once: true });

      if (mistakeOfUrl(url, this.config.production)) return exchange.settle(FORBIDDEN);
      const { origin, pathname, search } = new URL(url);
      try {
        this.agent.dispatch(
          {
            origin,
            path: `${pathname}${search}`,
            method,
            headers: { 'user-agent': 'Marquee', accept: '*/*', ...headers },
            body: body ?? null,
          },
          exchange,
        );
      } catch (error) {
        exchange.settle(failureOf(error as Error));
      }
    });
  }
}

type Outcome = Omit<Answer, 'latencyMs'>;

/** One request and its result, reported once. */
class Exchange implements Dispatcher.DispatchHandler {
  private controller?: Dispatcher.DispatchController;
  private status?: number;
  private headers?: ResponseHeaders;
  private retryAfterSeconds?: number;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private settled = false;

  constructor(
    private readonly clock: Clock,
    private readonly tell: (outcome: Outcome) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The request was aborted while it waited for a connection.
    if (this.settled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.retryAfterSeconds = secondsOf(headers['retry-after'], this.clock);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < MAX_BODY_BYTES) return;
    this.settle(outcomeOf(this.status!));
    this.stop();
  }

  onResponseEnd(): void {
    this.settle(outcomeOf(this.status!));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(failureOf(error));
  }

  /** Ends the request in any state. */
  giveUp(error: string): void {
    this.settle({ error });
    this.stop();
  }

  settle(outcome: Pick<Answer, 'error' | 'fatal'>): void {
    if (this.settled) return;
    this.settled = true;
    const { status, headers, retryAfterSeconds } = this;
    this.tell({
      ...outcome,
      body: Buffer.concat(this.chunks).subarray(0, MAX_BODY_BYTES).toString('utf8'),
      isCut: this.bytes >= MAX_BODY_BYTES,
      ...(status !== undefined && { status, headers }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  private stop(): void {
    this.controller?.abort(new Error('cancelled'));
  }
}

function outcomeOf(status: number): Pick<Answer, 'error' | 'fatal'> {
  if (status < 300) return {};
  if (status < 400)
    return { error: `The response had status ${status}: redirects are not followed.`, fatal: 'redirect' };
  return { error: `The response had status ${status}.` };
}

const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|EPROTO$)/;
const REASONS: [RegExp, string][] = [
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ETIMEOUT|EREFUSED|EBADRESP)/, 'The host name does not resolve.'],
  [/^ECONNREFUSED$/, 'The connection was refused.'],
  [/^(E(HOST|NET)UNREACH|EADDRNOTAVAIL|ENETDOWN)$/, 'The host cannot be reached.'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'The connection timed out.'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'The connection was closed before the response was complete.'],
  [
    /^(HPE_|HTTPParserError$|UND_ERR_(HEADERS_OVERFLOW|RES_))/,
    'The response was not valid HTTP, or its headers were too large.',
  ],
];

function failureOf(error: Error): Pick<Answer, 'error' | 'fatal'> {
  const cause = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as Error) : error;
  if (cause instanceof ForbiddenAddress) return FORBIDDEN;
  const { code = cause.name } = cause as NodeJS.ErrnoException;
  if (TLS_CODES.test(code)) return { error: `TLS failed (${code}).`, fatal: 'tls' };
  return { error: REASONS.find(([codes]) => codes.test(code))?.[1] ?? 'The request failed.' };
}

/** Parses `retry-after`: seconds or a date. */
function secondsOf(header: string | string[] | undefined, clock: Clock): number | undefined {
  const text = [header].flat()[0]?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - clock.ms()) / 1_000));
}
