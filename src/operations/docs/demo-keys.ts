import type { FastifyRequest } from 'fastify';
import { docsKeyNeeded, pageNotFound } from '../../common/errors/catalogue.js';
import { isLoopbackPeer } from '../../common/http/urls/public-urls.js';
import { type Config, isLoopbackHost } from '../../config/config.js';
import { type DemoCredentials, readDemoCredentials, isDocsKey } from '../../demo/credentials-file.js';
import { Injectable } from '@nestjs/common';
import { ConsumersService } from '../../auth/credentials/consumers.service.js';
import { RequestTokensService } from '../../auth/oauth1/request-tokens.service.js';
import { BearersService } from '../../auth/bearers/bearers.service.js';

/** The credentials a developer holds in the middle of a flow. Each works once. */
interface Handout {
  /** A request token that the demo's user approved. */
  request_token: string;
  request_token_secret: string;
  /** The PIN that the user received. */
  oauth_verifier: string;
  /** The bearer token of the demo's application. */
  bearer_token: string;
}

/** Starts flows on behalf of the page, so that the requests that complete a flow can be tried like all others. */
@Injectable()
export class DemoHandout {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly requestTokens: RequestTokensService,
    private readonly bearers: BearersService,
  ) {}

  /** Starts an authorization flow of the demo's application and approves it; 404 when the application is deleted. */
  async create({ consumer_key, user_id }: DemoCredentials): Promise<Handout> {
    const application = await this.consumers.find(consumer_key);
    if (!application) throw pageNotFound();
    const [{ key, secret }, bearer] = await Promise.all([
      this.requestTokens.issue(application.id, null, application.accessLevel),
      this.bearers.issue(application.id),
    ]);
    const token = await this.requestTokens.find(key);
    const verifier = token && (await this.requestTokens.approve(token.id, user_id));
    if (!verifier) throw pageNotFound();
    return { request_token: key, request_token_secret: secret, oauth_verifier: verifier, bearer_token: bearer };
  }
}

const SHOWN = [
  'consumer_key',
  'consumer_secret',
  'client_id',
  'access_token',
  'access_token_secret',
  'account_id',
  'sandbox_account_id',
  'funding_instrument_id',
] as const satisfies (keyof DemoCredentials)[];

/**
 * The header with which the page sends the key of its link. Other sites need a CORS preflight to send it, which the
 * service does not answer.
 */
const KEY_HEADER = 'x-marquee-docs-key';

/**
 * The demo's credentials for a page opened by the link in the terminal. The origin of a request is no proof, since a
 * proxy on this machine looks like a browser on it. Throws the error to answer with when there are no credentials, or
 * none for this request.
 */
export function demoFor(request: FastifyRequest, { production, dataDir }: Config): DemoCredentials {
  const credentials = production || !isAtThisMachine(request) ? undefined : readDemoCredentials(dataDir);
  if (!credentials) throw pageNotFound();
  const given = request.headers[KEY_HEADER];
  if (typeof given !== 'string' || !isDocsKey(given, credentials)) throw docsKeyNeeded();
  return credentials;
}

/** The credentials that the page receives. */
export const shownOf = (credentials: DemoCredentials): Partial<DemoCredentials> =>
  Object.fromEntries(SHOWN.map((name) => [name, credentials[name]]));

/** The ids in the examples of the document, for readers on this machine; undefined for all others. */
export function demoIdsFor(
  request: FastifyRequest,
  { production, dataDir }: Config,
): Record<string, string> | undefined {
  if (production || !isAtThisMachine(request)) return undefined;
  return readDemoCredentials(dataDir)?.examples;
}

/** Validated by the connection itself; a host name that resolves to loopback is not enough. */
function isAtThisMachine({ raw, headers }: FastifyRequest): boolean {
  const hostname = /^(\[[^\]]*\]|[^:@/]*)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  return isLoopbackPeer(raw.socket.remoteAddress ?? '') && isLoopbackHost(hostname.toLowerCase());
}
