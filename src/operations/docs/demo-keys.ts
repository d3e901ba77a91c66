import type { FastifyRequest } from 'fastify';
import { docsKeyNeeded, pageNotFound } from '../../common/errors/catalogue.js';
import { isLoopbackPeer } from '../../common/http/urls/public-urls.js';
import { type Config, isLoopbackHost } from '../../config.js';
import { type DemoCredentials, readDemoCredentials } from '../../demo/credentials-file.js';
import { isDocsKey } from '../../demo/docs-key.js';

const SHOWN = [
  'consumer_key',
  'consumer_secret',
  'access_token',
  'access_token_secret',
  'account_id',
  'sandbox_account_id',
  'funding_instrument_id',
] as const satisfies (keyof DemoCredentials)[];

/** The header in which the page shows the key of its link. No other site can send it without asking, and nobody answers. */
const KEY_HEADER = 'x-marquee-docs-key';

/**
 * The demo's credentials for the page, where it was opened by the link that the terminal shows: where a request comes from can
 * only be guessed, since a proxy on this machine looks like a browser on it. Throws what the page is answered where there are
 * none, or none for this request.
 */
export function demoFor(request: FastifyRequest, { production, dataDir }: Config): DemoCredentials {
  const credentials = production || !isAtThisMachine(request) ? undefined : readDemoCredentials(dataDir);
  if (!credentials) throw pageNotFound();
  const given = request.headers[KEY_HEADER];
  if (typeof given !== 'string' || !isDocsKey(given, credentials)) throw docsKeyNeeded();
  return credentials;
}

/** What of them the page is told. */
export const shownOf = (credentials: DemoCredentials): Partial<DemoCredentials> =>
  Object.fromEntries(SHOWN.map((name) => [name, credentials[name]]));

/** The ids that the examples of the document name, for readers on this machine; undefined for everybody else. */
export function demoIdsFor(
  request: FastifyRequest,
  { production, dataDir }: Config,
): Record<string, string> | undefined {
  if (production || !isAtThisMachine(request)) return undefined;
  return readDemoCredentials(dataDir)?.examples;
}

/** By the connection itself; a name that somebody pointed at loopback does not do. */
function isAtThisMachine({ raw, headers }: FastifyRequest): boolean {
  const hostname = /^(\[[^\]]*\]|[^:@/]*)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  return isLoopbackPeer(raw.socket.remoteAddress ?? '') && isLoopbackHost(hostname.toLowerCase());
}
