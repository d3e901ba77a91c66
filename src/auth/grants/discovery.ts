import type { FastifyRequest } from 'fastify';
import { trimTrailing } from '../../common/text/patterns.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import type { Config } from '../../config/config.js';

/** The issuer of all tokens, whatever host a client calls: the public URL of the authentication endpoints. */
export const issuerOf = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => trimTrailing(baseUrl.href, '/');

/** The public URL under which a request arrived, with its prefix. */
export function resourceOriginOf({ raw }: Pick<FastifyRequest, 'raw'>, { baseUrl }: Pick<Config, 'baseUrl'>): string {
  const { origins, prefix } = originOf(raw);
  return `${origins[0] ?? baseUrl.origin}${prefix}`;
}

/** The path of the metadata of the service as a protected resource. */
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/**
 * Where a client finds out how to get a token, and whether it sent a wrong one (RFC 6750, RFC 9728). `resource`: the path of the
 * protected resource; empty for the service as a whole.
 */
export function bearerChallenge(
  request: FastifyRequest,
  config: Pick<Config, 'baseUrl'>,
  { isWrong, resource = '' }: { isWrong: boolean; resource?: '' | '/mcp' },
): string {
  const metadata = `resource_metadata="${resourceOriginOf(request, config)}${RESOURCE_METADATA}${resource}"`;
  return isWrong ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`;
}
