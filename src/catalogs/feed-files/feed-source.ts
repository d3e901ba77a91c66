import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errors, type Agent } from 'undici';
import { Config } from '../../config/config.js';
import { ForbiddenAddress, guardedAgent, HostNames } from '../../common/http/outgoing/guarded-agent.js';
import { mistakeOfUrl } from '../../common/http/outgoing/public-url.js';
import { FeedFailure } from './feed-row.js';

const CONNECT_MS = 10_000;
/** Time for the beginning of an answer, and between two parts of it while the service waits for them. */
const HEADERS_MS = 60_000;
const PAUSE_MS = 60_000;
const MAX_REDIRECTS = 5;
/** Answers that may differ the next time. */
const PASSING = [408, 425, 429];
/** To one origin at a time. */
const MAX_CONNECTIONS = 64;

/** Fetches the files of feeds, from the addresses that webhooks may have. */
@Injectable()
export class FeedSource implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(
    private readonly config: Config,
    names: HostNames,
  ) {
    this.agent = guardedAgent(names, {
      production: config.production,
      connections: MAX_CONNECTIONS,
      connectMs: CONNECT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** The bytes of a file. It rejects with a FeedFailure, which does not repeat the URL, or ends with `signal`. */
  async open(url: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    let target = url;
    for (let redirects = 0; ; redirects++) {
      if (mistakeOfUrl(target, this.config.production)) throw notAllowed(redirects);
      const { statusCode, headers, body } = await this.ask(target, signal, redirects);
      if (statusCode >= 200 && statusCode < 300) return bytesOf(body, signal);
      body.on('error', () => undefined).destroy();
      const location = [headers.location].flat()[0];
      if (statusCode < 300 || statusCode >= 400 || location === undefined || !URL.canParse(location, target))
        throw new FeedFailure(
          `The host answered with the status ${statusCode}.`,
          statusCode >= 500 || PASSING.includes(statusCode),
        );
      if (redirects === MAX_REDIRECTS) throw new FeedFailure(`The host redirected more than ${MAX_REDIRECTS} times.`);
      const next = new URL(location, target);
      next.hash = '';
      target = next.href;
    }
  }

  private async ask(url: string, signal: AbortSignal, redirects: number) {
    const { origin, pathname, search } = new URL(url);
    try {
      return await this.agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'GET',
        headers: { 'user-agent': 'Marquee', accept: '*/*', 'accept-encoding': 'gzip' },
        headersTimeout: HEADERS_MS,
        bodyTimeout: PAUSE_MS,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      throw isForbidden(error) ? notAllowed(redirects) : failureOfConnection(error);
    }
  }
}

async function* bytesOf(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw signal.aborted ? error : failureOfConnection(error);
  }
}

/** Why a connection was not made, or ended. */
function failureOfConnection(error: unknown): FeedFailure {
  const { code = '' } = causeOf(error) as NodeJS.ErrnoException;
  if (error instanceof errors.BodyTimeoutError || error instanceof errors.HeadersTimeoutError)
    return new FeedFailure(`The host sent nothing for ${PAUSE_MS / 1_000} seconds.`, true);
  return new FeedFailure(`The connection to the host failed${code && ` (${code})`}.`, true);
}

const causeOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;

const isForbidden = (error: unknown): boolean => causeOf(error) instanceof ForbiddenAddress;

const notAllowed = (redirects: number) =>
  new FeedFailure(
    redirects > 0
      ? 'The host redirected to an address that is not allowed.'
      : 'The URL leads to an address that is not allowed.',
  );
